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

// ToTab brings a message to the page of a tab, whichever is shown.
type ToTab struct {
	ID  int
	Msg tea.Msg
}

// Do carries out an op beside the screen; then is called with what came of it, on the screen's own turn.
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

// Away does what takes time beside the screen; what it returns is called on the screen's own turn.
func (s *Screen) Away(work func(ctx context.Context) func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { return Update(work(s.Ctx)) }
}

// Update is work for the screen's own turn.
type Update func() tea.Cmd

// News tells a page what came into its tree.
type News struct {
	Batch engine.Batch
	Err   error
}

// FrameTime is the shortest time between two pictures of what grows.
const FrameTime = 33 * time.Millisecond

// Follow has the news of a tree sent to the page of a tab, pause apart at least, until what it returns is called. wants says which
// of them are sent; nil: all.
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

// Aside runs work beside the screen. A fault in it ends the screen, so that the terminal is left as it was.
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

// Again has the screen drawn once more after a while.
func (s *Screen) Again(after time.Duration) {
	if s.Send == nil {
		return
	}
	time.AfterFunc(after, func() { s.Send(Update(func() tea.Cmd { return nil })) })
}

// elsewhereTime is how often it is looked whether another process is still there.
const elsewhereTime = 2 * time.Second

// Elsewhere finds out, beside the screen, whether another process is at work; then is told on the screen's own turn, and
// says whether to search again after a while.
func (s *Screen) Elsewhere(locked func() bool, then func(bool) bool) tea.Cmd {
	return s.Away(func(context.Context) func() tea.Cmd {
		is := locked()
		return func() tea.Cmd {
			if !then(is) {
				return nil
			}
			return tea.Tick(elsewhereTime, func(time.Time) tea.Msg {
				return Update(func() tea.Cmd { return s.Elsewhere(locked, then) })
			})
		}
	})
}
