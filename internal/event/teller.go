package event

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Hook is someone who wants to be told: by Command or by URL, one of which is set.
// Command is started without a shell, in the person's home folder.
type Hook struct {
	Name    string
	On      []Name
	Command []string
	URL     string
	Secret  string // signs what is sent to URL; empty: nothing does
}

// Target names whom a hook tells, for people: a program without its arguments, a server without the path.
// What could be a secret is left out: arguments, and everything of an address behind its host.
func (h Hook) Target() string {
	if len(h.Command) > 0 {
		return filepath.Base(h.Command[0])
	}
	u, err := url.Parse(h.URL)
	if err != nil {
		return "a webhook"
	}
	return u.Scheme + "://" + u.Host
}

// deadline is how long telling one hook of one event may take, all tries together.
const deadline = 10 * time.Second

// Tell tells the hook of an event and returns how that went, in a few words. The error says why it did not go.
func (h Hook) Tell(ctx context.Context, e Event) (string, error) {
	body, err := e.JSON()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deadline, errDeadline)
	defer cancel()
	if len(h.Command) > 0 {
		return h.run(ctx, e.Name, body)
	}
	return h.post(ctx, body)
}

// Teller tells hooks of events while something else goes on. Each hook hears in the order in which it was told.
// Tell and Close are for one goroutine; hooks are told in goroutines of their own.
type Teller struct {
	hooks  []Hook
	failed func(Hook, Event, error)
	ctx    context.Context
	cancel context.CancelFunc
	last   []chan struct{} // by hook: closed once it has heard of the last event
	all    sync.WaitGroup
	open   atomic.Int32
}

// NewTeller makes a teller. failed hears what could not be told, possibly from several goroutines at once.
func NewTeller(hooks []Hook, failed func(Hook, Event, error)) *Teller {
	t := &Teller{hooks: hooks, failed: failed, last: make([]chan struct{}, len(hooks))}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// Tell begins to tell every hook that wants to hear of it, and returns at once.
func (t *Teller) Tell(e Event) {
	for i, h := range t.hooks {
		if !slices.Contains(h.On, e.Name) {
			continue
		}
		// Each hook waits for its own event before, and for no other hook.
		before, done := t.last[i], make(chan struct{})
		t.last[i] = done
		t.open.Add(1)
		t.all.Go(func() {
			defer t.open.Add(-1)
			defer close(done)
			if before != nil {
				<-before // it ends by its deadline
			}
			if _, err := h.Tell(t.ctx, e); err != nil {
				t.failed(h, e, err)
			}
		})
	}
}

// Open is how many hooks are yet to hear of something.
func (t *Teller) Open() int { return int(t.open.Load()) }

// Close waits until everybody has heard. When ctx ends, those who have not are given up, within a second.
// It must be called, and nothing may be told afterwards.
func (t *Teller) Close(ctx context.Context) {
	defer context.AfterFunc(ctx, t.cancel)()
	t.all.Wait()
	t.cancel()
}
