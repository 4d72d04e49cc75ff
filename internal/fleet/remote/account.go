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

// Account is the account that calls are charged to, for the hub's quotas and spending.
type Account struct {
	Hub     *socket.Client
	Person  string // who causes them; empty: whoever runs the hub, whose calls continue without a hub
	Project string // the folder they are for
}

// Billed wraps a model of this machine so that the hub records its calls: each is reserved before it is sent, and
// refused if a quota does not cover it.
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

// Stream implements llm.Model. A call that exceeds its reservation is ended if no more can be reserved.
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

// tab is the usage of one call so far, and its reservation.
type tab struct {
	account Account
	call    team.Call
	info    llm.Info
	ids     []int64
	took    cost.Usage
	counted bool // took is what the vendor counted
	lost    bool // it was sent, and may have been charged although nothing was counted
}

// open reserves the maximum cost of a call. pool is the answering worker or pool; empty: this machine. key identifies
// a call that is repeated after a crash.
func (a Account) open(ctx context.Context, info llm.Info, req llm.Request, pool, key string) (*tab, error) {
	t := &tab{account: a, info: info, lost: true, call: team.Call{Person: a.Person, Pool: pool, Project: a.Project, Key: key}}
	t.call.USD, t.call.Tokens = budget.Bound(info, req)
	return t, t.more(ctx)
}

// more reserves the expected cost again.
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

// saw adds counted usage. One call of a program is many calls of its vendor, and their number is unknown beforehand.
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

// settleTime is how long the hub may take to book a finished call.
const settleTime = 5 * time.Second

// mayCost reports whether a failed call may have been charged all the same: it was interrupted, by its client or on
// the way. A vendor's refusal costs nothing.
func mayCost(err error) bool {
	e, ok := errors.AsType[*trouble.Error](err)
	if !ok {
		return true
	}
	return !e.Unsent && slices.Contains([]trouble.Kind{trouble.Network, trouble.Stall, trouble.Malformed, trouble.Crash}, e.Kind)
}

// settle books the usage of a call, also of a failed one. If nothing was counted but it may have been charged, it
// books the reservation: otherwise cancelling late would evade the quota. Without an answer of the hub, the
// reservation is booked after some hours.
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
