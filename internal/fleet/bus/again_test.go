package bus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// arrives waits for what must come.
func arrives[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-within(t).Done():
		t.Fatal("it does not come")
		panic("unreachable")
	}
}

func TestWorkersComeBackWhenTheHubDoes(t *testing.T) {
	b := newBook("p_a")
	s, stop := hub(t, Options{}, b)
	r := newRelay(t, s)
	c := worker(t, r.through(t, joined(t, s, "w1")))
	ctx := within(t)
	for _, task := range []string{"t1", "t2"} {
		if err := s.Put(ctx, "p_a", task); err != nil {
			t.Fatal(err)
		}
	}
	first, _, err := c.Next(ctx, "p_a")
	if err != nil || first != "t1" {
		t.Fatal(first, err)
	}
	r.to(t, nil)
	stop()
	r.cut()

	// Away: a call says so when its time is over, and one that has time waits.
	short, done := brief(t)
	if _, err := c.Beat(short, fleet.Beat{Task: "t1"}); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	done()
	beaten := make(chan error, 1)
	go func() {
		_, err := c.Beat(ctx, fleet.Beat{Task: "t1"})
		beaten <- err
	}()
	s, _ = hub(t, Options{Dir: s.opts.Dir}, b)
	r.to(t, s)
	if err := arrives(t, beaten); err != nil {
		t.Error(err)
	}
	// The queue is what it was: t1 is handed out, t2 waits.
	if got, err := s.Queued(ctx, "p_a"); err != nil || len(got) != 2 {
		t.Error(got, err)
	}
	if task, _, err := c.Next(ctx, "p_a"); err != nil || task != "t2" {
		t.Error(task, err)
	}
}

func TestAWaitingWorkerHearsOfATaskAfterACut(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{}, b)
	r := newRelay(t, s)
	c := worker(t, r.through(t, joined(t, s, "w1")))
	ctx := within(t)
	got := make(chan string, 1)
	go func() {
		task, _, err := c.Next(ctx, "p_a")
		if err != nil {
			t.Error(err)
		}
		got <- task
	}()
	for len(b.offers) > 0 {
		<-b.offers
	}
	r.cut()
	arrives(t, b.offers) // it made its offer again
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	if task := arrives(t, got); task != "t1" {
		t.Error(task)
	}
}

func TestATaskThatIsNotRenewedGoesToAnother(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{Lease: time.Second}, b)
	c1, c2 := worker(t, joined(t, s, "w1")), worker(t, joined(t, s, "w2"))
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	task, reply, err := c1.Next(ctx, "p_a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c1.Claim(ctx, fleet.Claim{Task: task, Reply: reply}); err != nil {
		t.Fatal(err)
	}
	again, second, err := c2.Next(ctx, "p_a")
	if err != nil || again != task || second == reply {
		t.Fatal(again, second, err)
	}
	// Given back, it is handed out at once.
	if err := s.Nak(second, 0); err != nil {
		t.Fatal(err)
	}
	third, reply3, err := c1.Next(ctx, "p_a")
	if err != nil || third != task {
		t.Fatal(third, err)
	}
	if err := errors.Join(s.Renew(reply3), s.Ack(reply3)); err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for has := true; has; { // the server takes it out by itself
		if has, err = s.Has(ctx, task); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheQueueCanBeRebuilt(t *testing.T) {
	b := newBook("p_a")
	s, stop := hub(t, Options{}, b)
	r := newRelay(t, s)
	c := worker(t, r.through(t, joined(t, s, "w1")))
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := os.RemoveAll(filepath.Join(s.opts.Dir, storeDir)); err != nil {
		t.Fatal(err)
	}
	s, _ = hub(t, Options{Dir: s.opts.Dir}, b)
	r.to(t, s)
	r.cut()
	if has, err := s.Has(ctx, "t1"); err != nil || has {
		t.Error(has, err)
	}
	if err := s.Put(ctx, "p_a", "t1"); err != nil {
		t.Fatal(err)
	}
	if task, _, err := c.Next(ctx, "p_a"); err != nil || task != "t1" {
		t.Error(task, err)
	}
	// Also while it runs.
	if err := s.js.DeleteStream(ctx, fleet.Stream); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Queued(ctx, "*"); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	if err := s.Put(ctx, "p_a", "t2"); err != nil {
		t.Fatal(err)
	}
	if task, _, err := c.Next(ctx, "p_a"); err != nil || task != "t2" {
		t.Error(task, err)
	}
}

func TestACredentialIsRenewedBeforeItEnds(t *testing.T) {
	b := newBook("p_a")
	s, err := Open(within(t), Options{Dir: t.TempDir(), Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.signer.life = 3 * time.Second
	serving, done := context.WithCancel(context.Background())
	defer done()
	go s.Serve(serving, b.handler())
	dir := joined(t, s, "w1")
	c := worker(t, dir)
	ctx := within(t)
	if err := s.Put(ctx, "p_a", "t"); err != nil {
		t.Fatal(err)
	}
	first, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	u, err := jwt.DecodeUserClaims(first.Granted)
	if err != nil {
		t.Fatal(err)
	}
	for m := first; ; { // its end is later now
		arrives(t, b.offers)
		if m, err = memberIn(dir); err != nil {
			t.Fatal(err)
		}
		if v, err := jwt.DecodeUserClaims(m.Granted); err != nil || v.Expires > u.Expires {
			break
		}
	}
	if task, _, err := c.Next(ctx, "p_a"); err != nil || task != "t" {
		t.Error(task, err)
	}
}

func TestARenewalChangesTheConnectionsCredential(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{}, b)
	dir := joined(t, s, "w1")
	c := worker(t, dir)
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if in, ends := renewIn(m.Granted); !ends || in < granted*2/3-time.Minute || in > granted*2/3+time.Minute {
		t.Error(in, ends)
	}
	c.mu.Lock()
	if c.renew == nil || !c.renew.Stop() {
		t.Error("nothing is planned")
	}
	before := c.nc.Stats().Reconnects
	c.mu.Unlock()
	c.settle(true)
	for c.nc.Stats().Reconnects == before {
		arrives(t, b.offers)
	}
	if err := c.nc.LastError(); err != nil && isAuth(err) {
		t.Error(err)
	}
	if err := c.admitted(within(t)); err != nil {
		t.Error(err)
	}
}

func TestAWorkerThatWasAwayLongerThanItsCredentialLasts(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{}, b)
	dir := joined(t, s, "w1")
	worker(t, dir).Close()
	m, err := memberIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Granted, err = s.signer.sign(keyOf(t, m), "w1", -time.Minute, noRights); err != nil {
		t.Fatal(err)
	}
	if err := m.save(dir); err != nil {
		t.Fatal(err)
	}
	worker(t, dir).Close() // by what may only make an offer
	if m, err = memberIn(dir); err != nil {
		t.Fatal(err)
	}
	for _, of := range []*string{&m.Granted, &m.Base} {
		if *of, err = s.signer.sign(keyOf(t, m), "w1", -time.Minute, noRights); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.save(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(within(t), dir, fleet.Offer{}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "join again") {
		t.Error(err)
	}
}

func TestTheHubSpeaksFirst(t *testing.T) {
	b := newBook("p_a")
	s, c1, c2, _, _ := admittedWorkers(t, b)
	if err := s.Tell("w1", "t1", fleet.Cancel); err != nil {
		t.Fatal(err)
	}
	if o := arrives(t, c1.Control()); o != (Order{Task: "t1", Verdict: fleet.Cancel}) {
		t.Error(o)
	}
	if len(c2.Control()) != 0 {
		t.Error("another worker heard it")
	}
	if s.Tell("w1", "t.x", fleet.Cancel) == nil || s.Tell("w1.x", "t", fleet.Cancel) == nil || s.Tell("*", "t", fleet.Cancel) == nil {
		t.Error("a name that is more than one")
	}
	web, config := c1.Web()
	if web != "https://hub.example:1" || config.RootCAs == nil {
		t.Error(web)
	}
}

func TestAnOfferChanges(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{}, b)
	c := worker(t, joined(t, s, "w1"))
	ctx := within(t)
	if _, _, err := c.Next(ctx, "p_b"); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
	b.mu.Lock()
	b.queues = []string{"p_b", "p_a"}
	b.mu.Unlock()
	if err := c.Offer(ctx, fleet.Offer{Build: "2"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(ctx, "p_b", "t"); err != nil {
		t.Fatal(err)
	}
	if task, _, err := c.Next(ctx, "p_b"); err != nil || task != "t" {
		t.Error(task, err)
	}
	if all := s.Workers(); len(all) != 1 || !slices.Equal(all[0].Queues, []string{"p_b", "p_a"}) || all[0].Seen.IsZero() || all[0].Key == "" {
		t.Error(all)
	}
	if a := c.Admitted(); a.Lease != lease || !slices.Equal(a.Queues, []string{"p_b", "p_a"}) {
		t.Error(a)
	}
}

func TestTwoMachinesWithOneKey(t *testing.T) {
	b := newBook("p_a")
	s, _ := hub(t, Options{}, b)
	dir := joined(t, s, "w1")
	first := worker(t, dir)
	if _, err := Dial(within(t), dir, fleet.Offer{}); err == nil || !strings.Contains(err.Error(), "already runs from") {
		t.Error(err)
	}
	dialed := make(chan error, 1)
	other := copied(t, dir)
	go func() {
		c, err := Dial(within(t), other, fleet.Offer{})
		if err == nil {
			c.Close()
		}
		dialed <- err
	}()
	if r := arrives(t, b.refused); r.Worker != "w1" || !strings.Contains(r.Why, "another machine is connected as w1") {
		t.Error(r)
	}
	first.Close()
	if err := arrives(t, dialed); err != nil { // it gets in when the first is gone
		t.Error(err)
	}
}

func TestAHubFromYesterdaysBackup(t *testing.T) {
	b := newBook("p_a")
	s, stop := hub(t, Options{}, b)
	r := newRelay(t, s)
	old := r.through(t, joined(t, s, "w1"))
	stop()
	backup := copied(t, s.opts.Dir)
	s, stop = hub(t, Options{Dir: s.opts.Dir}, b)
	r.to(t, s)
	late := r.through(t, joined(t, s, "w2")) // came after it
	renewed := r.through(t, joined(t, s, "w1"))
	worker(t, renewed).Close()
	stop()
	s, _ = hub(t, Options{Dir: backup}, b)
	r.to(t, s)
	for _, dir := range []string{late, renewed} {
		if _, err := Dial(within(t), dir, fleet.Offer{}); !errors.Is(err, ErrRefused) {
			t.Error(err)
		}
	}
	worker(t, old)
}

func TestAHandlerThatCannotAnswerIsAskedAgain(t *testing.T) {
	b := newBook("p_a")
	s, err := Open(within(t), Options{Dir: t.TempDir(), Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := b.handler()
	var tries atomic.Int64
	h.Done = func(context.Context, string, fleet.Done) (fleet.Told, error) {
		if n := tries.Add(1); n == 1 || n == 2 || n > 3 {
			return fleet.Told{}, errors.New("no space left on device\n")
		}
		return fleet.Told{Verdict: fleet.OK}, nil
	}
	serving, done := context.WithCancel(context.Background())
	defer done()
	go s.Serve(serving, h)
	c := worker(t, joined(t, s, "w1"))
	if told, err := c.Done(within(t), fleet.Done{Task: "t"}); err != nil || told.Verdict != fleet.OK || tries.Load() != 3 {
		t.Error(told, err, tries.Load())
	}
	short, end := brief(t)
	defer end()
	if _, err := c.Done(short, fleet.Done{Task: "t"}); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
}

// An offer that changes nothing leaves a worker at its place in the queue.
func TestAnOfferThatChangesNothing(t *testing.T) {
	s, c1, c2, _, _ := admittedWorkers(t, newBook("p_a"))
	ctx := within(t)
	waits := func(n int) {
		t.Helper()
		for {
			c, err := s.js.Consumer(ctx, fleet.Stream, "p_a")
			if err != nil {
				t.Fatal(err)
			}
			if info, err := c.Info(ctx); err != nil || info.NumWaiting == n {
				return
			}
		}
	}
	got := make(chan string, 2)
	next := func(c *Client) {
		if _, _, err := c.Next(ctx, "p_a"); err != nil {
			t.Error(err)
		}
		got <- c.Name()
	}
	go next(c1)
	waits(1)
	go next(c2)
	waits(2)
	for range 5 {
		if err := c1.Offer(ctx, fleet.Offer{Build: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"w1", "w2"} {
		if err := s.Put(ctx, "p_a", []string{"t0", "t1"}[i]); err != nil {
			t.Fatal(err)
		}
		if name := <-got; name != want {
			t.Errorf("%s gets it before %s", name, want)
		}
	}
}
