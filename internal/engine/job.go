package engine

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Job is work that continues after Do has returned. Core.Start makes it, and it ends once. All its fields but err are
// constant from then on.
type Job struct {
	Stop <-chan struct{} // closed when the job should end its round
	// Interrupt may be called any number of times.
	Interrupt func() // closes Stop
	recorded  int64  // see Recorded
	cancel    context.CancelCauseFunc
	done      chan struct{}
	err       error // may be read once done is closed
}

// Start runs f as the job of a tree whose nodes up to recorded existed before. It returns at once. ctx is the one Do
// was given: its end cancels the job. The job replaces the tree's previous job, whose lock must have been released: the
// caller holds the lock and f releases it.
func (c *Core) Start(ctx context.Context, root tree.ID, recorded int64, f func(ctx context.Context, j *Job) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	j := &Job{recorded: recorded, Stop: stop, Interrupt: sync.OnceFunc(func() { close(stop) }), cancel: cancel, done: make(chan struct{})}
	c.mu.Lock()
	c.jobs[root] = j
	c.mu.Unlock()
	if c.began != nil {
		c.began(root, recorded)
	}
	shared := c.share()
	go func() {
		// Last of all: whoever waits finds the error set, the lock released and the snapshots removed.
		defer close(j.done)
		defer c.forget(root)
		defer shared()
		defer cancel(nil)
		defer func() { // a bug of ours ends the job, not a screen with other work on it
			if fault := recover(); fault != nil {
				j.err = crash.Caught(fault)
			}
		}()
		j.err = f(ctx, j)
	}()
}

// mostEnded is how many ended jobs are kept, so that callers can ask how they ended.
const mostEnded = 500

// forget records that the job of a tree has ended, and drops the one that ended the longest ago if there are many.
func (c *Core) forget(root tree.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended = append(c.ended, root); len(c.ended) <= mostEnded {
		return
	}
	if old := c.jobs[c.ended[0]]; old != nil {
		select {
		case <-old.done:
			delete(c.jobs, c.ended[0])
		default: // the tree has another running job
		}
	}
	c.ended = slices.Delete(c.ended, 0, 1)
}

func (c *Core) job(root tree.ID) *Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.jobs[root]
}

// endJobs cancels all jobs and waits for them.
func (c *Core) endJobs() {
	c.mu.Lock()
	jobs := c.jobs
	c.jobs = map[tree.ID]*Job{}
	c.mu.Unlock()
	for _, j := range jobs {
		j.cancel(nil)
		<-j.done
	}
}

// Recorded is the number of the last node a tree had before this process continued it: everything after it is news to
// everybody. It is 0 if this process began the tree, or has no job in it.
func (e *Engine) Recorded(root tree.ID) int64 {
	// The job is kept for a while after its end, so that callers can ask how it ended.
	if j := e.core.job(root); j != nil {
		return j.recorded
	}
	return 0
}

// Wait returns when the job of a tree has ended, with its error. Without a job it returns at once.
func (e *Engine) Wait(root tree.ID) error {
	j := e.core.job(root)
	if j == nil {
		return nil
	}
	<-j.done
	return j.err
}

// Running reports whether this process runs a job in a tree or a room.
func (e *Engine) Running(root tree.ID) bool {
	j := e.core.job(root)
	if j == nil {
		return false
	}
	select {
	case <-j.done:
		return false
	default:
		return true
	}
}

// Busy returns the roots of the trees in which this process runs a job.
func (e *Engine) Busy() []tree.ID {
	e.core.mu.Lock()
	roots := slices.Collect(maps.Keys(e.core.jobs))
	e.core.mu.Unlock()
	return slices.DeleteFunc(roots, func(r tree.ID) bool { return !e.Running(r) })
}

// Interrupt ends the current round of a room that runs in this process: the room decides from what it has.
type Interrupt struct{ Root tree.ID }

// Do implements Op.
func (op Interrupt) Do(_ context.Context, e *Engine) (tree.ID, error) {
	if j := e.core.job(op.Root); j != nil {
		j.Interrupt()
	}
	return op.Root, nil
}

// Stop ends a room that runs in this process without a decision. It can be resumed.
type Stop struct {
	Root   tree.ID
	Reason string // for the record; empty: a person stopped it
}

// Do implements Op.
func (op Stop) Do(_ context.Context, e *Engine) (tree.ID, error) {
	if j := e.core.job(op.Root); j != nil {
		j.cancel(cancelled(op.Reason))
	}
	return op.Root, nil
}

// stopReason is a cancellation that no person asked for.
type stopReason string

// Error is the reason itself.
func (s stopReason) Error() string { return string(s) }

// Is returns true for context.Canceled, so that callers who ask only whether a job was cancelled need not know of reasons.
func (stopReason) Is(err error) bool { return err == context.Canceled }

// cancelled is the cause of a cancellation; without a reason nil, the usual cause.
func cancelled(reason string) error {
	if reason == "" {
		return nil
	}
	return stopReason(reason)
}
