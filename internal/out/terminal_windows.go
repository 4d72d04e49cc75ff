package out

import (
	"os"

	"golang.org/x/sys/windows"
)

// UnderstandsEscapes reports whether a console understands escape sequences, and enables them.
func UnderstandsEscapes(f *os.File) bool {
	h, mode := windows.Handle(f.Fd()), uint32(0)
	if os.Getenv("TERM") == "dumb" || windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	if f == os.Stdin {
		return true
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
