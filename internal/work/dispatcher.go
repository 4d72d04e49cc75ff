package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// stale is why a worker's report is refused: the task was given to another one.
type stale struct {
	Task  string
	Epoch int
}

// Error names the claim that is no longer current.
func (e *stale) Error() string {
	return fmt.Sprintf("claim %d of step %s is not the current one", e.Epoch, e.Task)
}

// errIdle ends a silent worker.
var errIdle = errors.New("the agent was silent for longer than its idle timeout")

// dispatcher gives tasks to workers: claim, beat, and nodes with an epoch. All workers are in this process today;
// they affect the run only through these calls. It is safe for concurrent use. Epochs are read from the journal when
// a run is opened, so they continue where a killed process stopped.
type dispatcher struct {
	book *journal.Book
	root tree.ID
	idle time.Duration // 0: no limit

	mu     sync.Mutex
	epochs map[string]int
	beats  map[string]*time.Timer
}

// newDispatcher continues from the recorded claims.
func newDispatcher(book *journal.Book, root tree.ID, idle time.Duration) *dispatcher {
	h := &dispatcher{book: book, root: root, idle: idle, epochs: map[string]int{}, beats: map[string]*time.Timer{}}
	for _, c := range record.ClaimKind.All(book.Nodes) {
		h.epochs[laneOf(c)] = max(h.epochs[laneOf(c)], c.Epoch)
	}
	return h
}

// laneOf returns what has epochs of its own: a task, or in a race each racer of it.
func laneOf(c record.Claim) string {
	if c.Racer > 0 {
		return fmt.Sprintf("%s.%d", c.Task, c.Racer)
	}
	return c.Task
}

// claim gives a task to a worker, under the next epoch. The claim is recorded before the worker gets it.
func (h *dispatcher) claim(ctx context.Context, c record.Claim) (record.Claim, error) {
	h.mu.Lock()
	h.epochs[laneOf(c)]++
	c.Epoch = h.epochs[laneOf(c)]
	h.mu.Unlock()
	c.Key = fmt.Sprintf("%s/%d", laneOf(c), c.Epoch)
	return c, h.book.Add(ctx, record.ClaimKind.New(h.root, "code", c))
}

// watch returns the context of a claim's worker: it ends when no beat comes for too long. The returned function must
// be called when the worker has ended; it stops the timer.
func (h *dispatcher) watch(ctx context.Context, c record.Claim) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if h.idle <= 0 {
		return ctx, func() { cancel(nil) }
	}
	timer := time.AfterFunc(h.idle, func() { cancel(errIdle) })
	h.mu.Lock()
	h.beats[c.Key] = timer
	h.mu.Unlock()
	return ctx, func() {
		h.mu.Lock()
		delete(h.beats, c.Key)
		h.mu.Unlock()
		timer.Stop()
		cancel(nil)
	}
}

// beat reports that a worker is alive.
func (h *dispatcher) beat(c record.Claim) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.epochs[laneOf(c)] != c.Epoch {
		return &stale{c.Task, c.Epoch}
	}
	if timer := h.beats[c.Key]; timer != nil {
		timer.Reset(h.idle)
	}
	return nil
}

// report records a worker's report, unless its claim is no longer current. A report counts as a beat.
func (h *dispatcher) report(ctx context.Context, c record.Claim, nodes ...tree.Node) error {
	if err := h.beat(c); err != nil {
		return err
	}
	return h.book.Add(ctx, nodes...)
}
