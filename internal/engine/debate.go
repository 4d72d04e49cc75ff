package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Debate opens a room and starts it. Frame.Room and Frame.Rules are filled in; Frame.Rules.Refine is kept if it is set, and
// Confirm asks for the rules of a thorough debate.
type Debate struct {
	Frame   debate.Frame
	Context string   // the block every seat gets
	Edited  bool     // a person changed it
	History []string // rooms whose decisions the block shows
}

func (op Debate) do(ctx context.Context, e *Engine) (tree.ID, error) { return op.open(ctx, e) }

// open is do; more makes further nodes the room begins with.
func (op Debate) open(ctx context.Context, e *Engine, more ...func(root tree.Node) tree.Node) (tree.ID, error) {
	f := op.Frame
	rules, err := e.rules(ctx)
	if err != nil {
		return "", err
	}
	rules.Rehearsal = f.Rehearsal
	if f.Rules.Confirm {
		rules = rules.Deep()
		rules.Unanimous = true
	}
	if f.Rules.Refine.MinRounds > 0 {
		rules.Refine = f.Rules.Refine
	}
	f.Rules = rules
	text, err := e.store.PutBlob(ctx, op.Context)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(op.Context))
	return e.openRoom(ctx, f, func(root tree.Node) []tree.Node {
		nodes := []tree.Node{root, debate.ContextKind.New(root.ID, "code",
			debate.Context{Text: text, SHA256: hex.EncodeToString(sum[:]), Bytes: len(op.Context), Edited: op.Edited, History: op.History})}
		for _, make := range more {
			nodes = append(nodes, make(root))
		}
		return nodes
	})
}

// shelfOf is where the things of a folder are listed.
func shelfOf(dir string) string { return strings.TrimRight(filepath.ToSlash(dir), "/") }

// nameTries is how many names a room tries. One in some hundred thousand is taken; it must not fail a debate.
const nameTries = 64

// openRoom records a room under a name of its own and starts it. first makes the nodes it begins with, root included.
func (e *Engine) openRoom(ctx context.Context, f debate.Frame, first func(root tree.Node) []tree.Node) (tree.ID, error) {
	for try := 1; ; try++ {
		id := tree.NewID()
		f.Room = roomName(f.Question, id)
		if f.Rules.Cases && !f.SeedDraws() { // a fork has a key of its own
			key, err := drawKey(e, f.Room)
			if err != nil {
				return "", err
			}
			f.Seal(key)
		}
		root := debate.FrameKind.New("", "person", f)
		root.ID = id
		unlock, err := e.lockRoom(ctx, f.Room)
		if err != nil {
			return "", err
		}
		if _, err := e.store.Commit(ctx, store.Change{Nodes: first(root), Moves: []store.Move{{Ref: roomRefs + f.Room, To: id, Scope: shelfOf(f.Dir)}}}); err != nil {
			unlock()
			if errors.Is(err, store.ErrMoved) && try < nameTries {
				continue
			}
			return "", err
		}
		e.start(ctx, id, 0, func(ctx context.Context, j *job) error {
			defer unlock()
			defer e.sweep(ctx)
			return e.conduct(ctx, id, j)
		})
		return id, nil
	}
}

// Resume goes on with a room that did not end. What was recorded is not asked again. A room that has ended stays
// as it is; the id of its root is returned all the same.
type Resume struct{ Room string }

func (op Resume) do(ctx context.Context, e *Engine) (tree.ID, error) {
	root, f, err := e.frame(ctx, op.Room)
	if err != nil {
		return "", err
	}
	unlock, err := e.lockRoom(ctx, f.Room)
	if err != nil {
		return "", err
	}
	nodes, err := e.store.Tree(ctx, root.ID)
	if err == nil {
		_, _, err = e.frame(ctx, op.Room) // it may have been deleted meanwhile
	}
	if err == nil {
		err = e.store.Readable(nodes) // what was answered and cannot be read would be asked again, and paid again
	}
	if err != nil {
		unlock()
		return root.ID, err
	}
	e.start(ctx, root.ID, nodes[len(nodes)-1].Seq, func(ctx context.Context, j *job) error {
		defer unlock()
		if ended(nodes) {
			return nil // a job all the same: whoever watches sees the record and its end
		}
		return e.conduct(ctx, root.ID, j)
	})
	return root.ID, nil
}

// ended says whether a room has its closing node.
func ended(nodes []tree.Node) bool { return len(debate.EndKind.All(nodes)) > 0 }

// Interrupt ends the current round of a room that runs in this process: it decides from what is there.
type Interrupt struct{ Root tree.ID }

func (op Interrupt) do(_ context.Context, e *Engine) (tree.ID, error) {
	if j := e.job(op.Root); j != nil {
		j.interrupt()
	}
	return op.Root, nil
}

// Stop ends a room that runs in this process without a decision. It can be resumed.
type Stop struct {
	Root   tree.ID
	Reason string // for the record; empty: a person wanted it
}

func (op Stop) do(_ context.Context, e *Engine) (tree.ID, error) {
	if j := e.job(op.Root); j != nil {
		j.cancel(cancelled(op.Reason))
	}
	return op.Root, nil
}

// frame finds a room by name.
func (e *Engine) frame(ctx context.Context, room string) (tree.Node, debate.Frame, error) {
	var f debate.Frame
	ref, err := e.store.Ref(ctx, roomRefs+strings.TrimPrefix(room, roomRefs))
	if err != nil {
		return tree.Node{}, f, notFound("debate named "+room, "list debates: socrates debate list", err)
	}
	root, err := e.store.Root(ctx, ref.Head)
	if err != nil {
		return tree.Node{}, f, err
	}
	f, ok := frameOf(root)
	if !ok {
		return root, f, e.store.Damage("the first node of the debate " + strings.TrimPrefix(room, roomRefs) + " cannot be read")
	}
	return root, f, nil
}

// lockPatience is how long a lock is tried for: a look at whether a room runs may hold it for a moment.
const lockPatience = 300 * time.Millisecond

func (e *Engine) lockFile(name string) string {
	return filepath.Join(filepath.Dir(e.store.File()), "locks", name+".lock")
}

func (e *Engine) lockRoom(ctx context.Context, room string) (unlock func(), err error) {
	return e.lock(ctx, room, &Refusal{Message: "another process is running debate " + room, Hint: "watch it: socrates debate show " + room + " --follow"})
}

// lock makes sure that one process at a time runs a thing of this name; the others are refused. The lock dies with the
// process.
func (e *Engine) lock(ctx context.Context, name string, refused *Refusal) (unlock func(), err error) {
	ended := e.own.begin(name)
	defer func() {
		if err != nil {
			ended()
		}
	}()
	if err := e.store.Writable(); err != nil {
		return nil, err
	}
	path := e.lockFile(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	for end := time.Now().Add(lockPatience); ; {
		l := flock.New(path)
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if ok && isAt(l, path) {
			return func() {
				os.Remove(path) // first: who locks the removed file sees that it is not there
				l.Unlock()
				ended()
			}, nil
		}
		l.Unlock()
		if !ok && time.Now().After(end) {
			return nil, refused
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// isAt says whether the locked file is still the one at path: its last owner may have removed it meanwhile.
func isAt(l *flock.Flock, path string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// running says whether a process runs the thing of this name.
func (e *Engine) running(name string) bool {
	return peer.Held(e.lockFile(name))
}

// measuredRooms is how many of the latest rooms' control runs measure a checker.
const measuredRooms = 500

// rules are the shipped rules, with the ratios that the control runs of the latest rooms have lowered.
func (e *Engine) rules(ctx context.Context) (verdict.Rules, error) {
	nodes, err := e.store.Latest(ctx, string(debate.ControlsKind), measuredRooms)
	if err != nil {
		return verdict.Rules{}, err
	}
	controls := map[verdict.Grade]verdict.Controls{}
	for _, room := range debate.ControlsKind.All(nodes) {
		for grade, c := range room {
			controls[grade] = controls[grade].Plus(c)
		}
	}
	shipped := verdict.DefaultRules()
	return shipped.WithControls(controls).AtMost(shipped), nil // these controls are easy: they can show that a checker is bad, not that it is good
}

// roomName makes a name for a room; see speaking.
func roomName(question string, root tree.ID) string {
	question, _ = debate.SplitData(question)
	return speaking(question, "room", root)
}

// speaking makes a name people can type: three telling words of a text, or else the usual one, and the end of the root's id.
func speaking(question, usual string, root tree.ID) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 3 && len(w) < 16 && tree.CleanName(w) && !strings.Contains(" should would could which what when does that this with keep have will from into than then they there ", " "+w+" ") {
			words = append(words, w)
		}
	}
	words = words[:min(3, len(words))]
	if len(words) == 0 {
		words = []string{usual}
	}
	return strings.Join(words, "-") + "-" + string(root[len(root)-4:])
}
