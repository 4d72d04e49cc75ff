package shell

import "os"

// noWait has no counterpart here.
const noWait = 0

// openBeneath has no system call to use here.
func openBeneath(path string, flag int, perm os.FileMode) (*os.File, error) {
	return openStepwise(path, flag, perm)
}
