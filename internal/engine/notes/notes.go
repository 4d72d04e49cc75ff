package notes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/tree"
)

// noteRefs is the prefix of the refs of notes; their number follows.
const noteRefs = "memory/"

// longestNote is the maximum size of a note in bytes.
const longestNote = 4 << 10

// Keep saves a note, unless the same note is saved already. The id is that of the note, new or existing.
type Keep struct {
	Text string
	Dir  string  // it applies there and below; empty: everywhere
	From tree.ID // where in a conversation it is saved; empty: in none
	By   string  // the person, or the model they asked
}

// Do implements engine.Op.
func (op Keep) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	text := strings.TrimSpace(op.Text)
	if text == "" {
		return "", &engine.Refusal{Message: "the note is empty"}
	}
	if len(text) > longestNote {
		return "", &engine.Refusal{Message: fmt.Sprintf("the note is %d bytes; the limit is %d", len(text), longestNote),
			Hint: "shorten it, or save the name of a file"}
	}
	taken, gap := 0, 1
	for try := 1; ; try++ {
		// Numbers in the trash count, so that a note can be restored under its number. The loser of a race for a number tries the next one.
		number := 1
		for _, prefix := range []string{noteRefs, store.TrashRefs + noteRefs} {
			tips, err := l.store.Tips(ctx, prefix)
			if err != nil {
				return "", err
			}
			for _, tip := range tips {
				n, _ := memory.NoteKind.Of(tip.Root)
				if prefix == noteRefs && n.Text == text && n.Dir == op.Dir {
					return tip.Root.ID, nil
				}
				number = max(number, n.Number+1)
			}
		}
		if number <= taken { // by a note that is hidden from this person
			number, gap = taken+gap, 2*gap
		}
		taken = number
		root := memory.NoteKind.New("", op.By, memory.Note{Number: number, Text: text, Dir: op.Dir, From: op.From})
		_, err := l.store.Commit(ctx, store.Change{Nodes: []tree.Node{root}, Index: []store.Indexed{indexed(root)},
			Moves: []store.Move{{Ref: noteRefs + strconv.Itoa(number), To: root.ID}}})
		if err == nil || !errors.Is(err, store.ErrMoved) || try == engine.NameTries {
			return root.ID, err
		}
	}
}

// indexed returns the entry of a note for the index.
func indexed(root tree.Node) store.Indexed {
	n, _ := memory.NoteKind.Of(root)
	return store.Indexed{Node: root.ID, Scope: filepath.ToSlash(n.Dir), Title: n.Text}
}

// bin is the trash for notes.
func (l *Library) bin() engine.Bin {
	return engine.Bin{Is: "note", Refs: noteRefs, Command: "socrates memory",
		Find: func(ctx context.Context, called string) (tree.ID, string, error) {
			number, _ := strconv.Atoi(called)
			n, err := l.Note(ctx, number)
			return n.ID, called, err
		}}
}

// Forget moves notes to the trash, all or none.
type Forget struct{ Numbers []int }

// Do implements engine.Op.
func (op Forget) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	var names []string
	for _, number := range op.Numbers {
		names = append(names, strconv.Itoa(number))
	}
	return l.bin().Delete(ctx, l.core, names...)
}

// TakeBack takes a note out of the trash.
type TakeBack struct{ Number int }

// Do implements engine.Op.
func (op TakeBack) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	return l.bin().Restore(ctx, l.core, strconv.Itoa(op.Number))
}
