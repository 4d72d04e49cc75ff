//go:build linux || darwin

package keyboard

import (
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Whoever is woken and leaves in the same moment leaves the terminal as it was.
func TestWokenAndRestored(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	defer tty.Close()
	was, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		over := false
		restore, err := Quiet(tty, func() {
			if over {
				t.Error("it is drawn again after the end")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Kill(unix.Getpid(), unix.SIGCONT); err != nil {
			t.Fatal(err)
		}
		restore()
		over = true
		if now, err := unix.IoctlGetTermios(int(tty.Fd()), getTermios); err != nil || *now != *was {
			t.Fatalf("%v: it is set to %+v, not %+v", err, now, was)
		}
	}
}
