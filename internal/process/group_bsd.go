//go:build unix && !linux

package process

import "syscall"

// dieWithUs can do nothing here: a program whose parent was killed ends when it reads the end of its input.
func dieWithUs(*syscall.SysProcAttr) {}
