package scene

import (
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
)

// Move is the state of a debate at the end of one of its stages.
type Move struct {
	After   string // the stage, as people call it
	Beliefs []verdict.Belief
}

// checksStage names the checks by code between two rounds of the seats.
const checksStage = "checks by code"

// votesAlone names the state a debate would have if nothing had been checked.
const votesAlone = "votes alone"

// change returns the stage that a body belongs to; empty: the body does not change the state of the debate.
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

// stood is a ledger, and the stage that changed it.
type stood struct {
	ledger  verdict.Ledger
	changed string
}

// Moves returns the state after each stage. It is computed on demand: code decides once for each.
func (r *Room) Moves() []Move {
	for _, s := range r.stood {
		r.move(s.ledger, s.changed)
	}
	r.stood = nil
	return r.moves
}

// move adds a ledger, with the verdict that code computed from it at that time. The effect of checks that came with it is told apart from
// what seats said since.
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
		// Checks in the same ledger as votes are shown as a step of their own.
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
		// Only the last ledger of a stage counts.
		r.moves = r.moves[:n-1]
	} else if n > 0 && slices.Equal(r.moves[n-1].Beliefs, m.Beliefs) {
		return // no belief changed
	}
	r.moves = append(r.moves, m)
}
