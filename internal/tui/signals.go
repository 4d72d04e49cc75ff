package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// Ended is why a screen ended, if nobody left it: by a signal, or because its terminal went away.
type Ended struct{ By os.Signal }

func (e *Ended) Error() string {
	if e.By == syscall.SIGHUP {
		return "the terminal went away"
	}
	return "ended by " + e.By.String()
}

// ErrFault is a fault of ours that ended the screen; its trace was printed.
var ErrFault = errors.New("the screen ended by a fault of its own")

// heed ends the screen on TERM and HUP, and makes ctrl-C of INT unless the terminal is lent to another program, which INT is
// for then. What it returns ends that, and says which signal ended the screen, if one did.
func (d *Desk) heed(p *tea.Program) func() error {
	ch, done, by := make(chan os.Signal, 4), make(chan struct{}), make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-ch:
				if s != os.Interrupt {
					select {
					case by <- s:
					default:
					}
					p.Send(turn(d.quit))
				} else if !d.lent.Load() {
					p.Send(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
				}
			}
		}
	}()
	return func() error {
		signal.Stop(ch)
		close(done)
		select {
		case s := <-by:
			return &Ended{s}
		default:
			return nil
		}
	}
}

// lend gives the terminal to a program; then hears of its end on the screen's own turn.
func (d *Desk) lend(c *exec.Cmd, then func(err error) tea.Cmd) tea.Cmd {
	d.lent.Store(true)
	return tea.ExecProcess(c, func(err error) tea.Msg {
		d.lent.Store(false)
		return turn(func() tea.Cmd { return then(err) })
	})
}

// aside runs work beside the screen. A fault in it ends the screen, so that the terminal is left as it was.
func (d *Desk) aside(work func()) {
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				trace := debug.Stack()
				d.send(turn(func() tea.Cmd { panic(fmt.Sprintf("%v\n\n%s", fault, trace)) }))
			}
		}()
		work()
	}()
}
