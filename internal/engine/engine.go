package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/peer"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Wiring is what the engine is given from outside: it knows no vendor and no tool by name.
type Wiring struct {
	// Seat makes the model behind a seat's spec.
	Seat func(ctx context.Context, spec string) (llm.Model, error)
	// Join knows the seat of a spec that joins the table of a frame where names are taken; nil: nobody can join.
	Join func(ctx context.Context, spec string, f debate.Frame, names []string) (debate.SeatInfo, error)
	// Attended says that a person is there who can be asked and waited for.
	Attended bool
	// Tools are what seats read with.
	Tools []tool.Tool
	// Views are what programs are shown of a project that is too large to be copied in a moment; nil: every project is copied.
	Views *git.Views
	// Look makes the function that checks evidence in a room, and what ends it.
	Look func(f debate.Frame) (look func(context.Context, verdict.Evidence) debate.Observation, end func() error)
	// Program runs a program in dir, which judges an answer there, and says whether it ended with status 0.
	Program func(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error)
	// Work is what conversations with an agent need.
	Work Work
	// Began is told of each job as it begins, with the number of the last node its tree had before; nil: nobody is.
	Began func(root tree.ID, recorded int64)
}

// Engine runs debates over one store. Close it to end what is running.
type Engine struct {
	store   *store.Store
	feed    feed.Feed
	lookout lookout
	peers   *peer.Peers
	sharer  sharer
	own     ownLocks
	// unindexed: see Unindexed.
	unindexed atomic.Bool
	wiring    Wiring

	mu    sync.Mutex
	jobs  map[tree.ID]*job
	desks map[tree.ID]*desk
}

// New makes an engine over an open store, which stays the caller's to close after the engine.
func New(s *store.Store, w Wiring) *Engine {
	e := &Engine{store: s, wiring: w, jobs: map[tree.ID]*job{}, desks: map[tree.ID]*desk{}}
	e.peers = peer.In(filepath.Join(filepath.Dir(s.File()), "growing"), s.Clean)
	s.OnCommit(e.feed.Changed)
	return e
}

// Op goes into the engine. The set is sealed; each op has a file.
type Op interface {
	do(ctx context.Context, e *Engine) (tree.ID, error)
}

// Do carries out an op and returns once it is recorded, with the root of the tree it concerns, where the package's comment says
// nothing else. What takes longer goes on as a job: Wait for it.
func (e *Engine) Do(ctx context.Context, op Op) (tree.ID, error) { return op.do(ctx, e) }

// Refusal is an error a user must read: what was wrong, and what to do.
type Refusal struct {
	Message, Hint string
	Err           error
}

func (r *Refusal) Error() string { return r.Message }

func (r *Refusal) Unwrap() error { return r.Err }

// job is something that goes on after Do has returned.
type job struct {
	recorded  int64           // see Recorded
	stop      <-chan struct{} // closed by interrupt
	interrupt func()
	cancel    context.CancelCauseFunc
	done      chan struct{}
	err       error // read after done
}

// start runs f as the job of a tree whose nodes up to recorded were there before.
func (e *Engine) start(ctx context.Context, root tree.ID, recorded int64, f func(ctx context.Context, j *job) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	j := &job{recorded: recorded, stop: stop, interrupt: sync.OnceFunc(func() { close(stop) }), cancel: cancel, done: make(chan struct{})}
	e.mu.Lock()
	e.jobs[root] = j
	e.mu.Unlock()
	if e.wiring.Began != nil {
		e.wiring.Began(root, recorded)
	}
	shared := e.share()
	go func() {
		defer close(j.done)
		defer shared()
		defer cancel(nil)
		defer func() { // a fault of ours ends the job, and not a screen with other work on it
			if fault := recover(); fault != nil {
				j.err = fmt.Errorf("internal error, please report it: %v\n%s", fault, debug.Stack())
			}
		}()
		j.err = f(ctx, j)
	}()
}

func (e *Engine) job(root tree.ID) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.jobs[root]
}

// Recorded is the number of the last node a tree had before this process went on with it: what comes after is news to
// everybody. It is 0 of a tree this process began, and without a job.
func (e *Engine) Recorded(root tree.ID) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[root]; j != nil {
		return j.recorded
	}
	return 0
}

// Wait returns when the job of a tree has ended, with its error. Without a job it returns at once.
func (e *Engine) Wait(root tree.ID) error {
	j := e.job(root)
	if j == nil {
		return nil
	}
	<-j.done
	return j.err
}

// Close cancels all jobs and waits for them. Its error is a *Steering: what was still at work changed what steers tools.
func (e *Engine) Close() (err error) {
	e.mu.Lock()
	jobs := e.jobs
	e.jobs = map[tree.ID]*job{}
	e.mu.Unlock()
	for _, j := range jobs {
		j.cancel(nil)
		<-j.done
	}
	for _, d := range e.desks {
		d.warm.close()
		if d.extension != nil && d.extension.Close != nil {
			d.extension.Close()
		}
		d.session.Close() // what could not be ended is not ours any more
		if d.lookout != nil && d.left {
			err = errors.Join(err, d.lookout.Look())
		}
	}
	e.peers.Leave()
	return err
}

// Text opens a text that a node names by its hash.
func (e *Engine) Text(ctx context.Context, hash string) (string, error) {
	return e.store.Blob(ctx, hash)
}

// Tree returns all nodes under root.
func (e *Engine) Tree(ctx context.Context, root tree.ID) ([]tree.Node, error) {
	return e.store.Tree(ctx, root)
}

// notFound turns the store's word into a refusal about the named thing.
func notFound(what, hint string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &Refusal{Message: "no " + what, Hint: hint, Err: err}
	}
	return err
}
