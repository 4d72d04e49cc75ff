package scene

import (
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The time of a turn is its own: what the person took to answer is not in it.
func TestTurnTime(t *testing.T) {
	at := time.Unix(1000, 0)
	later := func(n tree.Node, seconds int) tree.Node {
		n.At = at.Add(time.Duration(seconds) * time.Second)
		return n
	}
	said := later(talk.SayKind.New("", "person", talk.Said{Text: "clean up"}), 0)
	need := later(asking.NeedKind.New(said.ID, "bash", asking.Need{Tool: "bash"}), 2)
	judged := later(talk.JudgeKind.New(need.ID, "engine", talk.Judged{Answer: "once"}), 62)
	second := later(asking.NeedKind.New(judged.ID, "bash", asking.Need{Tool: "bash"}), 63)
	denied := later(talk.JudgeKind.New(second.ID, "engine", talk.Judged{Answer: "deny"}), 93)
	reply := later(talk.ReplyKind.New(denied.ID, "m", talk.Reply{State: talk.Done, MS: 95_000}), 95)
	more := later(talk.SayKind.New(reply.ID, "person", talk.Said{Text: "and now"}), 200)
	next := later(talk.ReplyKind.New(more.ID, "m", talk.Reply{State: talk.Done, MS: 4_000}), 204)
	c := NewChat("todo")
	c.Load(conversation.Tree{Head: next.ID}, []tree.Node{said, need, judged, second, denied, reply, more, next}, nil)
	var took []time.Duration
	for _, e := range c.Entries {
		if e.Sort == Answered {
			took = append(took, e.Took)
		}
	}
	if len(took) != 2 || took[0] != 5*time.Second || took[1] != 4*time.Second {
		t.Errorf("the turns took %v", took)
	}
}

// A question is over once what asked it has ended: its answer would be nobody's.
func TestNothingAsksAfterItsEnd(t *testing.T) {
	said := talk.SayKind.New("", "person", talk.Said{Text: "clean up"})
	need := asking.NeedKind.New(said.ID, "bash", asking.Need{Tool: "bash"})
	for name, end := range map[string]tree.Node{
		"a command of the person, stopped while it asked": material.HandleKind.New(need.ID, "person", material.Handle{Face: "[failed: stopped]"}),
		"a turn that was killed, and the next message":    talk.SayKind.New(need.ID, "person", talk.Said{Text: "go on"}),
	} {
		c := NewChat("todo")
		c.Load(conversation.Tree{Head: need.ID}, []tree.Node{said, need}, nil)
		if _, _, open := c.Open(); !open {
			t.Fatal("the question is not open before")
		}
		if _, here := c.Node(end); !here {
			t.Fatal("the node does not follow")
		}
		if _, _, open := c.Open(); open {
			t.Errorf("%s: the question is still open", name)
		}
	}
}
