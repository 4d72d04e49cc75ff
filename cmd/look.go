package cmd

import (
	"context"
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
