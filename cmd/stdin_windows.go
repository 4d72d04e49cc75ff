package cmd

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// readable says whether f has data or has ended, within a time.
func readable(f *os.File, within time.Duration) bool {
	var have uint32
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		err := windows.PeekNamedPipe(windows.Handle(f.Fd()), nil, 0, nil, &have, nil)
		if err != nil || have > 0 {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
