package git

import (
	"os/exec"
	"syscall"
)

// endTogether makes cmd lead a process group, and cancelling it kill that group. If we are killed, git is, too: it would go on to write
// where whoever takes over works by then.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
