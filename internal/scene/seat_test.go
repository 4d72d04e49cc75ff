package scene

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// A ballot stands, whatever became of the judging: the seat is no lost one.
func TestBallotStands(t *testing.T) {
	for _, c := range []struct {
		act  exchange.Act
		want exchange.State
	}{{exchange.Verify, exchange.Answered}, {exchange.Cross, exchange.Unusable}} {
		r := NewRoom()
		r.Node(table.FrameKind.New("", "person", table.Frame{Seats: []table.Seat{{ID: "s1"}}}))
		for _, a := range []struct {
			act   exchange.Act
			state exchange.State
		}{{exchange.Blind, exchange.Answered}, {c.act, exchange.Unusable}} {
			ask := exchange.AskKind.New("", "code", exchange.Asked{Key: string(a.act), Seat: "s1", Act: a.act})
			r.Node(ask)
			r.Node(exchange.ReplyKind.New(ask.ID, "s1", exchange.Reply{Key: string(a.act), Seat: "s1", Act: a.act, State: a.state, Reason: "no JSON"}))
		}
		if s := r.Seats[0]; s.State != string(c.want) || !strings.Contains(s.Note, "no JSON") {
			t.Errorf("after %s the seat is %s: %s", c.act, s.State, s.Note)
		}
	}
}
