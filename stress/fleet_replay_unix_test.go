//go:build unix

package stress_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/sandbox"
)

// TestFleetReplays is the short replay exam with executors on six workers, of which one is killed at its first task: the same history
// comes of it, and every fault is found.
func TestFleetReplays(t *testing.T) {
	if testing.Short() {
		t.Skip("carries a plan out")
	}
	if held := sandbox.Probe(t.Context()).Protect; held.Level != sandbox.Held {
		t.Skip("agents and checks need a sandbox: " + held.Say)
	}
	f := newFleet(t)
	f.lease = "2s"
	f.startHub()
	x := &exam{t: t, rnd: rand.New(rand.NewPCG(16, 1)), run: "replay", kills: 2, after: 900 * time.Millisecond, idle: "12s", parallel: "3",
		check: "gofmt -l .", home: f.command("hub", "").Dir}
	x.history = newHistory(t, "..", shortExam, shortFolder, 5, nil)
	x.arena = newArena(t)
	x.crews = func(first, second string) (string, string) {
		for i := range 6 {
			name := fmt.Sprint("w", i)
			f.offers[name] = []string{"--seat", first, "--seat", second}
			f.join(name)
		}
		go func() {
			if victim := f.workers["w0"]; victim.await("task .* began") != nil {
				victim.Process.Kill()
			}
		}()
		return "worker:all/first", "worker:all/second"
	}
	x.sit()
	db := f.table()
	defer db.Close()
	var workers, claims, lost int // a call that is over is forgotten, its claim is not
	if err := db.QueryRow("SELECT count(DISTINCT worker), count(*), count(*) FILTER (WHERE worker = 'w0') FROM claim").Scan(&workers, &claims,
		&lost); err != nil || workers < 4 || lost == 0 {
		t.Errorf("%d workers had a part, the one that was killed had %d calls; %v", workers, lost, err)
	}
	t.Logf("%d claims by %d workers; the one that was killed had %d", claims, workers, lost)
}
