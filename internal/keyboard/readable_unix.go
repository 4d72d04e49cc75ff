//go:build unix

package keyboard

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Readable says whether f has data or has ended, within a time.
func Readable(f *os.File, within time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(within); ; {
		n, err := unix.Poll(fds, max(0, int(time.Until(end).Milliseconds())))
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}
