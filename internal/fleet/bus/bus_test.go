package bus

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// book is what a hub's handler was told, and what it says.
type book struct {
	mu      sync.Mutex
	queues  []string
	refused chan Refusal
	claims  chan fleet.Claim
	offers  chan string
	verdict fleet.Verdict
}

func newBook(queues ...string) *book {
	return &book{queues: queues, refused: make(chan Refusal, 1000), claims: make(chan fleet.Claim, 1000), offers: make(chan string, 1000), verdict: fleet.OK}
}

func (b *book) told(context.Context, string) (fleet.Told, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fleet.Told{Verdict: b.verdict}, nil
}

func (b *book) handler() Handler {
	return Handler{
		Offer: func(_ context.Context, w string, o fleet.Offer) (fleet.Admitted, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.offers <- w
			return fleet.Admitted{Queues: b.queues, Web: "https://hub.example:1"}, nil
		},
		Claim: func(_ context.Context, _ string, c fleet.Claim) (fleet.Claimed, error) {
			b.claims <- c
			return fleet.Claimed{Verdict: fleet.OK, Epoch: 1}, nil
		},
		Beat:    func(ctx context.Context, w string, _ fleet.Beat) (fleet.Told, error) { return b.told(ctx, w) },
		Node:    func(ctx context.Context, w string, _ fleet.Node) (fleet.Told, error) { return b.told(ctx, w) },
		Done:    func(ctx context.Context, w string, _ fleet.Done) (fleet.Told, error) { return b.told(ctx, w) },
		May:     func(ctx context.Context, w string, _ fleet.May) (fleet.Told, error) { return b.told(ctx, w) },
		Refused: func(r Refusal) { b.refused <- r },
	}
}

// within is how long a test waits for what must come, before it says that it did not.
func within(t testing.TB) context.Context {
	ctx, done := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(done)
	return ctx
}

// hub opens one, and serves until the test or stop ends it.
func hub(t testing.TB, o Options, b *book) (s *Server, stop func()) {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := Open(within(t), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, b.handler()) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			done()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return s, stop
}

// joined makes a worker's folder.
func joined(t testing.TB, s *Server, name string) (dir string) {
	t.Helper()
	token, err := s.Invite(name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), name)
	got, err := Join(within(t), token, dir)
	if err != nil || got != name {
		t.Fatal(got, err)
	}
	return dir
}

// worker connects one.
func worker(t testing.TB, dir string) *Client {
	t.Helper()
	c, err := Dial(within(t), dir, fleet.Offer{Build: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestATaskGoesToAWorkerOnce(t *testing.T) {
	b := newBook("pool_a")
	s, _ := hub(t, Options{}, b)
	c := worker(t, joined(t, s, "w1"))
	ctx := within(t)
	for range 3 { // putting it again changes nothing
		if err := s.Put(ctx, "pool_a", "t1"); err != nil {
			t.Fatal(err)
		}
	}
	task, reply, err := c.Next(ctx, "pool_a")
	if err != nil || task != "t1" {
		t.Fatal(task, err)
	}
	claimed, err := c.Claim(ctx, fleet.Claim{Task: task, Inst: "i", Reply: reply})
	if err != nil || claimed.Verdict != fleet.OK || claimed.Epoch != 1 {
		t.Fatalf("%+v %v", claimed, err)
	}
	told, err := c.Beat(ctx, fleet.Beat{Task: task, Epoch: 1})
	if err != nil || told.Verdict != fleet.OK {
		t.Fatal(told, err)
	}
	if has, err := s.Has(ctx, "t1"); err != nil || !has {
		t.Fatal(has, err)
	}
	if err := s.Ack((<-b.claims).Reply); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, "pool_a", "t2"); err != nil {
		t.Fatal(err)
	}
	if task, _, err := c.Next(ctx, "pool_a"); err != nil || task != "t2" {
		t.Fatal(task, err)
	}
	if left, err := s.Queued(ctx, "*"); err != nil || len(left) != 1 || left[0] != "t2" {
		t.Fatal(left, err)
	}
}
