//go:build unix

package door

import (
	"os/exec"
	"syscall"
)

// detach makes a program outlive us, our client, and the terminal of both.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
