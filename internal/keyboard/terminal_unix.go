//go:build linux || darwin

package keyboard

import (
	"cmp"
	"errors"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"github.com/socrates-cli/socrates/internal/process"
)

// Drop forgets what was typed and not read yet.
func Drop(f *os.File) {
	if now, err := unix.IoctlGetTermios(int(f.Fd()), getTermios); err == nil {
		unix.IoctlSetTermios(int(f.Fd()), dropTermios, now)
	}
}

// Quiet makes a terminal give every key at once and not show it. Signals stay: ctrl-C is one. again is called when
// the program was stopped and goes on, and no more once restore has returned: that waits for it.
func Quiet(f *os.File, again func()) (restore func(), err error) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	kept := process.KeepTerminal(process.Terminal{Reset: MarkNoPastes,
		Words: "socrates exited unexpectedly. Your conversation is saved.\n"})
	quiet := *old
	quiet.Lflag &^= unix.ICANON | unix.ECHO
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &quiet); err != nil {
		kept()
		return nil, err
	}
	woken, over, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(woken, unix.SIGCONT)
	go func() { // whoever had the terminal meanwhile set it back
		defer close(ended)
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
		<-ended
		unix.IoctlSetTermios(fd, setTermios, old)
		kept()
	}, nil
}

// typedLines counts the bytes of the whole lines that wait in a terminal.
func typedLines(f *os.File) int {
	fd := int(f.Fd())
	if now, err := unix.IoctlGetTermios(fd, getTermios); err != nil || now.Lflag&unix.ICANON == 0 {
		return 0
	}
	n, err := unix.IoctlGetInt(fd, getWaiting)
	if err != nil {
		return 0
	}
	return n
}

// haltWait is how soon a program stops that is told to.
const haltWait = 300 * time.Millisecond

// KeepHalf is for a terminal that gives whole lines. It makes the key that stops a program end a line instead, so that what
// was typed is read and not lost; key is what the line then ends with, and halt stops the program until it is woken.
func KeepHalf(f *os.File) (key byte, halt, restore func(), err error) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || old.Cc[unix.VSUSP] == noKey {
		return 0, nil, nil, cmp.Or(err, errors.ErrUnsupported)
	}
	own := *old
	own.Cc[unix.VEOL], own.Cc[unix.VSUSP] = old.Cc[unix.VSUSP], noKey
	set := func(to *unix.Termios) { unix.IoctlSetTermios(fd, setTermios, to) }
	set(&own)
	return old.Cc[unix.VSUSP], func() {
		woken := make(chan os.Signal, 1)
		signal.Notify(woken, unix.SIGCONT)
		defer signal.Stop(woken)
		set(old)
		unix.Kill(0, unix.SIGTSTP) // all that the key would have stopped
		select {
		case <-woken:
		case <-time.After(haltWait): // nobody was there who could wake it, so the system did not stop it
		}
		set(&own)
	}, func() { set(old) }, nil
}
