package contest

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/tree"
)

// mark is the part of a recorded outcome that a contest keeps in memory; the whole is in the store.
type mark struct {
	right  bool
	tokens int
	usd    float64
}

func (o Outcome) mark() mark { return mark{o.Right, o.Usage.Total(), o.Usage.USD} }

// key identifies an outcome in its contest.
func (o Outcome) key() string {
	return strings.Join([]string{asking{suite.Item{ID: o.Item}, o.Swapped}.key(), string(o.Arm), o.Seat}, "\x00")
}

// known reports whether an outcome is recorded.
func (c *contest) known(o Outcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.marks[o.key()]
	return ok
}

// said returns the seats' own answers.
func (c *contest) said(q asking) []answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers[q.key()]
}

// forget drops the seats' own answers.
func (c *contest) forget(q asking) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answers, q.key())
}

// wants reports whether an outcome is planned and missing.
func (c *contest) wants(o Outcome) bool { return c.has(o.Arm) && !c.known(o) }

// complete reports whether everything about an item is recorded.
func (c *contest) complete(q asking) bool {
	for _, s := range c.Seats {
		if c.wants(q.outcome(Single, s.ID)) {
			return false
		}
	}
	if c.chooses[q.ID] {
		return true
	}
	for _, arm := range c.Arms {
		o := q.outcome(arm, "")
		if arm == Sc || arm == Fuse {
			o.Seat = c.chosen.Best
		}
		if arm != Single && c.wants(o) {
			return false
		}
	}
	return true
}

// record judges new outcomes and records them.
func (c *contest) record(ctx context.Context, q asking, all ...Outcome) error {
	var nodes []tree.Node
	for i := range all {
		o := &all[i]
		if c.known(*o) {
			continue
		}
		o.Class = ""
		if o.Answer != "" {
			o.Class = q.Class(o.Answer)
		}
		var err error
		if o.Right, err = c.judge(ctx, q.Item, o.Answer); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			// If a check could not run, the answer is not right, and a failure is shown.
			o.fail("check: " + cut(err.Error(), 200))
		}
		nodes = append(nodes, OutcomeKind.New(c.Root, "code", *o))
	}
	if len(nodes) == 0 {
		return nil
	}
	// It was paid for, so a stop must not lose it.
	if _, err := c.Append(context.WithoutCancel(ctx), nodes...); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range all {
		if _, known := c.marks[o.key()]; !known {
			c.marks[o.key()] = o.mark()
		}
	}
	return nil
}

// judge reports whether an answer is right. The same answer to an item is judged once.
func (c *contest) judge(ctx context.Context, it suite.Item, said string) (bool, error) {
	key := sha256.Sum256([]byte(it.ID + "\x00" + said))
	c.mu.Lock()
	right, known := c.judged[key]
	c.mu.Unlock()
	if known {
		return right, nil
	}
	right, err := c.Judge.Right(ctx, it, said)
	if err == nil {
		c.mu.Lock()
		c.judged[key] = right
		c.mu.Unlock()
	}
	return right, err
}
