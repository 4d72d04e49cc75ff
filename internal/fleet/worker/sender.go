package worker

import (
	"context"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/llm"
)

// How long deltas wait to be sent together, and how many unsent bytes make the model wait.
const (
	gather = 100 * time.Millisecond
	room   = 4 << 20
)

// sender sends deltas to the hub, in order and each once, in parts. It belongs to one task; add and finish to one
// goroutine.
type sender struct {
	run context.Context
	t   *task

	mu     sync.Mutex  // guards the fields below
	queue  []llm.Delta // from the number first on
	first  int
	flying int           // how many of queue are being sent
	size   int           // bytes of queue, about
	failed error         // the hub wants no more
	closed bool          // the rest goes with the report
	moved  chan struct{} // closed when something was sent or failed
	wake   chan struct{} // has one if there is something to send
	hurry  chan struct{} // has one if it should not wait for more
}

// newSender returns a sender that sends until run ends.
func newSender(run context.Context, t *task) *sender {
	return &sender{run: run, t: t, moved: make(chan struct{}), wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
}

// add queues a delta. It waits while too much is unsent.
func (s *sender) add(ctx context.Context, d llm.Delta) error {
	s.mu.Lock()
	first := s.size == 0 && s.first == 0 && len(s.queue) == 0
	s.join(d)
	s.mu.Unlock()
	if first {
		go s.work()
	}
	if d.End == nil { // the end goes with the report, which follows
		if !d.Part() || d.Text == "" && d.Think == "" {
			signal(s.hurry)
		}
		signal(s.wake)
	}
	for {
		s.mu.Lock()
		full, err, moved := s.size > room, s.failed, s.moved
		s.mu.Unlock()
		if err != nil || !full {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// signal puts one into a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// join appends a delta; text is merged with unsent text before it. The caller holds mu.
func (s *sender) join(d llm.Delta) {
	if n := len(s.queue) - 1; n >= s.flying && n >= 0 && weight(s.queue[n]) < mostPart {
		switch last := &s.queue[n]; {
		case d.Text != "" && last.Text != "":
			last.Text += d.Text
			s.size += len(d.Text)
			return
		case d.Think != "" && last.Think != "":
			last.Think += d.Think
			s.size += len(d.Think)
			return
		}
	}
	s.size += weight(d)
	s.queue = append(s.queue, d)
}

// weight returns the approximate size of a delta in bytes.
func weight(d llm.Delta) int {
	n := 100 + len(d.Text) + len(d.Think)
	if d.Call != nil {
		n += len(d.Call.Args)
	}
	if d.Result != nil {
		n += len(d.Result.Text)
	}
	if d.End != nil {
		n += d.End.Message.Bytes()
	}
	return n
}

// mostPart is the approximate size of a part in bytes; one delta may be larger.
const mostPart = 256 << 10

// work sends queued deltas until the hub wants no more.
func (s *sender) work() {
	for range s.wake {
		select {
		case <-time.After(gather):
		case <-s.hurry:
		}
		for s.part() {
		}
		s.mu.Lock()
		over := s.failed != nil
		s.mu.Unlock()
		if over {
			return
		}
	}
}

// part sends as much of the queue as fits into one message. False: nothing is left, or nothing more is wanted.
func (s *sender) part() bool {
	s.mu.Lock()
	n, size := 0, 0
	for !s.closed && n < len(s.queue) && (n == 0 || size+weight(s.queue[n]) <= mostPart) {
		size += weight(s.queue[n])
		n++
	}
	deltas, first := append([]llm.Delta(nil), s.queue[:n]...), s.first
	s.flying = n
	s.mu.Unlock()
	if n == 0 {
		return false
	}
	told, err := s.t.w.Line.Node(s.run, fleet.Node{Task: s.t.name, Epoch: s.t.claim.Epoch, First: first, Deltas: deltas})
	err = outcome(told, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying = 0
	if s.failed = err; err == nil {
		have := min(max(told.Have-s.first, 0), len(s.queue))
		for _, d := range s.queue[:have] {
			s.size -= weight(d)
		}
		s.queue, s.first = s.queue[have:], s.first+have
	}
	close(s.moved)
	s.moved = make(chan struct{})
	return err == nil && len(s.queue) > 0
}

// finish sends all but what fits into the final report: the deltas from the number first on. Nothing is sent after
// it.
func (s *sender) finish(ctx context.Context) (first int, left []llm.Delta, err error) {
	defer close(s.wake)
	for {
		s.mu.Lock()
		s.closed = s.closed || s.size <= mostPart || len(s.queue) < 2 || s.failed != nil
		over, moved := s.closed && s.flying == 0, s.moved
		first, left, err = s.first, s.queue, s.failed
		s.mu.Unlock()
		if over {
			return first, left, err
		}
		signal(s.hurry)
		signal(s.wake)
		select {
		case <-moved:
		case <-ctx.Done():
			return first, nil, context.Cause(ctx)
		}
	}
}
