//go:build linux || darwin

package cmd

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

const canListen = true

// quietKeys makes a terminal give every key at once and not show it. Signals stay: ctrl-C is one. again is called when
// the program was stopped and goes on.
func quietKeys(f *os.File, again func()) (restore func(), err error) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	quiet := *old
	quiet.Lflag &^= unix.ICANON | unix.ECHO
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &quiet); err != nil {
		return nil, err
	}
	woken, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(woken, unix.SIGCONT)
	go func() { // whoever had the terminal meanwhile set it back
		for {
			select {
			case <-woken:
				unix.IoctlSetTermios(fd, setTermios, &quiet)
				again()
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(woken)
		close(over)
		unix.IoctlSetTermios(fd, setTermios, old)
	}, nil
}
