package home

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/remote"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
)

// hubTime is how long a hub on this machine may take to say who is connected.
const hubTime = 5 * time.Second

// hub is the way to the hub of this store, and whether there may be one.
func (ss *Seats) hub() (c *socket.Client, there bool, err error) {
	path, err := ss.home.Settings.StoreFile()
	if err != nil {
		return nil, false, err
	}
	dir := filepath.Dir(path)
	_, missing := os.Lstat(filepath.Join(dir, socket.Name))
	return socket.NewClient(dir), missing == nil, nil
}

// elsewhere is the model of a seat on another machine.
func (ss *Seats) elsewhere(where, there string) (llm.Model, error) {
	spec := scheme.Worker + ":" + where + "/" + there
	if where == "" || there == "" {
		return nil, failure.Usage("seat "+spec+": a worker and a seat must be named", "for example: --seat worker:laptop-2/claude")
	}
	c, _, err := ss.hub()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hubTime)
	defer cancel()
	list, err := c.Seats(ctx)
	if err != nil {
		return nil, failure.New(failure.ExitFailed, "hub", "seat "+spec+": no hub is running here", "start it: socrates hub")
	}
	i := slices.IndexFunc(list, func(s socket.Seat) bool { return s.Where == where && (s.Spec == there || seat.ID(s.Spec) == there) })
	if i < 0 {
		var specs []string
		for _, s := range list {
			specs = append(specs, scheme.Worker+":"+s.Where+"/"+scheme.Short(s.Spec))
		}
		return nil, failure.Usage("no worker "+where+" offers "+there, failure.Nearest(spec, specs))
	}
	return &remote.Model{Hub: c, Seat: list[i], Person: personHere()}, nil
}

// personHere is who uses this machine's account; their name, if the system tells it.
func personHere() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// workers are the seats of other machines. A hub that does not answer has none.
func (ss *Seats) workers(ctx context.Context) (all []Found) {
	c, there, err := ss.hub()
	if err != nil || !there {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, hubTime)
	defer cancel()
	list, err := c.Seats(ctx)
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
