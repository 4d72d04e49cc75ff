// Package clock computes the working time of a debate.
//
// The time between two nodes counts, unless nobody worked: while a person had paused the debate, between the process that ended and
// the one that resumed, and after the end. It reads no system clock, so a page, a log and a replay a year later show the same time. A
// pause between two processes shows in the answer that follows: it took no longer than its own duration says.
package clock

import (
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Clock counts how long a debate has been worked on, from its nodes alone, so that the page, the log and the decision show the same
// time. It stops while the debate is paused, between two processes, and once it has ended. The zero Clock has seen no node. It is for
// one goroutine.
type Clock struct {
	at     time.Time // of the newest node
	took   time.Duration
	stands bool
}

// Node advances the clock by the next node.
func (c *Clock) Node(n tree.Node) {
	if c.at.IsZero() {
		c.at = n.At
	}
	// The clocks of two machines, or one that was set back, must not make time run backwards.
	gap := max(0, n.At.Sub(c.at))
	if r, ok := exchange.ReplyKind.Of(n); ok && r.MS > 0 { // a question asked again after an interruption took no longer than this
		gap = min(gap, time.Duration(r.MS)*time.Millisecond)
	}
	if !c.stands {
		c.took += gap
	}
	if n.At.After(c.at) {
		c.at = n.At
	}
	if h, ok := people.AppliedKind.Of(n); ok && !h.Refused && h.Verb == people.Pause {
		c.stands = true
	} else if n.Kind == string(exchange.AskKind) { // it continues
		c.stands = false
	} else if n.Kind == string(ruling.EndKind) {
		c.stands = true
	}
}

// Took returns the working time until the newest node.
func (c *Clock) Took() time.Duration { return c.took }

// By returns the working time until now, in a process that has worked since then at least. now and since are times of this machine;
// if since is before the newest node, time counts from that node.
func (c *Clock) By(now, since time.Time) time.Duration {
	if c.stands {
		return c.took
	}
	if since.Before(c.at) {
		since = c.at
	}
	return c.took + max(0, now.Sub(since))
}

// Worked returns the working time of a debate, from its nodes.
func Worked(nodes []tree.Node) time.Duration {
	var c Clock
	for _, n := range nodes {
		c.Node(n)
	}
	return c.took
}
