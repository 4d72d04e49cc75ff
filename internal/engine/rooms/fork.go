package rooms

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Fork opens a new room from the record of an earlier one: its context, its options and the blind ballots of the seats
// that stay, which are not paid again. Checks and cross-examination are repeated. The new room does not depend on the
// old one: each can be deleted without the other.
type Fork struct {
	Room   string
	At     string             // end of a node's id: nodes committed after it are left out; empty: none are
	Change func(*table.Frame) // changes seats and limits; nil: no change. The question, the options and the seed stay.
}

// Do implements engine.Op.
func (op Fork) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	old, f, err := l.frame(ctx, op.Room)
	if err != nil {
		return "", err
	}
	nodes, err := l.store.Tree(ctx, old.ID)
	if err != nil {
		return "", err
	}
	if op.At != "" {
		at, err := l.store.Find(ctx, old.ID, strings.ToLower(op.At))
		if err != nil {
			return "", engine.NotFound("node of "+op.Room+" with an id ending in "+op.At,
				"socrates debate show "+op.Room+" --nodes lists them", err)
		}
		nodes = slices.DeleteFunc(nodes, func(n tree.Node) bool { return n.Seq > at.Seq })
	}
	from := f.Room
	f.Key, f.Via = "", "" // the key belongs to the old room
	if op.Change != nil {
		op.Change(&f)
	}
	return l.openRoom(ctx, f.Question, f, func(root tree.Node) []tree.Node {
		copied, ballots := keepBallots(nodes, old.ID, root, f)
		note := ruling.Note{Text: fmt.Sprintf("forked from %s: %d ballots reused at no cost", from, ballots)}
		return append(copied, ruling.NoteKind.New(root.ID, "person", note))
	})
}

// keepBallots copies the nodes that a fork keeps below its new root, with new ids. In the copies the cost of a call is
// zero: it was paid in the other room. Steps are copied, too, so that the record shows how a ballot was reached.
func keepBallots(nodes []tree.Node, old tree.ID, root tree.Node, f table.Frame) (out []tree.Node, ballots int) {
	out = []tree.Node{root}
	ids := map[tree.ID]tree.ID{old: root.ID}
	stays := func(seat string) bool {
		return slices.ContainsFunc(f.Seats, func(s table.Seat) bool { return s.ID == seat })
	}
	answered := map[tree.ID]bool{}
	for _, n := range nodes {
		if r, ok := exchange.ReplyKind.Of(n); ok && r.State == exchange.Answered {
			answered[n.Parent] = true
		}
	}
	for _, n := range nodes {
		switch n.Kind {
		case string(table.ContextKind), string(table.OptionsKind):
		case string(exchange.AskKind): // without an answer, it was another room's call
			if a, ok := exchange.AskKind.Of(n); !ok || !answered[n.ID] || !stays(a.Seat) || a.Act != exchange.Blind &&
				a.Act != exchange.Propose {
				continue
			}
		case string(exchange.StepKind):
		case string(exchange.ReplyKind):
			r, ok := exchange.ReplyKind.Of(n)
			if !ok || r.State != exchange.Answered {
				continue
			}
			r.Usage, r.Calls, r.MS = cost.Usage{Source: cost.Free}, 0, 0
			n.Body, _ = json.Marshal(r)
			if ids[n.Parent] != "" && r.Act == exchange.Blind {
				ballots++
			}
		default:
			continue
		}
		// A node whose parent was not kept is not kept either.
		parent, ok := ids[n.Parent]
		if !ok {
			continue
		}
		id := tree.NewID()
		ids[n.ID] = id
		n.ID, n.Parent, n.Seq = id, parent, 0
		out = append(out, n)
	}
	return out, ballots
}
