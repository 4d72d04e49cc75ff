package debate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
)

// never is a seat that must not be asked.
func never(t *testing.T) func(context.Context, exchange.Act, string) (string, error) {
	return func(context.Context, exchange.Act, string) (string, error) {
		t.Error("a seat was asked")
		return "", errors.New("asked")
	}
}

// long is preparing that takes a time, unless it is broken off.
func long(d time.Duration) func(context.Context, []debate.Seat) error {
	return func(ctx context.Context, _ []debate.Seat) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Getting seats ready is part of the room's time: who ends the round ends that, too, and nobody is asked after it.
func TestPreparingIsPartOfTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable(honest("left"), honest("left"), honest("left"))
		tab.prepare = long(time.Minute)
		var m memory
		if res := tab.must(t, &m); res.Panel.Voted != 3 {
			t.Errorf("%d voted", res.Panel.Voted)
		}
		tab = newTable(never(t), never(t))
		tab.prepare = long(time.Hour)
		start := time.Now()
		var late memory
		if res := tab.must(t, &late); res.ExitCode != 10 || time.Since(start) != tab.frame.Limits.Timeout {
			t.Errorf("out of time: exit %d after %s", res.ExitCode, time.Since(start))
		}
		interrupt := make(chan struct{})
		start = time.Now()
		time.AfterFunc(time.Second, func() { close(interrupt) })
		var ended memory
		if res, err := tab.run(t.Context(), &ended, interrupt); err != nil || res.ExitCode != 10 || time.Since(start) != time.Second {
			t.Errorf("interrupted: exit %d after %s, %v", res.ExitCode, time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		var stopped memory
		if _, err := tab.run(ctx, &stopped, nil); !errors.Is(err, context.Canceled) || len(stopped.nodes) != 1 {
			t.Errorf("stopped: %v, %d nodes", err, len(stopped.nodes))
		}
		tab = newTable(honest("left"), honest("left"))
		if res := tab.must(t, &stopped); res.Panel.Voted != 2 {
			t.Errorf("resumed: %d voted", res.Panel.Voted)
		}
	})
}

// A seat that is refused is named before anybody is asked, counts as lost, and stays so in a replay; one that could be
// asked after all leaves no trace of that in the decision.
func TestRefusedSeat(t *testing.T) {
	tab := newTable(honest("left"), honest("left"), never(t))
	tab.prepare = func(_ context.Context, seats []debate.Seat) error {
		seats[2].Refused = "there is no room"
		return nil
	}
	var m memory
	res := tab.must(t, &m)
	if s := res.Seats[2]; s.Status != verdict.Failed || s.Kind != exchange.NoCopyKind || s.Reason != "there is no room" || res.ExitCode != 11 || len(res.Notes) > 0 {
		t.Errorf("%s (%s): %s, exit %d, notes %q", s.Status, s.Kind, s.Reason, res.ExitCode, res.Notes)
	}
	if note, ok := ruling.NoteKind.Of(m.nodes[1]); !ok || note.Text != "s3 is not asked: there is no room" {
		t.Errorf("the first that is recorded is %s %s", m.nodes[1].Kind, note.Text)
	}
	again, err := debate.Replay(t.Context(), m.nodes, strategy.Find, func(hash string) (string, bool) { text, ok := m.texts[hash]; return text, ok })
	if err != nil || written(again) != written(res) {
		t.Errorf("the replay differs: %v", err)
	}

	var full memory
	full.full = 2 // the room and the note
	tab = newTable(honest("left"), honest("left"), honest("left"))
	tab.prepare = func(_ context.Context, seats []debate.Seat) error {
		seats[2].Refused = "there is no room"
		return nil
	}
	if _, err := tab.run(t.Context(), &full, nil); err == nil {
		t.Fatal("it was not cut off")
	}
	full.full, tab.prepare = 0, nil
	if res := tab.must(t, &full); res.Panel.Voted != 3 || strings.Contains(written(res), "no room") {
		t.Errorf("%d voted:\n%s", res.Panel.Voted, written(res))
	}
}
