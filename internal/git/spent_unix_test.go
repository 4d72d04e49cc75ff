//go:build unix

package git_test

import (
	"syscall"
	"time"
)

// spent is the processor time of this process and its children so far.
func spent() (all time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		syscall.Getrusage(who, &u)
		all += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return all
}
