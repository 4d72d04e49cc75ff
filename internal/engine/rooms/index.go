package rooms

import (
	"context"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// framed are the kinds of the nodes that searches for rooms return.
var framed = []string{string(table.FrameKind)}

// indexed returns the index entry of a room. A room that decided nothing is known to the index and never found.
func indexed(root tree.ID, res debate.Result, gone *ruling.Superseded) store.Indexed {
	e := store.Indexed{Node: root, Scope: filepath.ToSlash(res.Dir)}
	if !res.Outcome.Decision() {
		return e
	}
	e.Title, e.Body = res.Digest().Text()
	if gone != nil {
		e.Body += "\nsuperseded by " + gone.By + "\n" + gone.Reason
	}
	return e
}

// gone returns what superseded the decision of a room, according to its nodes; nil if nothing did.
func gone(nodes []tree.Node) *ruling.Superseded {
	all := ruling.SupersededKind.All(nodes)
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// catchUp indexes debates that are not: those that an older program closed, and those restored from the trash.
func (l *Library) catchUp(ctx context.Context) error {
	return l.core.Index(ctx, Refs, false, func(nodes []tree.Node) []store.Indexed {
		res, err := debate.Summarize(nodes)
		if err != nil { // its record cannot be read: it will not be found
			return []store.Indexed{{Node: nodes[0].ID}}
		}
		return []store.Indexed{indexed(nodes[0].ID, res, gone(nodes))}
	})
}
