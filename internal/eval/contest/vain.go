package contest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

// patience is the number of items without any usable answer after which a contest ends. If no seat works at the start, none works on
// any item; continuing would only make everybody look wrong.
const patience = 5

// Vain is the error of a contest in which no answer was usable. No reply counts: resuming the contest asks again.
type Vain struct {
	Items   int              `json:"items"`   // that were asked
	Replies []exchange.Reply `json:"replies"` // of each seat, to one of them
}

// Error says how many items were tried; Replies say why each failed.
func (v *Vain) Error() string {
	return fmt.Sprintf("none of the first %d items got a usable answer", v.Items)
}

// first asks every seat every item separately.
func (c *contest) first(ctx context.Context) error {
	for {
		err := c.each(ctx, c.items, c.alone)
		if vain, ok := errors.AsType[*Vain](err); ok && c.answered {
			continue // a question in progress got a usable answer after all
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

// note records a vain attempt, for readers of the contest.
func (c *contest) note(ctx context.Context, v Vain) error {
	_, err := c.Append(context.WithoutCancel(ctx), VainKind.New(c.Root, "code", v))
	return err
}

// hold keeps an item's results until an answer to any item is usable, and then records them. Until then an item counts as not asked,
// and no outcome includes its replies.
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

// vainly returns the error of a contest without any usable answer so far.
func (c *contest) vainly() *Vain {
	v := &Vain{Items: len(c.vain)}
	for _, a := range c.vain[len(c.vain)-1] {
		v.Replies = append(v.Replies, a.reply)
	}
	return v
}
