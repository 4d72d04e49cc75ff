//go:build unix

package evidence

import (
	"os/exec"
	"syscall"
)

// prepare makes cmd lead a process group, and cancelling it ask that group to end.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		return nil
	}
}

// adopt returns what kills whatever is left of the group of cmd, which has started.
func adopt(cmd *exec.Cmd) (sweep func(), err error) {
	return func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }, nil
}
