// Package clock computes the working time of a debate.
//
// The time between two nodes counts, unless nobody worked: while a person had paused the debate, between the process
// that ended and the one that resumed, and after the end. It needs no clock of its own, so a page, a log and a replay
// a year later tell the same time. A pause between two processes is told by the answer that follows: it took no
// longer than it says itself.
package clock

import (
	"time"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Clock counts how long a debate has been worked on, from its nodes alone, so that the page, the log and the decision tell one time. It
// stands while the debate is paused, between two processes, and once it has ended.
// The zero Clock has taken in nothing. It is for one goroutine.
type Clock struct {
	at     time.Time // of the newest node
	took   time.Duration
	stands bool
}

// Node takes in the next node.
func (c *Clock) Node(n tree.Node) {
	if c.at.IsZero() {
		c.at = n.At
	}
	// The clocks of two machines, or one that was set back, must not make time run backwards.
	gap := max(0, n.At.Sub(c.at))
	if r, ok := exchange.ReplyKind.Of(n); ok && r.MS > 0 { // what was asked again after an interruption took no longer than this
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
	} else if n.Kind == string(exchange.AskKind) { // it goes on
		c.stands = false
	} else if n.Kind == string(ruling.EndKind) {
		c.stands = true
	}
}

// Took is how long it was worked on until the newest node.
func (c *Clock) Took() time.Duration { return c.took }

// By is how long it was worked on by now, by a process that has been at work since then at least.
// now and since are of this machine; a time before the newest node counts from there.
func (c *Clock) By(now, since time.Time) time.Duration {
	if c.stands {
		return c.took
	}
	if since.Before(c.at) {
		since = c.at
	}
	return c.took + max(0, now.Sub(since))
}

// Worked is how long a debate was worked on, as its nodes tell.
func Worked(nodes []tree.Node) time.Duration {
	var c Clock
	for _, n := range nodes {
		c.Node(n)
	}
	return c.took
}
