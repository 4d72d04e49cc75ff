package hub

import (
	"log/slog"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet/lease"
)

// How many refusals of one worker the audit log records in a period. Endless tries must not fill the disk.
const (
	mostNoted = 100
	while     = 10 * time.Minute
)

// noted counts the audit lines of refusals.
type noted struct {
	mu    sync.Mutex
	since time.Time
	by    map[string]int // worker
}

// left returns how many lines a worker has left, including this one.
func (n *noted) left(worker string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.by == nil || time.Since(n.since) >= while {
		n.by, n.since = map[string]int{}, time.Now()
	}
	n.by[worker]++
	return mostNoted + 1 - n.by[worker]
}

// refuse records a refusal: always in the log, and in the audit log within the limit.
func (h *Hub) refuse(e lease.AuditLine) {
	h.counts.refused.Add(1)
	slog.Warn(e.What+": "+e.Why, "worker", e.Who, "task", e.Task)
	switch left := h.noted.left(e.Who); {
	case left < 0:
		return
	case left == 0:
		e = lease.AuditLine{Who: e.Who, What: "refused", Why: "more refusals follow; for up to ten minutes only the log has them"}
	}
	if err := h.Table.Note(e); err != nil {
		h.Warn("the audit log could not be written: " + err.Error())
	}
}
