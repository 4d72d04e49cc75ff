package contest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

// patience is how many items may go by without one answer that can be used before a contest ends. Whoever is broken from
// the start is broken on all items; going on would only make everybody look wrong.
const patience = 5

// Vain is the error of a contest in which no answer could be used. Nothing that was said counts: who goes on with the
// contest asks again.
type Vain struct {
	Items   int              `json:"items"`   // that were asked
	Replies []exchange.Reply `json:"replies"` // to one of them, of each seat
}

// Error says how many items were tried; Replies say why each failed.
func (v *Vain) Error() string {
	return fmt.Sprintf("none of the first %d items got a usable answer", v.Items)
}

// first asks every seat every item by itself.
func (c *contest) first(ctx context.Context) error {
	for {
		err := c.each(ctx, c.items, c.alone)
		if vain, ok := errors.AsType[*Vain](err); ok && c.answered {
			continue // somebody who was being asked meanwhile could answer after all
		} else if ok {
			return errors.Join(err, c.note(ctx, *vain))
		}
		if err == nil && !c.answered && len(c.vain) > 0 {
			vain := c.vainly()
			return errors.Join(vain, c.note(ctx, *vain))
		}
		return err
	}
}

// note records a vain attempt, for whoever looks at the contest.
func (c *contest) note(ctx context.Context, v Vain) error {
	_, err := c.Append(context.WithoutCancel(ctx), VainKind.New(c.Root, "code", v))
	return err
}

// hold keeps what an item came to until somebody's answer to any item could be used, and records it then.
// Until then an item counts as not asked, and its room's replies stay out of every outcome.
func (c *contest) hold(said []answer, record func() error) error {
	c.mu.Lock()
	c.held = append(c.held, record)
	if c.answered = c.answered || slices.ContainsFunc(said, func(a answer) bool { return a.text != "" }); !c.answered {
		defer c.mu.Unlock()
		if c.vain = append(c.vain, said); len(c.vain) >= patience {
			return c.vainly()
		}
		return nil
	}
	held := c.held
	c.held = nil
	c.mu.Unlock()
	for _, record := range held {
		if err := record(); err != nil {
			return err
		}
	}
	return nil
}

// vainly is the error of a contest whose items so far got no answer.
func (c *contest) vainly() *Vain {
	v := &Vain{Items: len(c.vain)}
	for _, a := range c.vain[len(c.vain)-1] {
		v.Replies = append(v.Replies, a.reply)
	}
	return v
}
