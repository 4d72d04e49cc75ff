// Package worker executes tasks of a hub with the models of this machine. Its logins, keys and prompts to vendors
// stay here; only the model's output and a program's changes to files leave.
//
// For each seat and queue there are as many goroutines as the seat has slots. Each waits for a task, claims it, and
// lets the model answer while it sends beats. The model's output goes to the hub in numbered parts, repeated until
// the hub has them; so nothing is lost while the hub is away, and the model waits once too much is unsent.
//
// A worker that gets fleet.Stale stops at once and sends nothing more: another holds the task. A program that works
// on files asks the hub before each use of a tool, so while the hub is away it does nothing new.
package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// Answerer is a model that executes tasks.
type Answerer struct {
	fleet.Seat
	Model llm.Model
}

// Worker executes tasks until its context ends. Its exported fields are set before Run.
type Worker struct {
	Line  *bus.Client // Run repeats its offer at intervals, as a sign of life
	Seats []Answerer
	Offer fleet.Offer // the seats, as Line was dialled with
	Dir   string      // the folder of running tasks' folders; it is emptied first
	// Tell receives messages for the worker's owner. It may be called from any goroutine.
	Tell func(text string)

	inst    string
	mu      sync.Mutex                         // guards the fields below
	running map[string]context.CancelCauseFunc // by task
	folders map[string]bool                    // those that are worked in
	drained chan struct{}
	once    sync.Once
}

// Why a task ends early.
var (
	errStale  = errors.New("another worker has the task")
	errCancel = errors.New("the task was cancelled")
)

// Run executes tasks until ctx ends, or until Drain was called and its tasks are done. Tasks that it holds when ctx
// ends go to other workers after a lease.
func (w *Worker) Run(ctx context.Context) error {
	w.inst, w.running, w.folders = rand.Text(), map[string]context.CancelCauseFunc{}, map[string]bool{}
	if err := empty(w.Dir); err != nil {
		return err
	}
	queues, each := w.Line.Admitted().Queues, len(w.Offer.Pools)+1
	if len(queues) != len(w.Seats)*each {
		return fmt.Errorf("the hub named %d queues for %d seats in %d pools", len(queues), len(w.Seats), each)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go w.hear(ctx, stop)
	var all sync.WaitGroup
	for i, s := range w.Seats {
		mine := queues[i*each : (i+1)*each]
		slots := make(chan struct{}, max(s.Slots, 1))
		for range cap(slots) {
			for _, queue := range mine {
				all.Go(func() { w.serve(ctx, s, queue, slots) })
			}
		}
	}
	all.Wait()
	if err := w.Line.Err(); err != nil {
		return err
	}
	return nil
}

// hear executes unsolicited orders of the hub, and repeats the offer at intervals as a sign of life.
func (w *Worker) hear(ctx context.Context, stop context.CancelCauseFunc) {
	alive := time.NewTicker(max(w.Line.Admitted().Lease, time.Second))
	defer alive.Stop()
	for {
		select {
		case o := <-w.Line.Control():
			if o.Verdict == fleet.Again {
				w.offer(ctx)
				continue
			}
			w.told(o.Task, o.Verdict)
		case <-alive.C:
			w.offer(ctx)
		case <-w.Line.Gone(): // the hub shut it out
			stop(w.Line.Err())
			return
		case <-ctx.Done():
			return
		}
	}
}

// offer repeats the worker's offer, and tells its owner when the hub pauses it.
func (w *Worker) offer(ctx context.Context) {
	before := w.Line.Admitted().Paused
	try, done := context.WithTimeout(ctx, 10*time.Second)
	defer done()
	if w.Line.Offer(try, w.Offer) != nil {
		return
	}
	switch paused := w.Line.Admitted().Paused; {
	case paused && !before:
		w.Tell("Paused by the hub: running tasks finish, no new ones are accepted.")
	case before && !paused:
		w.Tell("Resumed by the hub.")
	}
}

// Drain lets the worker finish its tasks and take no more.
func (w *Worker) Drain() { w.once.Do(func() { close(w.idle()) }) }

// idle returns a channel that is closed when nothing more is taken.
func (w *Worker) idle() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drained == nil {
		w.drained = make(chan struct{})
	}
	return w.drained
}

// told executes the hub's order about a task.
func (w *Worker) told(task string, v fleet.Verdict) {
	if v == fleet.Drain {
		w.Tell("Drained by the hub: running tasks finish, then it exits.")
		w.Drain()
		return
	}
	w.mu.Lock()
	stop := w.running[task]
	w.mu.Unlock()
	switch {
	case stop == nil:
	case v == fleet.Cancel:
		stop(errCancel)
	case v == fleet.Stale:
		stop(errStale)
	}
}

// serve waits for tasks of a queue while a slot of the seat is free, and executes them. slots holds one for each
// running task. A task that arrives when another queue took the last slot is returned at once.
func (w *Worker) serve(ctx context.Context, s Answerer, queue string, slots chan struct{}) {
	taking, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-w.idle():
			end()
		case <-taking.Done():
		}
	}()
	for {
		select {
		case slots <- struct{}{}:
			<-slots // free now
		case <-taking.Done():
			return
		}
		task, reply, err := w.Line.Next(taking, queue)
		switch {
		case err != nil && taking.Err() != nil:
			return
		case err != nil: // the hub is away
			pause(taking, time.Second)
			continue
		}
		select {
		case slots <- struct{}{}:
			w.take(ctx, s, task, reply)
			<-slots
		default:
			w.Line.Claim(taking, fleet.Claim{Task: task, Reply: reply})
		}
	}
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// take claims a task and executes it. A task that this worker already executes is ignored: the queue delivered it
// twice.
func (w *Worker) take(run context.Context, s Answerer, task, reply string) {
	ctx, stop := context.WithCancelCause(run)
	defer stop(nil)
	w.mu.Lock()
	_, twice := w.running[task]
	if !twice {
		w.running[task] = stop
	}
	w.mu.Unlock()
	if twice {
		return
	}
	defer func() {
		w.mu.Lock()
		delete(w.running, task)
		w.mu.Unlock()
	}()
	c, err := w.Line.Claim(ctx, fleet.Claim{Task: task, Inst: w.inst, Reply: reply})
	if err != nil || c.Verdict != fleet.OK {
		return // it is delivered again, or belongs to another
	}
	w.Tell(fmt.Sprintf("%s: task %s began", scheme.Short(s.Spec), short(task)))
	began := time.Now()
	err = w.do(run, ctx, stop, s, task, c)
	how := "done"
	if err != nil {
		how = "ended: " + err.Error()
	}
	w.Tell(fmt.Sprintf("%s: task %s %s, after %s", scheme.Short(s.Spec), short(task), how, time.Since(began).Round(100*time.Millisecond)))
}

// short returns the beginning of a task's name.
func short(task string) string { return task[:min(len(task), 8)] }
