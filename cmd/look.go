package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/evidence"
)

// looker holds what checks may do.
type looker struct {
	commands [][]string
	sources  []string
	timeout  time.Duration
}

// look makes what checks evidence in dir.
func (a *app) look(dir string) (func(context.Context, debate.Evidence) debate.Observation, func() error) {
	l := &evidence.Looker{Dir: dir, Commands: a.looks.commands, Sources: a.looks.sources, Timeout: a.looks.timeout}
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
