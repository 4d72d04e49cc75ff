//go:build !linux && !darwin

package terminal

import (
	"errors"
	"os/exec"

	"golang.org/x/term"
)

var errNone = errors.New("there are no pseudo-terminals here")

func (t *Terminal) open() error { return errNone }

// Resize, as all here, says that there are no pseudo-terminals.
func (t *Terminal) Resize(cols, rows int) error { return errNone }

// Signal has no terminal to send to.
func (t *Terminal) Signal(name string) error { return errNone }

// HangUp has no terminal to close.
func (t *Terminal) HangUp() error { return errNone }

// Close may be called although open failed.
func (t *Terminal) Close() {}

func (t *Terminal) state() (*term.State, error) { return nil, errNone }

func exitCode(cmd *exec.Cmd, err error) int { return cmd.ProcessState.ExitCode() }
