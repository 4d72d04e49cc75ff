//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// group is the process group of a program: the program and whatever it started that did not leave.
type group struct{ id int }

// prepare gives cmd a group of its own.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
}

func adopt(cmd *exec.Cmd) (group, error) { return group{cmd.Process.Pid}, nil }

func (g group) terminate() { syscall.Kill(-g.id, syscall.SIGTERM) }
func (g group) kill()      { syscall.Kill(-g.id, syscall.SIGKILL) }
func (g group) release()   {}
