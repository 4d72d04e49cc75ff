package page

import (
	"context"
	"sync"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/tree"
)

// gist is what lists show of a debate that has ended.
type gist struct {
	answer, sure string
	call         string // what a person is asked to do; empty: nothing
	basis        drift.Basis
}

// gists caches them by the node that ended each debate: what follows from a record does not change. The zero value is
// ready.
type gists struct {
	mu   sync.Mutex
	kept map[tree.ID]gist
}

// mostGists is the size of the cache; when it is full it starts over.
const mostGists = 5000

// gist returns that of a debate that has ended; ok is false if it cannot be read. It folds the debate once. Two
// requests may do so at the same time, with the same result.
func (s *site) gist(ctx context.Context, info rooms.Info) (g gist, ok bool) {
	s.gists.mu.Lock()
	g, ok = s.gists.kept[info.Head]
	s.gists.mu.Unlock()
	if ok {
		return g, true
	}
	res, err := s.result(ctx, info.Room)
	if err != nil {
		return g, false
	}
	d := document.Of(res)
	g = gist{answer: d.Answer, sure: sentence(d.Sure(", ")), basis: drift.Of(res)}
	if asks := info.End != nil && (info.End.ExitCode == failure.ExitPerson || !info.End.Outcome.Decision()); asks && !info.Rehearsal &&
		len(d.Call.Reasons) > 0 {
		g.call = d.Call.Title
	}
	s.gists.mu.Lock()
	defer s.gists.mu.Unlock()
	if s.gists.kept == nil || len(s.gists.kept) >= mostGists {
		s.gists.kept = map[tree.ID]gist{}
	}
	s.gists.kept[info.Head] = g
	return g, true
}
