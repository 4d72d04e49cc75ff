//go:build !linux && !darwin

package terminal

import (
	"errors"
	"os/exec"

	"golang.org/x/term"
)

var errNone = errors.New("there are no pseudo-terminals here")

func (t *Terminal) open() error                 { return errNone }
func (t *Terminal) Resize(cols, rows int) error { return errNone }
func (t *Terminal) Signal(name string) error    { return errNone }
func (t *Terminal) HangUp() error               { return errNone }
func (t *Terminal) Close()                      {}

func (t *Terminal) state() (*term.State, error) { return nil, errNone }

func exitCode(cmd *exec.Cmd, err error) int { return cmd.ProcessState.ExitCode() }
