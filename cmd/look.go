package cmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
)

// looker holds what checks may do.
type looker struct {
	commands [][]string
	sources  []string
	timeout  time.Duration
}

// simChecker is how the evidence of simulated seats is looked at: that of the reference world.
var simChecker = eval.Checker{TruePass: .9, FalsePass: .3}

// look makes what checks evidence in a room. That of simulated seats does not exist, and is looked at by a simulated
// checker.
func (a *app) look(f debate.Frame) (func(context.Context, debate.Evidence) debate.Observation, func() error) {
	for _, s := range f.Seats {
		if spec, ok := strings.CutPrefix(s.Spec, simSpec+":"); ok {
			_, truth, _ := simulated.Parse(spec) // it was read when the seat sat down
			return simChecker.Look(f.Seed, f.Question, truth), func() error { return nil }
		}
	}
	l := &evidence.Looker{Dir: f.Dir, Commands: a.looks.commands, Sources: a.looks.sources, Timeout: a.looks.timeout}
	return l.Look, l.Close
}

// program runs a program that judges an answer, as checks run: in a copy of dir, with no secrets in its environment.
func program(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error) {
	l := &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Timeout: limit, Uncontrolled: true}
	defer l.Close()
	o := l.Look(ctx, debate.Evidence{Kind: "command", Command: argv})
	if o.Result == debate.Skipped {
		return false, errors.New(o.Detail)
	}
	return o.Result == debate.Pass, nil
}
