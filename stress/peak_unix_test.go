//go:build unix

package stress_test

import (
	"os/exec"
	"runtime"
	"syscall"
)

// peak is the most memory, in bytes, that a program had which has ended.
func peak(c *exec.Cmd) int64 {
	used, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(used.Maxrss)
	}
	return int64(used.Maxrss) << 10
}
