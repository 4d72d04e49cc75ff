//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Group is the process group of a program: the program and whatever it started that did not leave. Of a marked program
// on Linux it is also what left.
// The zero Group has no program, and nothing can be done to it.
type Group struct {
	id   int
	mark mark // empty: none
}

// Prepare gives cmd, which has not started, a group of its own. On Linux the thread that starts it must live as
// long as the program: see runtime.LockOSThread.
func Prepare(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	dieWithUs(cmd.SysProcAttr)
}

// Adopt returns the group of cmd, which was prepared and has started.
func Adopt(cmd *exec.Cmd) (Group, error) { return Group{cmd.Process.Pid, markOf(cmd)}, nil }

// Terminate asks the group to end.
func (g Group) Terminate() { g.signal(syscall.SIGTERM) }

// Kill ends whatever is left of the group.
func (g Group) Kill() { g.signal(syscall.SIGKILL) }

// Release lets go of the group once its program was reaped.
// It is here for other systems.
func (g Group) Release() {}

// signal leaves the zero Group alone: zero would mean the group we are in ourselves.
func (g Group) signal(s syscall.Signal) {
	if g.id > 0 {
		syscall.Kill(-g.id, s)
		g.mark.signal(s, g.id)
	}
}

func signalOf(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
