//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// dieWithUs can do nothing here: a program whose parent was killed ends when it reads the end of its input.
func dieWithUs(*syscall.SysProcAttr) {}

func markOf(*exec.Cmd) string { return "" }

func (g Group) signalLeavers(syscall.Signal) {}
