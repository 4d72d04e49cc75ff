package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Engine is the door to one store. Close it to end what is running.
type Engine struct {
	// Parts have its address: an Engine is not copied.
	core  Core
	parts []Part
}

// Part is what a package of operations and queries adds to an engine.
// A Part belongs to one engine. Its Library is what front ends query.
type Part struct {
	Library any         // its queries, which [Of] finds by their type
	Shape   store.Shape // what the store must hold for its records to be read
	// It is called after all jobs have ended, in the order in which the parts were added.
	Close func() error // ends what it runs between jobs; nil: nothing
}

// New makes an engine over an open store, which stays the caller's to close after the engine. began is told of each job as it
// begins, with the number of the last node its tree had before; nil: nobody is.
//
// The parts are made in their order, each of which may look for the libraries of those before it with Of. The
// snapshots of this process, and its locks, lie beside the store's file.
func New(s *store.Store, began func(root tree.ID, recorded int64), parts ...func(*Engine, *Core) Part) *Engine {
	e := &Engine{core: Core{Store: s, began: began, jobs: map[tree.ID]*Job{}}}
	e.core.peers = peer.In(filepath.Join(filepath.Dir(s.File()), "growing"), s.Clean)
	s.OnCommit(e.core.Feed.Changed)
	for _, part := range parts {
		e.parts = append(e.parts, part(e, &e.core))
	}
	return e
}

// Of finds the library of an engine by its type. An engine without it was made wrong.
func Of[T any](e *Engine) T {
	for _, p := range e.parts {
		if t, ok := p.Library.(T); ok {
			return t
		}
	}
	var none T
	panic(fmt.Sprintf("the engine was made without %T", none))
}

// Op goes into the engine.
// An Op is a value that holds what is wanted and no state. It may be done more than once, and by several goroutines.
type Op interface {
	Do(ctx context.Context, e *Engine) (tree.ID, error)
}

// Do carries out an op and returns once it is recorded, with the root of the tree it concerns, where the package's comment says
// nothing else. What takes longer goes on as a job: Wait for it. Over a copy of a store it is carried out where that is.
func (e *Engine) Do(ctx context.Context, op Op) (tree.ID, error) {
	if e.core.mirror != nil {
		return e.core.mirror.Do(ctx, op)
	}
	return op.Do(ctx, e)
}

// Refusal is an error a user must read: what was wrong, and what to do.
// Hint is the one next step, usually a command to paste; it may be empty. Err is the cause for errors.Is, nil if
// there is none: it is not printed.
type Refusal struct {
	Message, Hint string
	Err           error
}

// Error is the message alone: the hint is printed below it.
func (r *Refusal) Error() string { return r.Message }

// Unwrap gives the cause, so that callers can tell refusals apart.
func (r *Refusal) Unwrap() error { return r.Err }

// NotFound turns the store's word into a refusal about the named thing.
//
// It returns nil for nil, and every other error as it is.
func NotFound(what, hint string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &Refusal{Message: "no " + what, Hint: hint, Err: err}
	}
	return err
}

// Close cancels all jobs and waits for them, and ends what the parts run. Its error is theirs.
// Nothing may be called on the engine afterwards. The store stays open.
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

// Text opens a text that a node names by its hash.
// The error is store.ErrNotFound if there is no such text.
func (e *Engine) Text(ctx context.Context, hash string) (string, error) {
	return e.core.Store.Blob(ctx, hash)
}

// Tree returns all nodes under root.
// They come in the order of commit, all branches of the tree together, so it costs the whole tree.
func (e *Engine) Tree(ctx context.Context, root tree.ID) ([]tree.Node, error) {
	return e.core.Store.Tree(ctx, root)
}

// LastSeq is the number of the node that was committed last, by any process; 0: there is none.
func (e *Engine) LastSeq(ctx context.Context) (int64, error) { return e.core.Store.Version(ctx) }

// Check looks for damage in the store and returns what it finds, in sentences. Unless whole is set it leaves out what reads
// every node and text.
func (e *Engine) Check(ctx context.Context, whole bool) ([]string, error) {
	all := store.Shape{Firsts: map[string]store.First{}, Texts: map[string][]string{}}
	for _, p := range e.parts {
		maps.Copy(all.Firsts, p.Shape.Firsts)
		maps.Copy(all.Texts, p.Shape.Texts)
	}
	return e.core.Store.Check(ctx, whole, all)
}

// Sound is nil if every node of a tree can be read, and else the damage.
func (e *Engine) Sound(ctx context.Context, root tree.ID) error { return e.core.Store.Sound(ctx, root) }
