package bus

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// TestManyConnections measures what the queue's server takes for a call, an offer and a task, with up to 2,000 connections, so that it can be
// said what 10,000 take. SOCRATES_STRESS runs it; see docs/hub.md.
func TestManyConnections(t *testing.T) {
	if os.Getenv("SOCRATES_STRESS") == "" {
		t.Skip("takes minutes; set SOCRATES_STRESS")
	}
	s, c1, c2, _, _ := admittedWorkers(t, newBook("p_a"))
	ctx, there := within(t), 0
	for _, connections := range []int{2, 500, 1000, 2000} {
		for ; there < connections-2; there++ {
			auth, err := ownCredential(s.id.Account)
			if err != nil {
				t.Fatal(err)
			}
			nc, err := nats.Connect("", nats.InProcessServer(s.nats), auth, nats.Name(fmt.Sprint("c", there)))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(nc.Close)
		}
		rate := func(n, at int, do func(i int) error) float64 {
			var all sync.WaitGroup
			var next atomic.Int64
			began := time.Now()
			for range at {
				all.Go(func() {
					for i := next.Add(1); i <= int64(n); i = next.Add(1) {
						if err := do(int(i)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			return float64(n) / time.Since(began).Seconds()
		}
		w, _ := s.roster.seen("w1")
		calls := rate(20_000, 32, func(i int) error {
			_, err := []*Client{c1, c2}[i%2].Beat(ctx, fleet.Beat{Task: fmt.Sprint("t", i%64), Epoch: 1})
			return err
		})
		twins := rate(200, 2, func(int) error { s.twins(w); return nil })
		offers := rate(100, 1, func(int) error { return c1.Offer(ctx, fleet.Offer{Build: "test"}) })
		puts := rate(2000, 8, func(i int) error { return s.Put(ctx, "p_a", fmt.Sprint("t", connections, "-", i)) })
		has := rate(500, 1, func(i int) error { _, err := s.Has(ctx, fmt.Sprint("t", connections, "-", i)); return err })
		t.Logf("%4d connections, a second: %.0f calls, %.0f offers, of which %.0f looks for twins, %.0f puts, %.0f looks into the queue", connections,
			calls, offers, twins, puts, has)
	}
}
