package rooms

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Debate opens a room and starts it. It sets Frame.Room and Frame.Rules, but keeps Frame.Rules.Refine if that is set;
// with Confirm it uses the rules of a thorough debate. The id is that of the room's first node; with a key it may be
// that of an earlier room, see once.go.
type Debate struct {
	Frame   table.Frame
	Context string   // the context block that every seat gets
	Edited  bool     // a person changed it
	Files   []string // those in the block, as they were named
	History []string // rooms whose decisions are in the block
	Name    string   // text for the room's name; empty: the question's first words
	Learn   string   // whether the learned outcomes count: on (also empty), lower or off
}

// Do implements engine.Op.
func (op Debate) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	if op.Frame.Key != "" {
		return op.once(ctx, e)
	}
	return op.open(ctx, In(e))
}

// open carries out the operation; more makes further nodes that the room begins with.
func (op Debate) open(ctx context.Context, l *Library, more ...func(root tree.Node) tree.Node) (tree.ID, error) {
	f := op.Frame
	wanted := f.Rules
	if err := taught(ctx, l.store, &f, op.Learn); err != nil {
		return "", err
	}
	f.Rules.Rehearsal = f.Rehearsal
	// The rules were replaced by learned ones; what the person asked for is applied on top.
	if wanted.Confirm {
		f.Rules = f.Rules.Deep()
		f.Rules.Unanimous = true
	}
	if wanted.Refine.MinRounds > 0 {
		f.Rules.Refine = wanted.Refine
	}
	if f.Follows != "" {
		tie, err := followed(ctx, l, f)
		if err != nil {
			return "", err
		}
		more = append(more, tie)
	}
	// Text is the hash of the stored text, SHA256 that of the given one: they differ if it contained a secret.
	text, err := l.store.PutBlob(ctx, op.Context)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(op.Context))
	return l.openRoom(ctx, cmp.Or(op.Name, f.Question), f, func(root tree.Node) []tree.Node {
		nodes := []tree.Node{root, table.ContextKind.New(root.ID, "code",
			table.Context{Text: text, SHA256: hex.EncodeToString(sum[:]), Bytes: len(op.Context), Edited: op.Edited, Files: op.Files,
				History: op.History})}
		for _, make := range more {
			nodes = append(nodes, make(root))
		}
		return nodes
	})
}

// scopeOf is the scope of the things of a folder.
func scopeOf(dir string) string { return strings.TrimRight(filepath.ToSlash(dir), "/") }

// openRoom records a room under a new name made from called, and starts it. first makes the nodes it begins with, root
// included. If the name is taken, it tries again with another id, since the name ends in letters of the id.
func (l *Library) openRoom(ctx context.Context, called string, f table.Frame,
	first func(root tree.Node) []tree.Node) (tree.ID, error) {
	for try := 1; ; try++ {
		id := tree.NewID()
		f.Room = roomName(called, id)
		if f.Rules.Cases && !f.SeedDraws() { // a fork has its own key
			key, err := drawKey(l.store.File(), f.Room)
			if err != nil {
				return "", err
			}
			f.Seal(key)
		}
		root := table.FrameKind.New("", "person", f)
		root.ID = id
		unlock, err := l.lockRoom(ctx, f.Room)
		if err != nil {
			return "", err
		}
		if _, err := l.store.Commit(ctx, store.Change{Nodes: first(root),
			Moves: []store.Move{{Ref: Refs + f.Room, To: id, Scope: scopeOf(f.Dir)}}}); err != nil {
			unlock()
			if errors.Is(err, store.ErrMoved) && try < engine.NameTries {
				continue
			}
			return "", err
		}
		l.core.Start(ctx, id, 0, func(ctx context.Context, j *engine.Job) error {
			defer unlock()
			// Each debate removes part of the expired trash, so that nobody has to remember it.
			defer l.core.PurgeTrash(ctx)
			return l.conduct(ctx, id, j)
		})
		return id, nil
	}
}

// Resume resumes a room that did not end. Recorded questions are not asked again. A room that has ended stays as it is;
// the id of its root is returned all the same.
type Resume struct{ Room string }

// Do implements engine.Op.
func (op Resume) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, f, err := l.frame(ctx, op.Room)
	if err != nil {
		return "", err
	}
	unlock, err := l.lockRoom(ctx, f.Room)
	if err != nil {
		return "", err
	}
	nodes, err := l.store.Tree(ctx, root.ID)
	if err == nil {
		_, _, err = l.frame(ctx, op.Room) // it may have been deleted in the meantime
	}
	if err == nil {
		err = l.store.Readable(nodes) // a recorded answer that cannot be read would be asked for, and paid, again
	}
	if err != nil {
		unlock()
		return root.ID, err
	}
	l.core.Start(ctx, root.ID, nodes[len(nodes)-1].Seq, func(ctx context.Context, j *engine.Job) error {
		defer unlock()
		if ended(nodes) {
			return nil // still a job: watchers see the record and its end
		}
		return l.conduct(ctx, root.ID, j)
	})
	return root.ID, nil
}

// ended reports whether a room has its closing node.
func ended(nodes []tree.Node) bool { return len(ruling.EndKind.All(nodes)) > 0 }

// frame finds a room by name.
func (l *Library) frame(ctx context.Context, room string) (tree.Node, table.Frame, error) {
	var f table.Frame
	ref, err := l.store.Ref(ctx, Refs+strings.TrimPrefix(room, Refs))
	if err != nil {
		return tree.Node{}, f, engine.NotFound("debate named "+room, "list debates: socrates debate list", err)
	}
	root, err := l.store.Root(ctx, ref.Head)
	if err != nil {
		return tree.Node{}, f, err
	}
	f, ok := frameOf(root)
	if !ok {
		return root, f, l.store.Damage("the first node of the debate " + strings.TrimPrefix(room, Refs) + " cannot be read")
	}
	return root, f, nil
}

// lockName is the lock of a room. Its prefix keeps it apart from the locks of other things: the room tree-x-1 is not the conversation x-1.
func lockName(room string) string { return "room-" + room }

// lockRoom keeps other processes from running a room.
func (l *Library) lockRoom(ctx context.Context, room string) (unlock func(), err error) {
	return l.core.Lock(ctx, lockName(room), &engine.Refusal{Message: "another process is running debate " + room,
		Hint: "watch it: socrates debate show " + room + " --follow"})
}

// roomName makes a name for a room from its question.
func roomName(question string, root tree.ID) string {
	question, _ = motion.Split(question)
	return tree.NameFor(question, "room", root)
}
