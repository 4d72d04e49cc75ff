package keyboard

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// Readable says whether f has data or has ended, within a time.
func Readable(f *os.File, within time.Duration) bool {
	var have uint32
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		ok, _, _ := peekNamedPipe.Call(f.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&have)), 0)
		if ok == 0 || have > 0 { // it fails once the other end is closed
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}
