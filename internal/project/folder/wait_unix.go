//go:build unix

package folder

import "syscall"

// noWait prevents open from waiting for the other end of a pipe.
const noWait = syscall.O_NONBLOCK
