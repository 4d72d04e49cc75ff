// Package queues contains an engine's queues: prompts that wait in a project until they are executed, one run at a time.
//
// A queue is one tree under the ref queue/ and a hash of the folder: prompts, orders of persons and the result of each
// prompt, in the order they were added (package work/queue reads it). Each prompt becomes a run whose name is recorded
// before the run begins, so an interrupted queue continues with that run and begins none twice. Adding and dropping
// need no running process; [Run] executes the waiting prompts in this process, and [Stop] stops the queue in whichever
// process runs it. A prompt that fails does not hold up the next one; several failures in a row end the queue.
package queues

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Library answers queries about queues.
type Library struct {
	core   *engine.Core
	store  *store.Store
	engine *engine.Engine
}

// refs is the prefix of the refs of queues; a hash of the project's folder follows.
const refs = "queue/"

// With adds queues to an engine that has runs.
func With() func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, engine: e}, Shape: store.Shape{
			Firsts: map[string]store.First{refs: {Kind: string(queue.FrameKind), Filled: []string{"$.dir"}}},
			Texts:  map[string][]string{string(queue.AddKind): {"$.data"}},
		}}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// Info is the state of a queue.
type Info struct {
	queue.Queue
	Running bool `json:"running"` // by this or another process
}

// List lists the queue of a project, if it has one; dir empty: the queues of all projects.
func (l *Library) List(ctx context.Context, dir string) ([]Info, error) {
	tips, err := l.store.Tips(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := []Info{}
	for _, tip := range tips {
		f, ok := queue.FrameKind.Of(tip.Root)
		if !ok || dir != "" && f.Dir != dir {
			continue
		}
		running := l.core.Held(lock(f.Dir)) // again after the read: a queue that began or ended in between is not taken for stopped
		q, err := l.read(ctx, tip.Root.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, Info{q, running || l.core.Held(lock(f.Dir))})
	}
	slices.SortFunc(out, func(a, b Info) int { return strings.Compare(a.Dir, b.Dir) })
	return out, nil
}

func (l *Library) read(ctx context.Context, root tree.ID) (queue.Queue, error) {
	nodes, err := l.store.Tree(ctx, root)
	if err != nil {
		return queue.Queue{}, err
	}
	q, ok := queue.Read(nodes)
	if !ok {
		return q, l.store.Damage("the first node of a queue, " + string(root) + ", cannot be read")
	}
	return q, nil
}

// key is a project's folder in a form that fits into a name: refs cannot contain paths.
func key(dir string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:16] }

func lock(dir string) string { return "queue-" + key(dir) }

// of finds the queue of a project.
func (l *Library) of(ctx context.Context, dir string) (tree.ID, queue.Queue, error) {
	ref, err := l.store.Ref(ctx, refs+key(dir))
	if errors.Is(err, store.ErrNotFound) {
		return "", queue.Queue{}, &engine.Refusal{Message: "no prompts are queued in this project",
			Hint: `add one: socrates work queue add "…"`, Err: err}
	}
	if err != nil {
		return "", queue.Queue{}, err
	}
	q, err := l.read(ctx, ref.Head)
	return ref.Head, q, err
}

// Add puts a prompt at the end of a project's queue. Way is checked before the prompt is recorded: a missing seat or
// executor is reported now and not at night.
type Add struct {
	Dir   string
	Text  string
	Data  string   // text of the attached files
	Files []string // their names
	Way   way.Way  // its phases and how to execute them
}

// Do implements engine.Op.
func (op Add) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	if strings.TrimSpace(op.Text) == "" {
		return "", &engine.Refusal{Message: "no prompt given", Hint: `say what to do: socrates work queue add "…"`}
	}
	if err := runs.In(e).Fits(ctx, op.Dir, op.Way); err != nil {
		return "", err
	}
	unlock, err := l.core.Lock(ctx, lock(op.Dir)+"-add", &engine.Refusal{Message: "another process is adding a prompt", Hint: "try again"})
	if err != nil {
		return "", err
	}
	defer unlock()
	a := queue.Added{Number: 1, Text: op.Text, Files: op.Files, Way: op.Way}
	if op.Data != "" {
		if a.Data, err = l.store.PutBlob(ctx, op.Data); err != nil {
			return "", err
		}
	}
	root, q, err := l.of(ctx, op.Dir)
	if errors.Is(err, store.ErrNotFound) {
		first := queue.FrameKind.New("", "person", queue.Frame{Dir: op.Dir})
		_, err = l.store.AppendTo(ctx, refs+key(op.Dir), "", first.ID, first, queue.AddKind.New(first.ID, "person", a))
		return first.ID, err
	}
	if err != nil {
		return root, err
	}
	a.Number = len(q.Items) + 1
	_, err = l.store.Append(ctx, queue.AddKind.New(root, "person", a))
	return root, err
}

// Drop takes a prompt that has not begun out of a queue.
type Drop struct {
	Dir    string
	Number int
}

// Do implements engine.Op.
func (op Drop) Do(ctx context.Context, e *engine.Engine) (tree.ID, error) {
	l := In(e)
	root, q, err := l.of(ctx, op.Dir)
	if err != nil {
		return root, err
	}
	// The prompt may begin at this very moment: then it runs, and the order comes too late and has no effect.
	switch i := q.Item(op.Number); {
	case i == nil:
		return root, &engine.Refusal{Message: fmt.Sprintf("no prompt %d is queued", op.Number), Hint: "list them: socrates work queue list"}
	case i.State != queue.Waiting:
		return root, &engine.Refusal{Message: fmt.Sprintf("prompt %d is not waiting: it is %s", op.Number, i.State),
			Hint: "list them: socrates work queue list"}
	}
	_, err = l.store.Append(ctx, queue.OrderKind.New(root, "person", queue.Order{Verb: "drop", Number: op.Number}))
	return root, err
}
