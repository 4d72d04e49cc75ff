package notes

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Note is a note and its origin.
type Note struct {
	memory.Note
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Tree  string    `json:"tree,omitempty"` // the conversation it was saved in; empty: none, or it no longer exists
	Until time.Time `json:"until,omitzero"` // the time until which it can be restored; zero: it is not forgotten
	ID    tree.ID   `json:"-"`
	Root  tree.ID   `json:"-"` // of that conversation
}

// note reads a note from its first node; false if that cannot be read. It is no error if the note's conversation no longer exists.
func (l *Library) note(ctx context.Context, root tree.Node) (Note, bool) {
	n, ok := memory.NoteKind.Of(root)
	out := Note{Note: n, By: root.By, At: root.At, ID: root.ID}
	if n.From != "" {
		if from, err := l.store.Root(ctx, n.From); err == nil {
			r, _ := talk.RootKind.Of(from)
			out.Tree, out.Root = r.Name, from.ID
		}
	}
	return out, ok && n.Text != ""
}

// notes lists the notes that apply in a folder (empty: all) under refs that begin with prefix, the newest first.
func (l *Library) notes(ctx context.Context, prefix, dir string) ([]Note, error) {
	tips, err := l.store.Tips(ctx, prefix)
	if err != nil {
		return nil, err
	}
	out := []Note{}
	for _, tip := range tips {
		if n, ok := l.note(ctx, tip.Root); ok && n.holds(dir) {
			if tip.Head.ID != tip.Root.ID {
				n.Until = tip.Head.At.Add(engine.TrashTime)
			}
			out = append(out, n)
		}
	}
	// Notes of the same millisecond are sorted by number.
	slices.SortFunc(out, func(a, b Note) int { return cmp.Or(b.At.Compare(a.At), b.Number-a.Number) })
	return out, nil
}

// lost returns the damage if no note of a class can be read; what names the notes.
func (l *Library) lost(ctx context.Context, class, what string) error {
	return l.store.Lost(ctx, class, what, func(t store.Tip) bool {
		_, ok := l.note(ctx, t.Root)
		return ok
	})
}

// mostFound is how many notes a search reads.
const mostFound = 500

// List lists the notes that apply in a folder (empty: all notes), the newest first. With words it lists those that have
// all of them, the best match first.
func (l *Library) List(ctx context.Context, dir, words string) ([]Note, error) {
	if strings.TrimSpace(words) == "" {
		out, err := l.notes(ctx, noteRefs, dir)
		if err != nil || len(out) > 0 {
			return out, err
		}
		// The folder may really have none; but none anywhere, although there are refs, is damage.
		if all, err := l.notes(ctx, noteRefs, ""); err != nil || len(all) > 0 {
			return out, err
		}
		return out, l.lost(ctx, noteRefs, "notes")
	}
	return l.findNotes(ctx, dir, store.Query{Text: words, Limit: mostFound})
}

// findNotes searches the notes that apply in a folder.
func (l *Library) findNotes(ctx context.Context, dir string, q store.Query) ([]Note, error) {
	if err := l.catchUp(ctx); err != nil {
		return nil, err
	}
	q.Kinds = []string{string(memory.NoteKind)}
	hits, err := l.store.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	out := []Note{}
	for _, h := range hits {
		root, err := l.store.Node(ctx, h.Node)
		if err != nil {
			return nil, err
		}
		if n, ok := l.note(ctx, root); ok && n.holds(dir) {
			out = append(out, n)
		}
	}
	return out, nil
}

// catchUp indexes notes that are not: those restored from the trash.
func (l *Library) catchUp(ctx context.Context) error {
	return l.core.Index(ctx, noteRefs, true, func(nodes []tree.Node) []store.Indexed { return []store.Indexed{indexed(nodes[0])} })
}

// holds reports whether a note applies in a folder; empty: in any.
func (n Note) holds(dir string) bool {
	there := strings.TrimRight(filepath.ToSlash(n.Dir), "/")
	return dir == "" || there == "" || strings.HasPrefix(filepath.ToSlash(dir)+"/", there+"/")
}

// Note finds a note by its number.
func (l *Library) Note(ctx context.Context, number int) (Note, error) {
	ref, err := l.store.Ref(ctx, noteRefs+strconv.Itoa(number))
	if err != nil {
		return Note{}, engine.NotFound(fmt.Sprintf("note %d", number),
			"list notes: socrates memory list (with --deleted: those in the trash)", err)
	}
	return l.NoteOf(ctx, ref.Head)
}

// NoteOf returns the note at a node.
func (l *Library) NoteOf(ctx context.Context, id tree.ID) (Note, error) {
	root, err := l.store.Node(ctx, id)
	n, _ := l.note(ctx, root)
	return n, err
}

// Forgotten lists the notes in the trash that applied in a folder (empty: all), the last forgotten first.
func (l *Library) Forgotten(ctx context.Context, dir string) ([]Note, error) {
	out, err := l.notes(ctx, store.TrashRefs+noteRefs, dir)
	slices.SortStableFunc(out, func(a, b Note) int { return b.Until.Compare(a.Until) })
	if err == nil && len(out) == 0 && dir == "" {
		err = l.lost(ctx, store.TrashRefs+noteRefs, "deleted notes")
	}
	return out, err
}

// Holding lists the notes that apply in a folder, the newest first.
func (l *Library) Holding(ctx context.Context, dir string) ([]Note, error) {
	return l.notes(ctx, noteRefs, dir)
}

// About finds the notes that share two meaningful words with a text, or one if the note or the text has no more.
//
// Notes that share two words come first.
func (l *Library) About(ctx context.Context, dir, text string) ([]Note, error) {
	words := store.Telling(text)
	if len(words) == 0 {
		return nil, nil
	}
	one, err := l.findNotes(ctx, dir, store.Query{Text: strings.Join(words, " "), Titles: true, Least: 1, Limit: mostFound})
	if err != nil || len(words) == 1 {
		return one, err
	}
	two, err := l.findNotes(ctx, dir, store.Query{Text: strings.Join(words, " "), Titles: true, Least: 2, Limit: mostFound})
	for _, n := range one {
		if len(store.Telling(n.Text)) == 1 {
			two = append(two, n)
		}
	}
	return two, err
}
