package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// framed are the kinds of the nodes that rooms are found by.
var framed = []string{string(debate.FrameKind)}

// entry is what a room is found by. A room that decided nothing is known and never found.
func entry(root tree.ID, res debate.Result, gone *debate.Superseded) store.Entry {
	e := store.Entry{Node: root, Scope: filepath.ToSlash(res.Dir)}
	if !res.Outcome.Decision() {
		return e
	}
	e.Title, e.Body = res.Digest().Text()
	if gone != nil {
		e.Body += "\nsuperseded by " + gone.By + "\n" + gone.Reason
	}
	return e
}

// gone is what the nodes of a room say took the place of its decision, nil if nothing did.
func gone(nodes []tree.Node) *debate.Superseded {
	all := debate.SupersededKind.All(nodes)
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// catchUp makes findable what is not: rooms that an older program closed, and what was taken out of the trash.
func (e *Engine) catchUp(ctx context.Context) error {
	unknown, err := e.store.Unknown(ctx, roomRefs, false)
	if err != nil {
		return err
	}
	notes, err := e.store.Unknown(ctx, noteRefs, true)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(append(unknown, notes...), 50) {
		var c store.Change
		for _, root := range batch {
			nodes, err := e.store.Tree(ctx, root)
			if errors.Is(err, store.ErrDamaged) { // the others can be found all the same
				continue
			}
			if err != nil {
				return err
			}
			if nodes[0].Kind == string(talk.NoteKind) {
				c.Entries = append(c.Entries, noteEntry(nodes[0]))
				continue
			}
			res, err := debate.Summarize(nodes)
			if err != nil { // its record cannot be read: nothing of it will be found
				c.Entries = append(c.Entries, store.Entry{Node: root})
				continue
			}
			c.Entries = append(c.Entries, entry(root, res, gone(nodes)))
		}
		if _, err := e.store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
