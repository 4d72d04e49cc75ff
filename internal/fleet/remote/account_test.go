package remote_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/local"
	"github.com/socrates-cli/socrates/internal/team"
)

// model is a scripted one: it yields, and then fails or ends.
type model struct {
	deltas []llm.Delta
	err    error
}

func (m model) Info() llm.Info { return llm.Info{ID: "m", Lineage: "m"} }

func (m model) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, d := range m.deltas {
			if !yield(d, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Delta{}, m.err)
		}
	}
}

// What a call took is booked; one that was cut may have been charged, so what was reserved is: whoever cancels late has no quota else.
func TestBooked(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ctx := t.Context()
	table, err := lease.Open(ctx, filepath.Join(dir, "hub.db"), 1e9)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	book, err := team.Open(ctx, filepath.Join(dir, "team.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	l, err := local.Listen(dir, socket.Name)
	if err != nil || l == nil {
		t.Skip("there are no sockets here: ", err)
	}
	srv := &http.Server{Handler: socket.Handler(socket.Hub{Team: book}, table)}
	go srv.Serve(l)
	defer srv.Close()
	req := llm.Request{MaxTokens: 1000}
	_, most := budget.Bound(model{}.Info(), req)
	end := llm.Delta{End: &llm.End{Usage: cost.Usage{Output: 7}}}
	for name, c := range map[string]struct {
		m    model
		stop bool // nobody listens after the first delta
		want int
	}{
		"answered":           {model{deltas: []llm.Delta{{Text: "a"}, end}}, false, 7},
		"counted, then cut":  {model{deltas: []llm.Delta{{Usage: &cost.Usage{Output: 5}}}, err: context.Canceled}, false, 5},
		"by the person, cut": {model{deltas: []llm.Delta{{Text: "a"}}, err: context.Canceled}, false, most},
		"nobody listens":     {model{deltas: []llm.Delta{{Text: "a"}, end}}, true, most},
		"the connection cut": {model{err: &trouble.Error{Kind: trouble.Network}}, false, most},
		"never sent":         {model{err: &trouble.Error{Kind: trouble.Network, Unsent: true}}, false, 0},
		"refused":            {model{err: &trouble.Error{Kind: trouble.Auth}}, false, 0},
	} {
		for _, bound := range []bool{false, true} { // a quota binds it, or none does
			person := map[bool]string{true: "bound", false: "free"}[bound] + "-" + name[:2]
			if bound {
				if err := errors.Join(book.Enter(ctx, team.Person{Name: person, Role: team.Agent}),
					book.Limit(ctx, team.Quota{Kind: team.OfPerson, Name: person, Tokens: 2 * most, Period: team.Day})); err != nil {
					t.Fatal(err)
				}
			}
			m := remote.Billed(c.m, remote.Account{Hub: socket.NewClient(dir), Person: person, Project: name})
			for range m.Stream(ctx, req) {
				if c.stop {
					break
				}
			}
			took := -1
			lines, err := book.Spent(ctx, time.Unix(0, 0))
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				if l.Person == person && l.Project == name {
					took = l.Tokens
				}
			}
			if took != c.want {
				t.Errorf("%s, bound %v: %d booked, want %d", name, bound, took, c.want)
			}
		}
	}
}
