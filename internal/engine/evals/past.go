package evals

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/tree"
)

// past is the record of a contest. For its rooms it has only their positions: all their nodes together are too many to hold.
type past struct {
	seq   int64       // of the last node
	own   []tree.Node // nodes that belong to no room
	rooms map[string]span
	bill  debate.Bill
}

// span is the position of a room's nodes in the store.
type span struct {
	frame       tree.ID
	first, last int64
}

func (p *past) ended() bool { return len(contest.EndKind.All(p.own)) > 0 }

func (p *past) limits() (l contest.Limits) {
	for _, l = range contest.LimitsKind.All(p.own) {
	}
	return l
}

// nodes reads the nodes of one room. Rooms of one contest interleave in the store: a room's nodes are those connected below its frame.
func (s span) nodes(ctx context.Context, l *Library, root tree.ID) ([]tree.Node, error) {
	var out []tree.Node
	inside := map[tree.ID]bool{}
	for n, err := range l.store.Since(ctx, s.first-1, root) {
		if err != nil {
			return nil, err
		}
		if n.Seq > s.last {
			break
		}
		if n.ID == s.frame || inside[n.Parent] {
			inside[n.ID] = true
			out = append(out, n)
		}
	}
	return out, nil
}
