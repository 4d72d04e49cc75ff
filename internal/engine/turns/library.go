package turns

import (
	"errors"
	"sync"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Library answers queries about turns, and keeps the states of conversations in this process. It is safe for concurrent
// use. States are never removed: a process has as many as it has used conversations.
type Library struct {
	core   *engine.Core
	store  *store.Store
	engine *engine.Engine
	talks  *conversation.Library
	wiring Wiring

	mu     sync.Mutex // guards the rest
	states map[tree.ID]*state
	ended  int // number of turns that ended

	titles sync.WaitGroup // for titles, which may outlive a turn for a moment and do not touch its branch
}

// With adds turns to an engine that has debates, notes and conversations.
func With(w Wiring) func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		l := &Library{core: c, store: c.Store, engine: e, talks: conversation.In(e), wiring: w, states: map[tree.ID]*state{}}
		return engine.Part{Library: l, Close: l.close}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// close ends what conversations keep between turns. Its error is a *Steering if a program that was still running changed files that steer
// tools. All jobs have ended by then.
func (l *Library) close() (err error) {
	l.titles.Wait()
	for _, d := range l.states {
		d.close()
		if d.steerWatch != nil && d.leftBusy {
			err = errors.Join(err, d.steerWatch.Look())
		}
	}
	return err
}
