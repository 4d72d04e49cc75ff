//go:build unix && !linux

package git

import (
	"os/exec"
	"syscall"
)

// endTogether makes cmd lead a process group, which is killed when cmd is cancelled.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
