package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Engine gives access to one store. Close ends what is running.
type Engine struct {
	// Parts hold its address: an Engine is not copied.
	core  Core
	parts []Part
}

// Part is what a package of operations and queries adds to an engine. A Part belongs to one engine. Front ends query its Library.
type Part struct {
	Library any         // its queries, which [Of] finds by their type
	Shape   store.Shape // what the store must contain for its records to be readable
	// Close is called after all jobs have ended, in the order in which the parts were added.
	Close func() error // ends what the part runs between jobs; nil: nothing
}

// New makes an engine over an open store, which the caller closes after the engine. began is called for each job when
// it begins, with the number of the last node its tree had before; it may be nil.
//
// The parts are made in order; each may look up the libraries of those before it with Of. The snapshots and the locks
// of this process are beside the store's file.
func New(s *store.Store, began func(root tree.ID, recorded int64), parts ...func(*Engine, *Core) Part) *Engine {
	e := &Engine{core: Core{Store: s, began: began, jobs: map[tree.ID]*Job{}}}
	e.core.peers = peer.In(filepath.Join(filepath.Dir(s.File()), "growing"), s.Clean)
	s.OnCommit(e.core.Feed.Changed)
	for _, part := range parts {
		e.parts = append(e.parts, part(e, &e.core))
	}
	return e
}

// Of returns the library of an engine by its type. It panics if the engine lacks it, which is a programmer's mistake.
func Of[T any](e *Engine) T {
	for _, p := range e.parts {
		if t, ok := p.Library.(T); ok {
			return t
		}
	}
	var none T
	panic(fmt.Sprintf("the engine was made without %T", none))
}

// Op is an operation. It is a value that says what to do and holds no state. It may be done more than once, and by several goroutines.
type Op interface {
	Do(ctx context.Context, e *Engine) (tree.ID, error)
}

// Do carries out an op and returns once it is recorded, with the root of the tree it concerns unless the package's comment says otherwise.
// Anything that takes longer continues as a job: Wait for it. If the store is a copy, the op is carried out on the machine of the
// original.
func (e *Engine) Do(ctx context.Context, op Op) (tree.ID, error) {
	if e.core.mirror != nil {
		return e.core.mirror.Do(ctx, op)
	}
	return op.Do(ctx, e)
}

// Refusal is an error that a person must read: what was wrong, and what to do. Hint is the one next step, usually a
// command to paste; it may be empty. Err is the cause for errors.Is, nil if there is none: it is not printed.
type Refusal struct {
	Message, Hint string
	Err           error
}

// Error returns the message alone: the hint is printed below it.
func (r *Refusal) Error() string { return r.Message }

// Unwrap returns the cause, so that callers can tell refusals apart.
func (r *Refusal) Unwrap() error { return r.Err }

// NotFound turns the store's ErrNotFound into a refusal about the named thing.
//
// It returns nil for nil, and every other error as it is.
func NotFound(what, hint string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &Refusal{Message: "no " + what, Hint: hint, Err: err}
	}
	return err
}

// Close cancels all jobs and waits for them, and closes the parts, whose errors it returns. Nothing may be called on
// the engine afterwards. The store stays open.
func (e *Engine) Close() (err error) {
	e.core.endJobs()
	for _, p := range e.parts {
		if p.Close != nil {
			err = errors.Join(err, p.Close())
		}
	}
	e.core.peers.Leave()
	return err
}

// Text returns a text that a node names by its hash. The error is store.ErrNotFound if there is no such text.
func (e *Engine) Text(ctx context.Context, hash string) (string, error) {
	return e.core.Store.Blob(ctx, hash)
}

// Called returns the name, without its class, of the first ref of these classes into the tree of a node; empty: none.
func (e *Engine) Called(ctx context.Context, id tree.ID, classes ...string) string {
	root, err := e.core.Store.Root(ctx, id)
	if err != nil {
		return ""
	}
	for _, class := range classes {
		if refs, err := e.core.Store.Refs(ctx, class, root.ID); err == nil && len(refs) > 0 {
			return strings.TrimPrefix(refs[0].Name, class)
		}
	}
	return ""
}

// Tree returns all nodes under root, in the order of commit, all branches together, so it costs the whole tree.
func (e *Engine) Tree(ctx context.Context, root tree.ID) ([]tree.Node, error) {
	return e.core.Store.Tree(ctx, root)
}

// LastSeq is the number of the node that was committed last, by any process; 0: there is none.
func (e *Engine) LastSeq(ctx context.Context) (int64, error) { return e.core.Store.Version(ctx) }

// Check looks for damage in the store and returns what it finds as sentences. Unless whole is set, it skips checks that read every node
// and text.
func (e *Engine) Check(ctx context.Context, whole bool) ([]string, error) {
	all := store.Shape{Firsts: map[string]store.First{}, Texts: map[string][]string{}}
	for _, p := range e.parts {
		maps.Copy(all.Firsts, p.Shape.Firsts)
		maps.Copy(all.Texts, p.Shape.Texts)
	}
	return e.core.Store.Check(ctx, whole, all)
}

// Sound returns the damage if a node of a tree cannot be read.
func (e *Engine) Sound(ctx context.Context, root tree.ID) error { return e.core.Store.Sound(ctx, root) }
