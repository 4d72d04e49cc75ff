package tool

import (
	"slices"
	"sync"
)

// Background is where a person sends calls that run: they end for the model, and what they do goes on. It has a list of what goes on
// there, also of what began there. It is a value of a Session, and safe for concurrent use.
type Background struct {
	mu   sync.Mutex
	open map[chan struct{}]bool
	jobs []Job
}

// Job is a command that goes on, or went on, without its call. Its functions are safe for concurrent use.
type Job struct {
	ID      int
	Command string
	Look    func() (tail, state string, running bool) // the newest of what it said; how it is with it, in words
	End     func()                                    // ends it, and waits for that
}

// Add lists a job that has begun.
func (b *Background) Add(j Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, j)
}

// Jobs are all that have begun, also those that have ended, oldest first.
func (b *Background) Jobs() []Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.jobs)
}

// BackgroundOf is that of a session.
func BackgroundOf(s *Session) *Background { return Of(s, func() *Background { return &Background{} }) }

// Offer says that a call can go on in the background. sent is closed when it is sent there; over takes the offer back.
func (b *Background) Offer() (sent <-chan struct{}, over func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[chan struct{}]bool{}
	}
	c := make(chan struct{})
	b.open[c] = true
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.open, c)
	}
}

// Send sends all calls on offer to the background, and says whether there was one.
func (b *Background) Send() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	some := len(b.open) > 0
	for c := range b.open {
		close(c)
	}
	clear(b.open)
	return some
}
