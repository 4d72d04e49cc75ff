package scene

import (
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Move is how a debate stood when one of its stages was over.
type Move struct {
	After   string // the stage, as people call it
	Beliefs []verdict.Belief
	Score   float64
}

// checksStage is what the work of code between two rounds of the seats is called.
const checksStage = "checks by code"

// votesAlone is how it would stand had nothing been checked.
const votesAlone = "votes alone"

// change is the stage that a node is news of; empty: it says nothing of how the debate stands.
func change(n tree.Node) string {
	if a, ok := debate.ReplyKind.Of(n); ok && a.Act != debate.Verify {
		return Stage(debate.Asked{Key: a.Key, Act: a.Act})
	}
	if n.Kind == string(debate.CheckKind) {
		return checksStage
	}
	if h, ok := debate.HeedKind.Of(n); ok && h.Verb == debate.Veto && !h.Refused {
		return "your veto"
	}
	return ""
}

// move takes in a ledger: how the debate stands, as code reckoned it then. What checks that came with it did is told apart
// from what seats said since.
func (r *Room) move(l verdict.Ledger) {
	if r.changed == "" {
		return
	}
	if len(l.Checks) > len(r.ledger.Checks) {
		was, after := r.ledger, checksStage
		was.Checks = l.Checks
		if len(r.Moves) == 0 {
			was, after = l, votesAlone
			was.Checks = nil
		}
		if after != r.changed {
			r.moved(was, after)
		}
	}
	r.ledger = l
	r.moved(l, r.changed)
}

func (r *Room) moved(l verdict.Ledger, after string) {
	v := verdict.Decide(l, r.Frame.Rules)
	if v.Panel.Voted == 0 || len(v.Beliefs) == 0 {
		return
	}
	m := Move{After: after, Beliefs: v.Beliefs, Score: v.Score.Value}
	if n := len(r.Moves); n > 0 && r.Moves[n-1].After == m.After {
		r.Moves = r.Moves[:n-1]
	} else if n > 0 && r.Moves[n-1].Score == m.Score && slices.Equal(r.Moves[n-1].Beliefs, m.Beliefs) {
		return // nothing moved
	}
	r.Moves = append(r.Moves, m)
}
