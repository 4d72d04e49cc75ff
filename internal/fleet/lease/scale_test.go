package lease_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// tick is how finely simulated time is divided: what comes within one is at once.
const tick = 5 * time.Millisecond

// TestManyWorkers simulates up to 10,000 workers on the real table: their clock is not real, what the table does is. Each does one task
// after the other, of 5 to 15 seconds, beats every 5 seconds, and sends a part each second. How long that really takes says where the
// table ends: with 100 % of a second for a second. SOCRATES_STRESS runs it; see docs/hub.md.
func TestManyWorkers(t *testing.T) {
	if os.Getenv("SOCRATES_STRESS") == "" {
		t.Skip("takes minutes; set SOCRATES_STRESS")
	}
	const lasts = 30 * time.Second
	for _, workers := range []int{100, 1000, 3000, 10_000} {
		path := filepath.Join(t.TempDir(), "hub.db")
		var calls, done atomic.Int64
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			table, closed := open(t, path)
			defer closed()
			var all sync.WaitGroup
			for n := range workers {
				all.Go(func() { simulated(world{t, table}, n, time.Now().Add(lasts), &calls, &done) })
			}
			all.Go(func() { // what the hub does by itself
				for range lasts / (term / 2) {
					time.Sleep(term / 2)
					if _, err := table.Waiting(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
			all.Wait()
		})
		took := time.Since(began)
		t.Logf("simulated: %5d workers, %6d tasks, %7d calls in %s of their time: %.0f a second, %3.0f %% of what the table can (%.0f a second)",
			workers, done.Load(), calls.Load(), lasts, float64(calls.Load())/lasts.Seconds(), 100*took.Seconds()/lasts.Seconds(),
			float64(calls.Load())/took.Seconds())
	}
}

// simulated is a worker that does tasks until its time is over.
func simulated(w world, n int, until time.Time, calls, done *atomic.Int64) {
	r, name := rand.New(rand.NewPCG(19, uint64(n))), fmt.Sprint("w", n)
	time.Sleep(time.Duration(r.IntN(1000)) * tick)
	for k := 0; time.Now().Before(until); k++ {
		task := fmt.Sprint(name, "-", k)
		w.put(task)
		epoch := w.claim(name, "i", task, fleet.OK)
		parts := 5 + r.IntN(11)
		for i := range parts {
			time.Sleep(time.Second)
			w.node(name, task, epoch, i, fleet.OK, "a line of what a model says, as long as most of them are")
			if i%5 == 4 {
				w.beat(name, "i", task, epoch, fleet.OK)
				calls.Add(1)
			}
		}
		w.done(name, task, epoch, parts, fleet.OK)
		calls.Add(int64(3 + parts))
		done.Add(1)
	}
}
