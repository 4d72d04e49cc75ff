package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate"
)

// BenchmarkDebate runs three rounds of 32 seats that each take 200 ms: blind, and two cross-examinations. The metric
// x/slowest is the time of the whole against the sum of the slowest seat of each round as recorded, x/nominal against
// three times 200 ms.
func BenchmarkDebate(b *testing.B) {
	const seats, each = 32, 200 * time.Millisecond
	h := newHall(b, filepath.Join(b.TempDir(), "s.db"), func(ctx context.Context, _ string) error {
		select {
		case <-time.After(each):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	op := question()
	op.Frame.Limits.Rounds = 2
	for i := range seats {
		op.Frame.Seats = append(op.Frame.Seats, debate.SeatInfo{ID: fmt.Sprintf("s%d", i), Spec: fmt.Sprintf("%s %d", []string{"left", "right"}[i%2], i),
			Model: "m", Lineage: fmt.Sprintf("l%d", i)})
	}
	var slowest, nominal time.Duration
	for b.Loop() {
		root := h.do(b, op)
		if err := h.Wait(root); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		rounds := map[string]int64{}
		for _, r := range debate.ReplyKind.All(h.nodes(b, root)) {
			if r.State != debate.Answered {
				b.Fatalf("%+v", r)
			}
			rounds[r.Key[:7]] = max(rounds[r.Key[:7]], r.MS)
		}
		if len(rounds) != 3 {
			b.Fatalf("rounds %v", rounds)
		}
		for _, ms := range rounds {
			slowest += time.Duration(ms) * time.Millisecond
		}
		nominal += 3 * each
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(slowest), "x/slowest")
	b.ReportMetric(float64(b.Elapsed())/float64(nominal), "x/nominal")
}
