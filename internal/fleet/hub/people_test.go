package hub_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/team"
)

// A revoked worker that only some people saw: nobody sees, or pays for, a later worker of its name until it is shared again.
func TestALaterWorkerOfTheName(t *testing.T) {
	p, ctx := newPlace(t, time.Minute), t.Context()
	line, _, _ := p.join("w1", 1, llm.Info{})
	defer line.Close()
	share := team.Share{Kind: team.OfWorker, Name: "w1", Owner: "bob", People: []string{"bob"}}
	for _, err := range []error{p.book.Enter(ctx, team.Person{Name: "bob", Role: team.Reader}), p.book.Share(ctx, share),
		p.hub.Socket().Revoke(ctx, "w1")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	shares, err := p.book.Shares(ctx, "")
	if want := []team.Share{{Kind: team.OfWorker, Name: "w1", People: []string{}}}; err != nil || !reflect.DeepEqual(shares, want) {
		t.Errorf("%+v, %v; want %+v", shares, err, want)
	}
}
