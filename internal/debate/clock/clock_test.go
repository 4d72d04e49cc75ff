package clock_test

import (
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/debate/clock"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The clock of a debate leaves out what was paused, the night between two processes, and the week before a choice ended it again.
func TestClock(t *testing.T) {
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	at := func(seconds int, n tree.Node) tree.Node {
		n.At = start.Add(time.Duration(seconds) * time.Second)
		return n
	}
	nodes := []tree.Node{
		at(0, table.FrameKind.New("", "person", table.Frame{})),
		at(1, exchange.AskKind.New("", "s1", exchange.Asked{})),
		at(11, exchange.ReplyKind.New("", "s1", exchange.Reply{MS: 10_000})),
		at(12, people.AppliedKind.New("", "person", people.Applied{Verb: people.Pause})),
		at(72, people.AppliedKind.New("", "person", people.Applied{Verb: people.Go})),
		at(72, exchange.AskKind.New("", "s2", exchange.Asked{})), // then the process is killed
		at(9000, exchange.ReplyKind.New("", "s2", exchange.Reply{MS: 3_000})),
		at(9001, ruling.EndKind.New("", "code", ruling.End{})),
		at(600_000, people.AppliedKind.New("", "person", people.Applied{Verb: people.Choose})),
		at(600_001, ruling.EndKind.New("", "code", ruling.End{})),
	}
	if took := clock.Worked(nodes); took != 16*time.Second {
		t.Errorf("it took %s", took)
	}
	var c clock.Clock
	for _, n := range nodes[:6] {
		c.Node(n)
	}
	resumed := start.Add(8995 * time.Second)
	if took := c.By(resumed.Add(4*time.Second), resumed); took != 16*time.Second {
		t.Errorf("4 s after it was resumed the clock says %s", took)
	}
	if took := c.By(start.Add(80*time.Second), time.Time{}); took != 20*time.Second {
		t.Errorf("8 s after the question the clock says %s", took)
	}
}
