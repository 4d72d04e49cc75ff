package tui

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Ended is why a screen ended without the person leaving: a signal, or a lost terminal.
type Ended struct{ By os.Signal }

// Error returns the sentence that remains in the terminal.
func (e *Ended) Error() string {
	if e.By == syscall.SIGHUP {
		return "the terminal was closed"
	}
	return "ended by " + e.By.String()
}

// ErrFault is a panic of ours that ended the screen; its trace was printed.
var ErrFault = errors.New("the screen crashed")

// onSignals ends the screen on TERM and HUP, and turns INT into ctrl-C unless the terminal is lent to another
// program, which then gets INT. The returned function stops this, and returns the signal that ended the screen,
// if any.
func (d *Desk) onSignals(p *tea.Program) func() error {
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
					p.Send(screen.Update(d.quit))
				} else if !d.Lent.Load() {
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
