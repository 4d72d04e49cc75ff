package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/bus"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/team"
)

// The states of a worker.
const (
	connected = "connected"
	away      = "away"
	invited   = "invited"
	revoked   = "revoked"
	paused    = "paused"
)

// workers returns all that joined, or may join, by name.
func (h *Hub) workers(ctx context.Context) (list []socket.Worker, err error) {
	known, err := h.Table.Workers(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		list = append(list, socket.Worker{Known: k, State: invited})
	}
	for _, w := range h.Bus.Workers() {
		i := slices.IndexFunc(list, func(k socket.Worker) bool { return k.Name == w.Name })
		if i < 0 {
			i, list = len(list), append(list, socket.Worker{Known: lease.Known{Name: w.Name}})
		}
		if w.Seen.After(list[i].Seen) {
			list[i].Seen = w.Seen
		}
		switch {
		case !w.Revoked.IsZero():
			list[i].State = revoked
		case time.Since(list[i].Seen) < 2*h.Lease: // it repeats its offer once per lease
			list[i].State = connected
			if list[i].Paused {
				list[i].State = paused
			}
		default:
			list[i].State = away
		}
	}
	slices.SortFunc(list, func(a, b socket.Worker) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// seats returns the seats that workers offer to a person, and their pools; an empty name is whoever runs the hub.
func (h *Hub) seats(ctx context.Context, person string) (list []socket.Offered, err error) {
	workers, err := h.workers(ctx)
	if err != nil {
		return nil, err
	}
	hidden, err := h.Team.Hidden(ctx, person, team.OfWorker)
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		if w.State != connected && w.State != away && w.State != paused {
			continue
		}
		for _, s := range w.Offer.Seats {
			for _, where := range append([]string{w.Name}, w.Offer.Pools...) {
				if slices.Contains(hidden, where) {
					continue
				}
				list = join(list, socket.Offered{Seat: s, Where: where, Queue: fleet.Queue(where, s.Spec), Alive: w.State == connected})
			}
		}
	}
	return list, nil
}

// join adds a seat to a list; several workers of a pool share one.
func join(list []socket.Offered, s socket.Offered) []socket.Offered {
	i := slices.IndexFunc(list, func(l socket.Offered) bool { return l.Queue == s.Queue })
	if i < 0 {
		return append(list, s)
	}
	list[i].Slots, list[i].Alive = list[i].Slots+s.Slots, list[i].Alive || s.Alive
	return list
}

// invite makes a token for a worker to join once, and adds the worker to pools.
func (h *Hub) invite(ctx context.Context, i socket.Invitation) (string, error) {
	for _, name := range append([]string{i.Worker}, i.Pools...) {
		if err := fleet.Named(name); err != nil {
			return "", &team.Refusal{Why: err.Error()}
		}
	}
	if i.Life < time.Second {
		return "", &team.Refusal{Why: "a token must be valid for at least a second"}
	}
	list, err := h.workers(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range list { // each worker is a pool under its name, whose tasks nobody else may get
		switch {
		case w.State == revoked || w.Name == i.Worker:
		case slices.Contains(w.Pools, i.Worker):
			return "", &team.Refusal{Why: fmt.Sprintf("%s is a pool of the worker %s, and a worker of this name would get its tasks; "+
				"to add a worker to the pool: socrates hub invite --pool %s NAME", i.Worker, w.Name, i.Worker)}
		case slices.Contains(i.Pools, w.Name):
			return "", &team.Refusal{Why: fmt.Sprintf("%s is a worker, and a pool of this name would get its tasks; "+
				"name another pool", w.Name)}
		}
	}
	token, err := h.Bus.Invite(i.Worker, i.Life)
	if err == nil {
		err = h.Table.Admit(i.Worker, i.Pools)
	}
	if err == nil {
		err = h.Table.Note(lease.AuditLine{Who: i.Worker, What: "invited", Why: strings.Join(i.Pools, " ")})
	}
	return token, err
}

// drain lets a worker finish its tasks and take no more.
func (h *Hub) drain(ctx context.Context, worker string) error {
	list, err := h.workers(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(w socket.Worker) bool { return w.Name == worker }) {
		return &team.Refusal{Why: fmt.Sprintf("no worker is named %q", worker)}
	}
	if err := h.Bus.Tell(worker, "all", fleet.Drain); err != nil {
		return err
	}
	return h.Table.Note(lease.AuditLine{Who: worker, What: "drained"})
}

// revoke shuts a worker out. Its tasks go to others after a lease, and nobody shares a later worker of its name.
func (h *Hub) revoke(ctx context.Context, worker string) error {
	known := true
	if err := h.Bus.Revoke(worker); errors.Is(err, bus.ErrUnknown) {
		known = false
	} else if err != nil {
		return err
	}
	if was, err := h.Table.Uninvite(worker); err != nil {
		return err
	} else if !known && !was {
		return &team.Refusal{Why: fmt.Sprintf("%s %q", bus.ErrUnknown, worker)}
	}
	if err := h.Team.Retire(ctx, worker); err != nil {
		return err
	}
	return h.Table.Note(lease.AuditLine{Who: worker, What: "revoked"})
}

// Socket returns the hub for the processes of its person.
func (h *Hub) Socket() socket.Hub {
	return socket.Hub{Put: h.put, Stop: h.stop, Seats: h.seats, Workers: h.workers, Invite: h.invite, Drain: h.drain, Revoke: h.revoke,
		Pause: h.pause, Health: h.health,
		Team: h.Team}
}
