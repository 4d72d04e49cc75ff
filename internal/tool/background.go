package tool

import "sync"

// Background is where a person sends calls that run: they end for the model, and what they do goes on. It is a
// value of a Session, and safe for concurrent use.
type Background struct {
	mu   sync.Mutex
	open map[chan struct{}]bool
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
