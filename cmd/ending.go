package cmd

import (
	"golang.org/x/term"

	"github.com/socrates-cli/socrates/internal/failure"
)

// over is the end of what is typed: the person left, or the terminal is gone and its signal is not here yet.
func (c *console) over() entry {
	if c.person && !term.IsTerminal(int(c.a.In.Fd())) {
		return entry{kind: terminated, code: failure.ExitHungUp}
	}
	return entry{kind: inputOver}
}
