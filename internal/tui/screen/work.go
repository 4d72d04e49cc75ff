package screen

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tree"
)

// ToTab sends a message to the page of a tab, shown or not.
type ToTab struct {
	ID  int
	Msg tea.Msg
}

// Do executes an op in the background; then is called with its error on the screen's own goroutine.
func (s *Screen) Do(op engine.Op, then func(err error) tea.Cmd) tea.Cmd {
	words := s.words
	return s.Away(func(ctx context.Context) func() tea.Cmd {
		_, err := s.Engine.Do(ctx, op)
		return func() tea.Cmd {
			if s.Fail(err); err != nil {
				words.back()
			}
			var cmd tea.Cmd
			if then != nil {
				cmd = then(err)
			}
			return tea.Batch(cmd, s.Reread())
		}
	})
}

// Away does slow work in the background; the function it returns is called on the screen's own goroutine, in the name
// of the page that asked for the work.
func (s *Screen) Away(work func(ctx context.Context) func() tea.Cmd) tea.Cmd {
	p := s.acting()
	return func() tea.Msg {
		then := work(s.Ctx)
		if then == nil {
			return Update(nil)
		}
		return Update(func() tea.Cmd { return s.As(p, then) })
	}
}

// Update is work for the screen's own goroutine.
type Update func() tea.Cmd

// News tells a page what was added to its tree.
type News struct {
	Batch engine.Batch
	Err   error
}

// FrameTime is the shortest time between two frames of growing text.
const FrameTime = 33 * time.Millisecond

// Follow sends the news of a tree to the page of a tab, at least pause apart, until the returned function is
// called. wants filters them; nil: all.
func (s *Screen) Follow(id int, root tree.ID, seq int64, pause time.Duration, wants func(engine.Batch) bool) context.CancelFunc {
	ctx, cancel := context.WithCancel(s.Ctx)
	s.Aside(func() {
		for b, err := range s.Engine.Follow(ctx, root, seq) {
			if err != nil || wants == nil || wants(b) {
				s.Send(ToTab{id, News{b, err}})
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
	return cancel
}

// Aside runs work in the background. A panic in it ends the screen, so that the terminal is restored.
func (s *Screen) Aside(work func()) {
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				trace := debug.Stack()
				s.Send(Update(func() tea.Cmd { panic(fmt.Sprintf("%v\n\n%s", fault, trace)) }))
			}
		}()
		work()
	}()
}

// Again redraws the screen after a while.
func (s *Screen) Again(after time.Duration) {
	if s.Send == nil {
		return
	}
	time.AfterFunc(after, func() { s.Send(Update(func() tea.Cmd { return nil })) })
}

// elsewhereTime is the interval at which another process is checked.
const elsewhereTime = 2 * time.Second

// Elsewhere finds out, in the background, whether another process works on something; then is called on the
// screen's own goroutine, and returns whether to check again after a while.
func (s *Screen) Elsewhere(locked func() bool, then func(bool) bool) tea.Cmd {
	p := s.acting()
	return s.Away(func(context.Context) func() tea.Cmd {
		is := locked()
		return func() tea.Cmd {
			if !then(is) {
				return nil
			}
			return tea.Tick(elsewhereTime, func(time.Time) tea.Msg {
				return Update(func() tea.Cmd { return s.As(p, func() tea.Cmd { return s.Elsewhere(locked, then) }) })
			})
		}
	})
}
