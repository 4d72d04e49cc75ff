package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/llm/simulated"
	"github.com/socrates-cli/socrates/internal/seat"
)

// checkFlags are what flags allow checks beside the settings.
type checkFlags struct{ commands, sources []string }

// simChecker is how the evidence of simulated seats is looked at: that of the reference world.
var simChecker = eval.Checker{TruePass: .9, FalsePass: .3}

// look makes what checks evidence in a room. That of simulated seats does not exist, and is looked at by a simulated
// checker. Every way into a room leads here, whoever opens it: what checks may run is read from the settings of the room's
// project as the room is furnished, so that no way can forget it.
func (a *app) look(f debate.Frame) (func(context.Context, verdict.Evidence) debate.Observation, func() error) {
	for _, s := range f.Seats {
		if spec, ok := strings.CutPrefix(s.Spec, seat.Simulated+":"); ok {
			_, truth, _ := simulated.Parse(spec) // it was read when the seat sat down
			return simChecker.Look(f.Seed, f.Question, truth), func() error { return nil }
		}
	}
	l := &evidence.Looker{Dir: f.Dir}
	if flags := a.checks.Load(); flags != nil {
		l.Commands, l.Sources = splitAll(flags.commands), flags.sources
	}
	if c, err := a.Home.Settings.Of(f.Dir); err == nil { // settings that cannot be read allow nothing
		l.Commands = append(l.Commands, splitAll(c.Strings("checks.commands"))...)
		l.Sources = append(slices.Clone(l.Sources), c.Strings("checks.sources")...)
		l.Timeout = c.Duration("checks.timeout")
	}
	return l.Look, l.Close
}

// program runs a program that judges an answer, as checks run: in a copy of dir, with no secrets in its environment.
func program(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error) {
	l := &evidence.Looker{Dir: dir, Commands: [][]string{argv}, Timeout: limit, Uncontrolled: true}
	defer l.Close()
	o := l.Look(ctx, verdict.Evidence{Kind: "command", Command: argv})
	if o.Result == verdict.Skipped {
		return false, errors.New(o.Detail)
	}
	return o.Result == verdict.Pass, nil
}
