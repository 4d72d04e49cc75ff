package scene

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
)

// A ballot stands, whatever became of the judging: the seat is no lost one.
func TestBallotStands(t *testing.T) {
	for _, c := range []struct {
		act  debate.Act
		want debate.State
	}{{debate.Verify, debate.Answered}, {debate.Cross, debate.Unusable}} {
		r := NewRoom()
		r.Node(debate.FrameKind.New("", "person", debate.Frame{Seats: []debate.SeatInfo{{ID: "s1"}}}))
		for _, a := range []struct {
			act   debate.Act
			state debate.State
		}{{debate.Blind, debate.Answered}, {c.act, debate.Unusable}} {
			ask := debate.AskKind.New("", "code", debate.Asked{Key: string(a.act), Seat: "s1", Act: a.act})
			r.Node(ask)
			r.Node(debate.ReplyKind.New(ask.ID, "s1", debate.Reply{Key: string(a.act), Seat: "s1", Act: a.act, State: a.state, Reason: "no JSON"}))
		}
		if s := r.Seats[0]; s.State != string(c.want) || !strings.Contains(s.Note, "no JSON") {
			t.Errorf("after %s the seat is %s: %s", c.act, s.State, s.Note)
		}
	}
}
