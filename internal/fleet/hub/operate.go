package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/code"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/team"
)

// pause pauses or resumes a worker or a task. It returns in words what that means.
func (h *Hub) pause(ctx context.Context, name string, paused bool) (string, error) {
	before, _, err := h.Table.Read(ctx, name, noDeltas)
	if err != nil {
		return "", err
	}
	worker, err := h.Table.Pause(name, paused)
	if errors.Is(err, lease.ErrUnknown) {
		return "", &team.Refusal{Why: err.Error()}
	} else if err != nil {
		return "", err
	}
	what, text := "resumed", ""
	if paused {
		what = "paused"
	}
	switch {
	case worker:
		if err := h.Bus.Tell(name, "all", fleet.Again); err != nil { // otherwise it learns of it within a lease
			h.Warn("a worker will be told later: " + err.Error())
		}
		text = fmt.Sprintf("The worker %s accepts tasks again.", name)
		if paused {
			text = fmt.Sprintf("The worker %s finishes its tasks and accepts no new ones until: socrates hub resume %s", name, name)
		}
	case paused:
		if before.Worker != "" {
			h.Bus.Tell(before.Worker, name, fleet.Stale)
		}
		text = fmt.Sprintf("The task %s is stopped, until: socrates hub resume %s", name, name)
	default:
		if err := h.Bus.Put(ctx, before.Queue, name); err != nil {
			h.Warn("a task waits until the queue answers: " + err.Error())
		}
		text = fmt.Sprintf("The task %s is queued again and will start over.", name)
	}
	e := lease.AuditLine{Who: name, What: what}
	if !worker {
		e = lease.AuditLine{Who: before.Worker, What: what, Task: name}
	}
	return text, h.Table.Note(e)
}

// grace is how long a task continues that nobody waits for any more: the client may have lost its connection.
const grace = 10 * time.Second

// abandon ends tasks without a waiting client, if they are of that kind: a conversation's turn whose process was
// killed would be paid for and read by nobody.
func (h *Hub) abandon(ctx context.Context) error {
	names, err := h.Table.Left(ctx, grace)
	for _, name := range names {
		if _, err := h.stop(ctx, name); err != nil {
			return err
		}
		slog.Info("task cancelled: nobody is waiting for it", "task", name)
		if h.Code != "" {
			code.Drop(h.Code, name)
		}
		if err := h.Table.Note(lease.AuditLine{What: "cancelled", Task: name, Why: "nobody is waiting for it"}); err != nil {
			return err
		}
	}
	return err
}
