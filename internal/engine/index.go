package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

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

// indexTime is how long one look at the index makes findable what is not: in a store of an older program that is all there
// is, and nobody waits for it. The newest comes first, and every look goes on with it.
const indexTime = time.Second

// indexedAtOnce is how many trees are looked up at once to be made findable, entriesAtOnce how many entries one commit writes.
const indexedAtOnce, entriesAtOnce = 50, 500

// catchUp makes findable what is not: rooms that an older program closed, and what was taken out of the trash.
func (e *Engine) catchUp(ctx context.Context) error {
	e.unindexed.Store(false)
	for _, class := range []struct {
		refs  string
		begun bool
	}{{noteRefs, true}, {roomRefs, false}} {
		if err := e.index(ctx, class.refs, class.begun, e.roomEntries); err != nil {
			return err
		}
	}
	return nil
}

// Unindexed says that the last look at the index left things out that cannot be found by their words yet.
func (e *Engine) Unindexed() bool { return e.unindexed.Load() }

// index makes trees of a class findable by the entries that it is given.
func (e *Engine) index(ctx context.Context, refs string, begun bool, entries func(nodes []tree.Node) []store.Entry) error {
	seen := map[tree.ID]bool{}
	for end := time.Now().Add(indexTime); ; {
		roots, err := e.store.Unknown(ctx, refs, begun, indexedAtOnce+len(seen))
		if err != nil {
			return err
		}
		roots = slices.DeleteFunc(roots, func(r tree.ID) bool { return seen[r] })
		if len(roots) == 0 {
			return nil
		}
		if time.Now().After(end) {
			e.unindexed.Store(true)
			return nil
		}
		var all []store.Entry
		for _, root := range roots {
			seen[root] = true
			nodes, err := e.store.Tree(ctx, root)
			if errors.Is(err, store.ErrDamaged) { // the others can be found all the same
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, entries(nodes)...)
		}
		for part := range slices.Chunk(all, entriesAtOnce) {
			if _, err := e.store.Commit(ctx, store.Change{Entries: part}); err != nil {
				return err
			}
		}
	}
}

// roomEntries are what a room or a note is found by.
func (e *Engine) roomEntries(nodes []tree.Node) []store.Entry {
	if nodes[0].Kind == string(talk.NoteKind) {
		return []store.Entry{noteEntry(nodes[0])}
	}
	res, err := debate.Summarize(nodes)
	if err != nil { // its record cannot be read: nothing of it will be found
		return []store.Entry{{Node: nodes[0].ID}}
	}
	return []store.Entry{entry(nodes[0].ID, res, gone(nodes))}
}
