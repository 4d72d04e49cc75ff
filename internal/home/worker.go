package home

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/team"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// hubTime limits how long a hub on this machine may take to report who is connected.
const hubTime = 5 * time.Second

// hub returns a client of this store's hub, and whether a hub may exist.
func (ss *Seats) hub() (c *socket.Client, there bool, err error) {
	path, err := ss.home.Settings.StoreFile()
	if err != nil {
		return nil, false, err
	}
	dir := filepath.Dir(path)
	_, missing := os.Lstat(filepath.Join(dir, socket.Name))
	return socket.NewClient(dir), missing == nil, nil
}

// workerModel returns the model of a seat on another machine.
func (ss *Seats) workerModel(where, there string) (llm.Model, error) {
	spec := scheme.Worker + ":" + where + "/" + there
	if where == "" || there == "" {
		return nil, failure.Usage("seat "+spec+": name a worker and a seat", "for example: --seat worker:laptop-2/claude")
	}
	c, _, err := ss.hub()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hubTime)
	defer cancel()
	list, err := c.Seats(ctx, ss.home.Person)
	if err != nil {
		return nil, failure.New(failure.ExitFailed, "hub", "seat "+spec+": no hub is running here", "start it: socrates hub")
	}
	i := slices.IndexFunc(list, func(s socket.Offered) bool { return s.Where == where && (s.Spec == there || seat.ID(s.Spec) == there) })
	if i < 0 {
		var specs []string
		for _, s := range list {
			specs = append(specs, scheme.Worker+":"+s.Where+"/"+scheme.Short(s.Spec))
		}
		return nil, failure.Usage("no worker "+where+" offers "+there, failure.Nearest(spec, specs))
	}
	a, err := ss.account(c)
	return &remote.Model{Account: a, Seat: list[i]}, err
}

// account returns the account that calls are charged to.
func (ss *Seats) account(c *socket.Client) (remote.Account, error) {
	project, err := ss.home.Settings.Project()
	return remote.Account{Hub: c, Person: ss.home.Person, Project: project}, err
}

// withBilling records the calls of a model with the hub of this store, if there is one. A worker's answers are
// already recorded there, and rehearsals make no calls.
func (ss *Seats) withBilling(m llm.Model, name string) (llm.Model, error) {
	if name == scheme.Worker || scheme.Of(name).Rules {
		return m, nil
	}
	c, there, err := ss.hub()
	if err != nil || !there && ss.home.Person == "" {
		return m, err
	}
	a, err := ss.account(c)
	if err != nil {
		return nil, err
	}
	return remote.Billed(m, a), nil
}

// Reader returns for whom the store is opened: the hub's person whose home this is, and what is hidden from
// them.
func (h *Home) Reader(ctx context.Context) (none store.Reader, err error) {
	if h.Person == "" {
		return none, nil
	}
	c, _, err := h.Seats.hub()
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	list, err := c.Hidden(ctx, h.Person, team.OfProject)
	if err != nil {
		return none, failure.New(failure.ExitFailed, "hub", "cannot check the access of "+h.Person+": no hub is running here",
			"start it: socrates hub")
	}
	return store.Reader{Name: h.Person, Hidden: list, Kind: string(record.BeginKind), Field: "space"}, nil // record.Begun.Space
}

// workerSeats returns the seats of other machines; none if the hub does not answer.
func (ss *Seats) workerSeats(ctx context.Context) (all []Found) {
	c, there, err := ss.hub()
	if err != nil || !there {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	list, err := c.Seats(ctx, ss.home.Person)
	if err != nil {
		return nil
	}
	for _, s := range list {
		f := Found{Spec: scheme.Worker + ":" + s.Where + "/" + scheme.Short(s.Spec), Source: "worker", Model: s.Info.ID,
			Lineage: s.Info.Lineage, Ready: s.Alive, Why: "on " + s.Where}
		if !s.Alive {
			f.Why = fmt.Sprintf("%s is not connected", s.Where)
		}
		all = append(all, f)
	}
	return all
}
