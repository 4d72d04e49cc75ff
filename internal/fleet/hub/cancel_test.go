package hub_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/team"
)

// A call that is given up is booked as what was reserved if a worker had it, also one that had not said a word: it may have been sent. One
// that nobody took costs nothing.
func TestGivenUp(t *testing.T) {
	p := newPlace(t, time.Minute)
	w := p.hands("w1", llm.Info{ID: "echo", Lineage: "acme"})
	req := llm.Request{MaxTokens: 1000}
	_, most := budget.Bound(llm.Info{ID: "echo"}, req)
	for person, want := range map[string]int{"taken": most, "waiting": 0} {
		if err := errors.Join(p.book.Enter(t.Context(), team.Person{Name: person, Role: team.Agent}), p.book.Limit(t.Context(),
			team.Quota{Kind: team.OfPerson, Name: person, Tokens: 1 << 30, Period: team.Day})); err != nil {
			t.Fatal(err)
		}
		m := p.remote()
		m.Account = remote.Account{Hub: m.Hub, Person: person, Project: "/p"}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := make(chan error, 1)
		go func() {
			for _, err := range m.Stream(ctx, req) {
				ended <- err
			}
			close(ended)
		}()
		if person == "taken" {
			w.take()
		} else {
			p.waits()
		}
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", person, err)
		}
		<-ended
		lines, err := p.book.Spent(t.Context(), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, l := range lines {
			if l.Person == person {
				got += l.Tokens
			}
		}
		if got != want {
			t.Errorf("%s: booked %d, want %d", person, got, want)
		}
	}
}

// waits waits until a task is in the table that nobody has.
func (p *testHub) waits() {
	p.Helper()
	for p.Context().Err() == nil {
		list, err := p.table.Waiting(p.Context())
		if err != nil {
			p.Fatal(err)
		}
		for _, s := range list {
			if s.Epoch == 0 {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
}
