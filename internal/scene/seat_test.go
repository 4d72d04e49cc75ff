package scene

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/table"
)

// A ballot stands, whatever became of the judging: the seat is no lost one.
func TestBallotStands(t *testing.T) {
	for _, c := range []struct {
		ballot exchange.State
		act    exchange.Act
		came   exchange.State
		want   exchange.State
	}{
		{exchange.Answered, exchange.Verify, exchange.Unusable, exchange.Answered},
		{exchange.Answered, exchange.Verify, exchange.Late, exchange.Answered},
		{exchange.Answered, exchange.Verify, exchange.Dropped, exchange.Dropped}, // the whole seat
		{exchange.Answered, exchange.Cross, exchange.Unusable, exchange.Unusable},
		{exchange.Unusable, exchange.Verify, exchange.Unusable, exchange.Unusable}, // there is no ballot
	} {
		r := NewRoom()
		r.Node(table.FrameKind.New("", "person", table.Frame{Seats: []table.Seat{{ID: "s1"}}}))
		for _, a := range []struct {
			act   exchange.Act
			state exchange.State
		}{{exchange.Blind, c.ballot}, {c.act, c.came}} {
			ask := exchange.AskKind.New("", "code", exchange.Asked{Key: string(a.act), Seat: "s1", Act: a.act})
			r.Node(ask)
			r.Node(exchange.ReplyKind.New(ask.ID, "s1", exchange.Reply{Key: string(a.act), Seat: "s1", Act: a.act, State: a.state, Reason: "no JSON"}))
		}
		if s := r.Seats[0]; s.State != string(c.want) || !strings.Contains(s.Note, "no JSON") {
			t.Errorf("after a ballot %s, %s %s: the seat is %s: %s", c.ballot, c.act, c.came, s.State, s.Note)
		}
	}
}

// A person who was asked has answered once they have said so, also while the debate has not read it; a word that is refused is no answer.
func TestWaits(t *testing.T) {
	r := NewRoom()
	frame := table.FrameKind.New("", "person", table.Frame{Seats: []table.Seat{{ID: "s1"}}})
	r.Node(frame)
	r.Node(people.NeedKind.New(frame.ID, "code", people.Need{Key: "k", Text: "Which?", Options: []string{"A: one"}}))
	if need, ok := r.Waits(); !ok || need.Text != "Which?" {
		t.Fatalf("it asks %+v, %v", need, ok)
	}
	said := people.MessageKind.New(frame.ID, "person", people.Message{Verb: people.Choose, Option: "A"})
	r.Node(said)
	if _, ok := r.Waits(); ok {
		t.Error("it asks again what was answered")
	}
	r.Node(people.AppliedKind.New(frame.ID, "code", people.Applied{Message: string(said.ID), Verb: people.Choose, Refused: true}))
	if _, ok := r.Waits(); !ok {
		t.Error("a refused choice counts as an answer")
	}
	if len(r.Spoken) != 1 || r.Spoken[0].Message.Option != "A" || r.Spoken[0].Reply != nil {
		t.Errorf("spoken is %+v", r.Spoken)
	}
}

// A late reply is spoken to the question it was asked, and is not taken for one that came in time.
func TestSpokenLate(t *testing.T) {
	r := NewRoom()
	r.Node(table.FrameKind.New("", "person", table.Frame{Seats: []table.Seat{{ID: "s1"}}}))
	ask := exchange.AskKind.New("", "code", exchange.Asked{Key: "talk/2/s1", Seat: "s1", Act: exchange.Talk})
	r.Node(ask)
	r.Node(exchange.ReplyKind.New(ask.ID, "s1", exchange.Reply{Key: "talk/2/s1", Seat: "s1", Act: exchange.Talk, State: exchange.Late}))
	r.Node(exchange.AddendumKind.New(ask.ID, "s1", exchange.Reply{Key: "talk/2/s1", Seat: "s1", Act: exchange.Talk, State: exchange.Answered}))
	if len(r.Spoken) != 2 || r.Spoken[0].Late || !r.Spoken[1].Late || r.Spoken[1].Turn == nil || r.Seats[0].State != string(exchange.Late) {
		t.Errorf("spoken is %+v, the seat %+v", r.Spoken, r.Seats[0])
	}
	if got := Came(*r.Spoken[0].Reply); got != "talk, round 2: late" {
		t.Errorf("it came as %q", got)
	}
}
