package remote

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/team"
)

// Account is in whose name calls are made, in the hub's book of quotas and of what was spent.
type Account struct {
	Hub     *socket.Client
	Person  string // who causes them; empty: whoever runs the hub, whose calls go on where no hub answers
	Project string // the folder they are for
}

// Billed is a model of this machine whose calls are in the hub's book: each is reserved before it is sent, and refused where a quota does
// not cover it.
func Billed(m llm.Model, a Account) llm.Model { return billed{m, a} }

type billed struct {
	llm.Model
	account Account
}

// Close closes the model if it can be closed.
func (b billed) Close() error {
	if c, ok := b.Model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Stream is that of llm.Model. A call that takes more than was reserved is ended where no more can be reserved.
func (b billed) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		t, err := b.account.open(ctx, b.Info(), req, "", "")
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		defer t.settle(ctx, "")
		for d, err := range b.Model.Stream(ctx, req) {
			if err == nil {
				err = t.saw(ctx, d)
			} else {
				t.lost = mayCost(err)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// tab is what one call took so far, and what is reserved for it.
type tab struct {
	account Account
	call    team.Call
	info    llm.Info
	ids     []int64
	took    cost.Usage
	counted bool // took is what the vendor counted
	lost    bool // it was sent, and may have been charged although nothing was counted
}

// open reserves what a call can cost at most. pool is the worker or pool that answers; empty: this machine. key names a call that is made
// again after a crash.
func (a Account) open(ctx context.Context, info llm.Info, req llm.Request, pool, key string) (*tab, error) {
	t := &tab{account: a, info: info, lost: true, call: team.Call{Person: a.Person, Pool: pool, Project: a.Project, Key: key}}
	t.call.USD, t.call.Tokens = budget.Bound(info, req)
	return t, t.more(ctx)
}

// more reserves as much as a call was thought to take.
func (t *tab) more(ctx context.Context) error {
	id, err := t.account.Hub.Reserve(ctx, t.call)
	if over, ok := errors.AsType[*team.Over](err); ok {
		return &trouble.Error{Kind: trouble.Quota, Message: over.Error(), Unsent: len(t.ids) == 0}
	}
	switch {
	case err == nil:
		t.ids = append(t.ids, id)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case t.account.Person != "" || !socket.Away(err):
		return &trouble.Error{Kind: trouble.Network, Message: "cannot reach the hub that manages the quotas: " + err.Error(),
			Err: err, Unsent: len(t.ids) == 0}
	}
	return nil
}

// saw takes in what was counted. What one call takes of a program is many calls of its vendor, and nobody knows beforehand how many.
func (t *tab) saw(ctx context.Context, d llm.Delta) error {
	switch {
	case d.End != nil:
		t.took, t.counted = t.info.Price.Of(d.End.Usage), true
		return nil
	case d.Usage == nil:
		return nil
	}
	t.took, t.counted = t.info.Price.Of(*d.Usage), true
	for len(t.ids) > 0 && t.ids[0] != 0 && (t.took.Total() > t.call.Tokens*len(t.ids) || t.took.USD > t.call.USD*float64(len(t.ids))+1e-9) {
		key := t.call.Key
		t.call.Key = "" // of the first reservation
		err := t.more(ctx)
		t.call.Key = key
		if err != nil {
			return err
		}
	}
	return nil
}

// settleTime is how long the hub may take to book a call that is over.
const settleTime = 5 * time.Second

// mayCost says whether a call that failed may have been charged all the same: it was cut in the middle, by whoever waited or on the way.
// What a vendor refuses costs nothing.
func mayCost(err error) bool {
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok {
		return true
	}
	return !e.Unsent && slices.Contains([]trouble.Kind{trouble.Network, trouble.Stall, trouble.Malformed, trouble.Crash}, e.Kind)
}

// settle books what the call took. What was counted of a call that failed is booked too; where nothing was counted and it may have been
// charged, what was reserved: else whoever cancels late enough has no quota. Where the hub does not answer, what is reserved is booked
// after some hours.
func (t *tab) settle(ctx context.Context, worker string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	for i, id := range t.ids {
		bill := team.Bill{Worker: worker, More: i > 0}
		switch {
		case i == 0 && t.counted:
			bill.USD, bill.Tokens = t.took.USD, t.took.Total()
		case i == 0 && t.lost:
			bill.USD, bill.Tokens = t.call.USD, t.call.Tokens
		}
		t.account.Hub.Settle(ctx, id, t.call, bill)
	}
	t.ids = nil
}
