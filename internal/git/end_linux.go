package git

import (
	"os/exec"
	"syscall"
)

// endTogether makes cmd lead a process group, which is killed when cmd is cancelled. git is also killed if we are: it would continue to
// write where another process may work by then.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
