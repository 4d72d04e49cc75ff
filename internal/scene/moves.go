package scene

import (
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
)

// Move is how a debate stood when one of its stages was over.
type Move struct {
	After   string // the stage, as people call it
	Beliefs []verdict.Belief
}

// checksStage is what the work of code between two rounds of the seats is called.
const checksStage = "checks by code"

// votesAlone is how it would stand had nothing been checked.
const votesAlone = "votes alone"

// change is the stage that a body is news of; empty: it says nothing of how the debate stands.
func change(body any) string {
	switch b := body.(type) {
	case exchange.Reply:
		if b.Act != exchange.Verify {
			return Stage(exchange.Asked{Key: b.Key, Act: b.Act})
		}
	case verdict.Check:
		return checksStage
	case people.Applied:
		if b.Verb == people.Veto && !b.Refused {
			return "your veto"
		}
	}
	return ""
}

// stood is a ledger, and the stage that had changed it.
type stood struct {
	ledger  verdict.Ledger
	changed string
}

// Moves are how it stood after each stage. They are made when somebody looks: code decides once for each.
func (r *Room) Moves() []Move {
	for _, s := range r.stood {
		r.move(s.ledger, s.changed)
	}
	r.stood = nil
	return r.moves
}

// move takes in a ledger: how the debate stands, as code reckoned it then. What checks that came with it did is told apart
// from what seats said since.
func (r *Room) move(l verdict.Ledger, changed string) {
	if changed == "" {
		return
	}
	if len(l.Checks) > len(r.ledger.Checks) {
		was, after := r.ledger, checksStage
		was.Checks = l.Checks
		if len(r.moves) == 0 {
			was, after = l, votesAlone
			was.Checks = nil
		}
		// Checks that came with the same ledger as votes are told as a step of their own.
		if after != changed {
			r.moved(was, after)
		}
	}
	r.ledger = l
	r.moved(l, changed)
}

func (r *Room) moved(l verdict.Ledger, after string) {
	v := verdict.Decide(l, r.Frame.Rules)
	if v.Panel.Voted == 0 || len(v.Beliefs) == 0 {
		return
	}
	m := Move{After: after, Beliefs: v.Beliefs}
	if n := len(r.moves); n > 0 && r.moves[n-1].After == m.After {
		// Of one stage the last ledger counts.
		r.moves = r.moves[:n-1]
	} else if n > 0 && slices.Equal(r.moves[n-1].Beliefs, m.Beliefs) {
		return // nothing moved
	}
	r.moves = append(r.moves, m)
}
