package spending_test

import (
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A pledge is feared until what its call took is recorded; of a call that was cut off the rest of it is.
func TestFeared(t *testing.T) {
	root := talk.RootKind.New("", "person", talk.Root{})
	nodes := []tree.Node{root}
	add := func(n tree.Node) tree.ID {
		nodes = append(nodes, n)
		return n.ID
	}
	want := func(what string, most int) {
		t.Helper()
		if _, tokens := spending.Feared(nodes); tokens != most {
			t.Errorf("%s: %d, want %d", what, tokens, most)
		}
	}
	pledge := func(at tree.ID) { add(margin.PledgeKind.New(root.ID, "m", margin.Pledge{At: at, Tokens: 100})) }
	used := cost.Usage{Input: 30}
	said := add(talk.SayKind.New(root.ID, "person", talk.Said{Text: "work"}))
	pledge(said)
	want("the first call is under way", 100)
	called := add(talk.CalledKind.New(said, "m", talk.Called{Message: llm.UserText("x"), Usage: used}))
	want("it is recorded", 0)
	done := add(talk.ExchangeKind.New(called, "m", talk.Exchange{Usage: used}))
	pledge(done)
	want("the second call is under way", 100)
	cut := add(talk.ReplyKind.New(done, "code", talk.Reply{State: talk.Interrupted, Usage: used}))
	want("it was cut off", 70)
	on := add(talk.SayKind.New(cut, "person", talk.Said{Text: "go on"}))
	pledge(on)
	want("the third call is under way", 170)
	add(talk.ReplyKind.New(on, "m", talk.Reply{State: talk.Done, Usage: used}))
	want("it is recorded", 70)
}
