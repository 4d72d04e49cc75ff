package hub

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/metrics"
)

// counts are what a hub has done since it started.
type counts struct {
	claims, busy, done, failed, refused atomic.Int64
}

// Figures returns the current metrics of a hub, which package metrics sends.
func (h *Hub) Figures(ctx context.Context) ([]metrics.Figure, error) {
	tasks, err := h.Table.Tasks(ctx)
	if err != nil {
		return nil, err
	}
	workers, err := h.workers(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := h.Team.Spent(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	byTask, byWorker := map[string]float64{}, map[string]float64{connected: 0, away: 0}
	for _, t := range tasks {
		byTask[t.State]++
	}
	for _, w := range workers {
		byWorker[w.State]++
	}
	usd, tokens := 0.0, 0.0
	for _, l := range spent {
		usd, tokens = usd+l.USD, tokens+float64(l.Tokens)
	}
	sum := func(name, unit, doc string, n *atomic.Int64) metrics.Figure {
		return metrics.Figure{Name: "socrates.hub." + name, Unit: unit, Doc: doc, Sum: true,
			Points: []metrics.Point{{Value: float64(n.Load())}}}
	}
	return []metrics.Figure{
		sum("claims", "{claim}", "Tasks that were granted to workers", &h.counts.claims),
		sum("claims.busy", "{claim}", "Claims of tasks that another worker held", &h.counts.busy),
		sum("tasks.done", "{task}", "Tasks that workers answered", &h.counts.done),
		sum("tasks.failed", "{task}", "Tasks that workers reported as failed", &h.counts.failed),
		sum("refused", "{message}", "Messages of workers that were refused", &h.counts.refused),
		{Name: "socrates.hub.tasks", Unit: "{task}", Doc: "Unfinished tasks by state", Points: labelled(byTask)},
		{Name: "socrates.hub.workers", Unit: "{worker}", Doc: "Workers by state", Points: labelled(byWorker)},
		{Name: "socrates.hub.spent", Unit: "USD", Doc: "Spent today (UTC)", Points: []metrics.Point{{Value: usd}}},
		{Name: "socrates.hub.tokens", Unit: "{token}", Doc: "Tokens today (UTC)", Points: []metrics.Point{{Value: tokens}}},
	}, nil
}

// labelled returns counts by state.
func labelled(by map[string]float64) (points []metrics.Point) {
	for state, n := range by {
		points = append(points, metrics.Point{Labels: map[string]string{"state": state}, Value: n})
	}
	return points
}
