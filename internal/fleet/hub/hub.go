// Package hub gives the tasks of one person's or team's processes to workers on other machines. It connects the
// authoritative table of tasks with the queue that wakes workers, and serves the socket for submitting tasks.
//
// Only the hub grants a claim, renews it, commits its results, and then updates the queue. It does so in this order,
// so that it may be killed between any two steps: the queue then repeats a task, whose claim is answered from the
// table, or misses one, which Run puts back.
package hub

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/release"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/team"
)

// Hub is a running hub. Its fields are set before Run; all but Code are needed.
type Hub struct {
	Table *lease.Table
	Bus   *bus.Server
	Team  *team.Book
	Lease time.Duration
	Web   string // https://HOST:PORT, where workers fetch and push code
	Key   []byte // signs the passes for that
	Code  string // the folder of code; empty: none
	// Warn receives errors that are not a task's. It may be called from any goroutine.
	Warn func(text string)

	counts counts
	noted  noted
}

// kept is how long the result of a task is kept for a process that died before it got it.
const kept = 7 * 24 * time.Hour

// Run serves workers, and puts back what the queue has lost, until ctx ends.
func (h *Hub) Run(ctx context.Context) error { return h.run(ctx, h.handler()) }

// run is Run with a handler of workers' calls.
func (h *Hub) run(ctx context.Context, calls bus.Handler) error {
	serving := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { serving <- h.Bus.Serve(ctx, calls) }()
	tick := time.NewTicker(h.Lease / 2)
	defer tick.Stop()
	for {
		if err := h.reconcile(ctx); err != nil && ctx.Err() == nil {
			h.Warn("the queue could not be compared with the table of tasks: " + err.Error())
		}
		if err := h.abandon(ctx); err != nil && ctx.Err() == nil {
			h.Warn("cannot cancel a task that nobody is waiting for: " + err.Error())
		}
		select {
		case <-tick.C:
		case err := <-serving:
			return err
		}
	}
}

// reconcile puts every waiting task that is missing into the queue, and forgets old ones. A task whose holder is
// silent is still in the queue, unacknowledged, and is delivered again by itself; if the queue has lost it, it is put
// back.
func (h *Hub) reconcile(ctx context.Context) error {
	list, err := h.Table.Waiting(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if there, err := h.Bus.Has(ctx, s.Name); err != nil {
			return err
		} else if there {
			continue
		}
		if err := h.Bus.Put(ctx, s.Queue, s.Name); err != nil {
			return err
		}
	}
	return h.Table.Prune(time.Now().Add(-kept))
}

func (h *Hub) handler() bus.Handler {
	return bus.Handler{Offer: h.offer, Claim: h.claim, Beat: h.beat, Node: h.node, Done: h.done, May: h.may, Refused: func(r bus.Refusal) {
		h.refuse(lease.AuditLine{Who: r.Worker, What: "refused " + r.Subject, Why: r.Why})
	}}
}

// mostSeats is how many seats one worker may offer, and mostSlots how many concurrent calls for each.
const mostSeats, mostSlots = 100, 256

// offer admits a worker, or records why not.
func (h *Hub) offer(ctx context.Context, worker string, o fleet.Offer) (fleet.Admitted, error) {
	a, err := h.admit(ctx, worker, o)
	if err == nil && a.Refused != "" {
		h.refuse(lease.AuditLine{Who: worker, What: "refused offer", Why: a.Refused})
	}
	return a, err
}

// admit admits a worker with its seats, to its own queues and those of its pools.
func (h *Hub) admit(ctx context.Context, worker string, o fleet.Offer) (fleet.Admitted, error) {
	if err := release.Skew(o.Speaks, o.Build, release.Speaks, build.Version()); err != nil {
		return fleet.Admitted{Refused: err.Error()}, nil
	}
	if len(o.Seats) > mostSeats {
		return fleet.Admitted{Refused: fmt.Sprintf("it offers %d seats; the limit is %d", len(o.Seats), mostSeats)}, nil
	}
	for _, s := range o.Seats {
		if s.Slots > mostSlots {
			return fleet.Admitted{Refused: fmt.Sprintf("it offers %d slots of %s; the limit is %d", s.Slots, s.Spec, mostSlots)}, nil
		}
	}
	allowed, err := h.Table.Pools(ctx, worker)
	if err != nil {
		return fleet.Admitted{}, err
	}
	for _, pool := range o.Pools {
		if !slices.Contains(allowed, pool) {
			return fleet.Admitted{Refused: fmt.Sprintf("its token does not cover the pool %s: create another token with "+
				"socrates hub invite --pool %s %s", pool, pool, worker)}, nil
		}
	}
	paused, err := h.Table.Paused(ctx, worker)
	if err != nil {
		return fleet.Admitted{}, err
	}
	a := fleet.Admitted{Paused: paused, Build: build.Version(), Speaks: release.Speaks, Lease: h.Lease, Beat: h.Lease / 6, Web: h.Web}
	for _, s := range o.Seats {
		for _, pool := range append([]string{worker}, o.Pools...) {
			a.Queues = append(a.Queues, fleet.Queue(pool, s.Spec))
		}
	}
	slog.Info("worker offers", "worker", worker, "build", o.Build, "seats", len(o.Seats), "pools", strings.Join(o.Pools, " "),
		"paused", paused)
	return a, h.Table.Offered(worker, o)
}

// largest is the maximum size of a request in the claim's answer, in bytes.
const largest = 512 << 10

func (h *Hub) claim(_ context.Context, worker string, c fleet.Claim) (fleet.Claimed, error) {
	if c.Inst == "" { // it has no free slot
		h.Bus.Nak(c.Reply, 0)
		return fleet.Claimed{Verdict: fleet.Busy}, nil
	}
	s, v, err := h.Table.Claim(worker, c)
	if err != nil {
		return fleet.Claimed{}, err
	}
	switch v {
	case fleet.Gone:
		h.Bus.Ack(c.Reply) // if the queue does not answer, it is delivered again, and answered from the table
		return fleet.Claimed{Verdict: v}, nil
	case fleet.Busy: // deliver again when the lease of its holder ends, or soon to a worker that may have it
		wait := time.Second
		if s.Left > 0 {
			wait = s.Left
		}
		h.counts.busy.Add(1)
		h.Bus.Nak(c.Reply, wait)
		return fleet.Claimed{Verdict: v}, nil
	}
	h.counts.claims.Add(1)
	h.Bus.Renew(c.Reply) // it was delivered before it was claimed, and waits for its first beat from now on
	slog.Info("task claimed", "task", s.Name, "worker", worker, "epoch", s.Epoch)
	out := fleet.Claimed{Verdict: v, Epoch: s.Epoch, Seat: s.Seat, Request: s.Request, Base: s.Base, Works: s.Works,
		Pass: h.pass(s.Name, s.Epoch)}
	if len(out.Request) > largest {
		out.Request = nil
	}
	return out, nil
}

func (h *Hub) beat(ctx context.Context, worker string, b fleet.Beat) (fleet.Told, error) {
	s, v, err := h.Table.Beat(ctx, worker, b)
	if err == nil && v == fleet.OK {
		h.Bus.Renew(s.Reply)
	}
	if s.Name == "" || s.Worker == worker && s.Epoch == b.Epoch { // its own task, which was forgotten or is paused
		return fleet.Told{Verdict: v}, err
	}
	return fleet.Told{Verdict: v}, h.stale(worker, "beat", b.Task, v, err)
}

func (h *Hub) node(_ context.Context, worker string, n fleet.Node) (fleet.Told, error) {
	told, err := h.Table.Node(worker, n)
	return told, h.stale(worker, "node", n.Task, told.Verdict, err)
}

func (h *Hub) done(_ context.Context, worker string, d fleet.Done) (fleet.Told, error) {
	s, told, err := h.Table.Done(worker, d)
	if err == nil && told.Verdict == fleet.OK && s.Over() {
		h.counts.done.Add(1)
		if d.Failed != nil {
			h.counts.failed.Add(1)
		}
		slog.Info("task done", "task", d.Task, "worker", worker, "epoch", d.Epoch)
		h.Bus.Ack(s.Reply)
	}
	return told, h.stale(worker, "done", d.Task, told.Verdict, err)
}

func (h *Hub) may(_ context.Context, worker string, m fleet.May) (fleet.Told, error) {
	told, err := h.Table.May(worker, m)
	return told, h.stale(worker, "may", m.Task, told.Verdict, err)
}

// stale records a refused write.
func (h *Hub) stale(worker, what, task string, v fleet.Verdict, err error) error {
	if err != nil || v != fleet.Stale {
		return err
	}
	h.refuse(lease.AuditLine{Who: worker, What: "refused " + what, Task: task, Why: "its claim is not the current one"})
	return nil
}

// put submits a task, if its person may use the seat. It is in the table before it is in the queue, so Run repairs
// any failure in between.
func (h *Hub) put(ctx context.Context, k lease.Task) error {
	if k.Person != "" {
		list, err := h.seats(ctx, k.Person)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(s socket.Offered) bool { return s.Queue == k.Queue }) {
			return fmt.Errorf("no worker that %s may use offers the seat %s", k.Person, k.Seat)
		}
	}
	isNew, err := h.Table.Put(k)
	if err != nil {
		return err
	}
	if !isNew {
		if s, _, err := h.Table.Read(ctx, k.Name, noDeltas); err != nil || s.Over() || s.Epoch > 0 {
			return err
		}
	}
	slog.Info("task waits", "task", k.Name, "seat", k.Seat, "person", k.Person)
	if err := h.Bus.Put(ctx, k.Queue, k.Name); err != nil {
		h.Warn("a task waits until the queue answers: " + err.Error())
	}
	return nil
}

// stop ends a task, tells its worker at once, and returns the worker; its next beat tells it anyway.
func (h *Hub) stop(ctx context.Context, task string) (worker string, err error) {
	if err := h.Table.Cancel(task); err != nil {
		return "", err
	}
	s, _, err := h.Table.Read(ctx, task, noDeltas) // nobody can claim it any more
	if err == nil && s.Worker != "" {
		h.Bus.Tell(s.Worker, task, fleet.Cancel)
	}
	return s.Worker, err
}
