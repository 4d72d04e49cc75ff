package tool

import (
	"slices"
	"sync"
)

// Background takes over running calls that a person sends there: they end for the model, and their work continues. It
// lists this work and the jobs that began in the background. It is a value of a Session, and safe for concurrent use.
type Background struct {
	mu   sync.Mutex
	open map[chan struct{}]bool
	jobs []Job
}

// Job is a command that runs, or ran, without its call. Its functions are safe for concurrent use.
type Job struct {
	ID      int
	Command string
	Look    func() (tail, state string, running bool) // the newest output; its state, in words
	End     func()                                    // ends it and waits until it has ended
}

// Add lists a job that has begun.
func (b *Background) Add(j Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, j)
}

// Jobs returns all jobs that have begun, including those that have ended, oldest first.
func (b *Background) Jobs() []Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.jobs)
}

// BackgroundOf returns that of a session.
func BackgroundOf(s *Session) *Background { return Of(s, func() *Background { return &Background{} }) }

// Offer says that a call can continue in the background. sent is closed when it is sent there; over withdraws the
// offer.
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

// Send sends all offered calls to the background, and reports whether there was one.
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
