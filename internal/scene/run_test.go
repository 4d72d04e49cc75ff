package scene

import (
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// A turn is what its nodes say of it: each file once, each refusal, what every model took, and how it ended.
func TestRun(t *testing.T) {
	used := func(usd float64, source cost.Source) cost.Usage {
		return cost.Usage{Input: 3, Output: 1, USD: usd, Source: source}
	}
	var r Run
	for _, n := range []tree.Node{
		talk.SayKind.New("", "person", talk.Said{Text: "mend it"}),
		talk.ExchangeKind.New("", "m", talk.Exchange{Model: "m", Usage: used(.5, cost.Table), Shows: []talk.Show{{Wrote: []string{"a", "b"}}, {Wrote: []string{"a"}}}}),
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "bash", Verdict: "allow"}),
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "bash", Verdict: "deny"}),
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "web", Verdict: "ask"}),                   // nobody was there
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "bash", Verdict: "ask", Began: true}),     // it began, and is decided as it goes
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "edit", Verdict: "ask", Answer: "once"}),  // by the person
		talk.JudgeKind.New("", "code", talk.Judged{Tool: "write", Verdict: "ask", Answer: "deny"}), // by the person
		talk.NoticeKind.New("", "code", talk.Notice{Text: "no snapshot", Unkept: true}),
		material.SummaryKind.New("", "small", material.Summary{Usage: used(.25, cost.Table)}),
	} {
		r.Node(n)
	}
	if r.Reply != nil || r.Unknown || r.Said != "mend it" || r.Calls != 1 || r.Unkept != "no snapshot" || r.USD != .75 {
		t.Errorf("before the reply: %+v", r)
	}
	if !slices.Equal(r.Changed, []string{"a", "b"}) {
		t.Errorf("changed %q", r.Changed)
	}
	var denied []string
	for _, j := range r.Denied {
		denied = append(denied, j.Tool)
	}
	if !slices.Equal(denied, []string{"bash", "web", "write"}) {
		t.Errorf("denied %q", denied)
	}
	reply := talk.ReplyKind.New("", "m", talk.Reply{Model: "spec", Answers: "m", State: talk.Done, Usage: used(0, cost.Unknown)})
	if body, ok := r.Node(reply).(talk.Reply); !ok || body.State != talk.Done {
		t.Error("the reply was not handed on")
	}
	if r.Reply == nil || r.End != reply.ID || !r.Unknown || len(r.Spent) != 2 || r.Spent[0].Model != "m" || r.Spent[0].Calls != 2 || r.Usage().Input != 9 {
		t.Errorf("after the reply: %+v", r)
	}
}

// A node is decoded to the type of its kind, and one that does not decode to nothing, whoever looks at it.
func TestBodies(t *testing.T) {
	if _, ok := RoomBody(exchange.AddendumKind.New("", "s", exchange.Reply{})).(Addendum); !ok {
		t.Error("a late reply is not told from one that came in time")
	}
	if _, ok := contestBody(exchange.ReplyKind.New("", "s", exchange.Reply{})).(exchange.Reply); !ok {
		t.Error("a reply is not seen in an evaluation")
	}
	for _, n := range []tree.Node{{Kind: string(table.FrameKind), Body: []byte("null")}, {Kind: string(exchange.AskKind), Body: []byte("[")}, {Kind: "of another program"}} {
		if b := RoomBody(n); b != nil {
			t.Errorf("%s is %v", n.Kind, b)
		}
		if b := ChatBody(n); b != nil {
			t.Errorf("%s is %v", n.Kind, b)
		}
	}
}
