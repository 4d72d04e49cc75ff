//go:build unix && !linux

package shell

import (
	"os"
	"syscall"
)

// noWait prevents a pipe that replaced a file from hanging the open.
const noWait = syscall.O_NONBLOCK

// openBeneath has no system call to use here.
func openBeneath(path string, flag int, perm os.FileMode) (*os.File, error) {
	return openStepwise(path, flag, perm)
}
