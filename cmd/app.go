package cmd

import (
	"sync/atomic"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/setup"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/keyboard"
	"github.com/socrates-cli/socrates/internal/tui"
)

// app is what the commands share. What is expensive is made when it is first asked for.
type app struct {
	*call.Call
	openTabs []tui.Kept                 // of the screen, as it found or kept them last
	checks   atomic.Pointer[checkFlags] // nil: flags allow nothing
	// lend lets listen the keys of whoever has the keyboard, until what it returns is called; nil: nobody has it.
	lend  func(listen func(next func() (keyboard.Key, error)), view *progress) func()
	hears *turnTeller // of turns; nil: nobody is told
	tells *jobTeller  // of whatever the screen begins; nil: nobody is told
}

func newApp() *app {
	a := &app{Call: call.New(setup.Asker)}
	a.Wire = func(w *engine.Wiring) { w.Join, w.Began, w.Look, w.Program = a.joins, a.began, a.look, program }
	return a
}
