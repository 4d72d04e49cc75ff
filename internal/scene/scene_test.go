package scene

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

var words = rapid.SampledFrom([]string{"", "one", "two words", "# head\n\ntext", "{\"option\": \"A\", \"summary\": \"s\"", "\x1b[31m"})

// nodes draws what comes next in a conversation: nodes of the path, and among them answers, which hang beside it.
func nodes(r *rapid.T, head tree.ID) []tree.Node {
	text := func() string { return words.Draw(r, "text") }
	usage := cost.Usage{Input: rapid.IntRange(0, 9).Draw(r, "input"), Output: 1}
	switch rapid.IntRange(0, 13).Draw(r, "kind") {
	case 0:
		return []tree.Node{talk.SayKind.New(head, "person", talk.Said{Text: text(), Data: text()})}
	case 1:
		key := rapid.SampledFrom([]string{"model", "mode", "file:a.go"}).Draw(r, "key")
		return []tree.Node{margin.SetKind.New(head, "person", margin.Set{Key: key, Value: text()})}
	case 2:
		return []tree.Node{talk.ReplyKind.New(head, "m", talk.Reply{Message: llm.AssistantText(text()), Model: "m", State: talk.Done, Usage: usage, MS: 5})}
	case 3:
		name := rapid.SampledFrom([]string{"todo", "edit"}).Draw(r, "tool")
		call := llm.Call{ID: "c", Name: name, Args: json.RawMessage(`{"a": 1}`)}
		show := talk.Show{Call: "c", Line: text(), Wrote: rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"})).Draw(r, "wrote"), Failed: rapid.Bool().Draw(r, "failed")}
		return []tree.Node{talk.ExchangeKind.New(head, "m", talk.Exchange{Model: "m", Usage: usage, Shows: []talk.Show{show}, Messages: []llm.Message{
			{Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: text()}, call}}, {Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c", Text: text()}}}}})}
	case 4, 5: // asked, and perhaps answered: the answer hangs beside, and is told again on the path
		need := asking.NeedKind.New(head, "code", asking.Need{Tool: "bash", Acts: []tool.Act{{Text: "x"}}})
		out := []tree.Node{need}
		if rapid.Bool().Draw(r, "answered") {
			out = append(out, asking.AnswerKind.New(need.ID, "person", asking.Answered{Choice: "deny", Reason: "why"}),
				talk.JudgeKind.New(need.ID, "code", talk.Judged{Tool: "bash", Answer: "deny", Reason: "a rule asks", Because: "why"}))
		}
		return out
	case 6:
		return []tree.Node{material.HandleKind.New(head, "person", material.Handle{URI: "file:a.go", Face: text(), Held: rapid.Bool().Draw(r, "held")})}
	case 7:
		return []tree.Node{material.MergeKind.New(head, "person", material.Merged{Branch: "b", Text: text(), Debate: rapid.Bool().Draw(r, "debate")})}
	case 8:
		return []tree.Node{material.SummaryKind.New(head, "m", material.Summary{Text: text()})}
	case 9:
		return []tree.Node{material.AddKind.New(head, "person", material.Added{Role: rapid.SampledFrom([]string{"user", "assistant"}).Draw(r, "role"), Text: text()})}
	case 10:
		return []tree.Node{talk.BriefKind.New(head, "code", talk.Brief{Notes: []string{text(), text()}})}
	case 11:
		return []tree.Node{talk.NoticeKind.New(head, "code", talk.Notice{Text: text(), Model: rapid.Bool().Draw(r, "model")})}
	case 12:
		return []tree.Node{margin.SnapKind.New(head, "code", margin.Snap{Why: rapid.SampledFrom([]string{"before", "restored"}).Draw(r, "why"), Files: []string{"a"}})}
	}
	return []tree.Node{margin.SwitchKind.New(head, "person", margin.Switch{Branch: "b"})}
}

// Whoever followed a conversation from its beginning sees what one sees who opens it now.
func TestChatFollowedOrOpened(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		root := talk.RootKind.New("", "person", talk.Root{Name: "t", Dir: "/p"})
		at := conversation.Tree{Name: "t", Root: root.ID, Head: root.ID, Dir: "/p"}
		path := []tree.Node{root}
		followed := NewChat("todo")
		followed.Load(at, path, path)
		for range rapid.IntRange(0, 12).Draw(r, "steps") {
			for i, n := range nodes(r, path[len(path)-1].ID) {
				n.Seq = int64(100*len(path) + i + 1)
				if _, here := followed.Node(n); !here {
					r.Fatalf("%s does not go on", n.Kind)
				}
				if _, here := followed.Node(n); !here { // news that come twice are no news
					r.Fatalf("%s was forgotten", n.Kind)
				}
				if n.Kind != string(asking.AnswerKind) {
					path = append(path, n)
				}
			}
			if rapid.Bool().Draw(r, "grows") {
				followed.Growing(map[tree.ID]feed.Snapshot{path[len(path)-1].ID: {Of: path[len(path)-1].ID, Text: "grows"}})
			}
			if rapid.Bool().Draw(r, "ends") {
				followed.Growing(nil)
			}
		}
		followed.Growing(nil)
		at.Head = path[len(path)-1].ID
		opened := NewChat("todo")
		opened.Load(at, path, path)
		ask, _, asks := followed.Open()
		if again, _, too := opened.Open(); ask != again || asks != too {
			r.Errorf("%q is asked, or %q", ask, again)
		}
		followed.Rev, opened.Rev = 0, 0
		followed.counted, opened.counted = 0, 0 // one has heard what the other has read
		followed.ids, opened.ids = nil, nil
		if !reflect.DeepEqual(followed, opened) {
			r.Errorf("followed:\n%+v\nopened:\n%+v", followed, opened)
		}
		again := NewChat("todo")
		again.Load(at, path, path)
		again.Load(at, path, path)
		if again.Rev, again.ids, again.counted = 0, nil, 0; !reflect.DeepEqual(again, opened) {
			r.Errorf("opened twice:\n%+v\nonce:\n%+v", again, opened)
		}
	})
}

// A node that hangs elsewhere changes nothing: the conversation must be looked at again.
func TestChatOfAnotherBranch(t *testing.T) {
	root := talk.RootKind.New("", "person", talk.Root{Name: "t"})
	c := NewChat("todo")
	c.Load(conversation.Tree{Root: root.ID, Head: root.ID}, []tree.Node{root}, []tree.Node{root})
	said := talk.SayKind.New(root.ID, "person", talk.Said{Text: "here"})
	other := talk.SayKind.New(root.ID, "person", talk.Said{Text: "there"})
	_, here := c.Node(said)
	if _, there := c.Node(other); !here || there || len(c.Entries) != 1 || c.Title != "here" {
		t.Errorf("%+v", c)
	}
}

// What grew in a debate leaves nothing behind once the answers are there, and texts may come at any time.
func TestRoomWithAndWithoutGrowing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		frame := table.FrameKind.New("", "person", table.Frame{Question: "q", Strategy: "council", Options: motion.Letters([]string{"left", "right"})})
		f, _ := table.FrameKind.Of(frame)
		for i := range 3 {
			f.Seats = append(f.Seats, table.Seat{ID: fmt.Sprint("s", i), Spec: "m", Model: "m", Lineage: "l"})
		}
		frame = table.FrameKind.New("", "person", f)
		all, texts := []tree.Node{frame}, map[string]string{}
		var asked []tree.Node
		for i := range rapid.IntRange(0, 12).Draw(r, "steps") {
			seat := fmt.Sprint("s", rapid.IntRange(0, 3).Draw(r, "seat")) // s3 does not sit
			switch rapid.IntRange(0, 6).Draw(r, "kind") {
			case 0, 1:
				if slices.ContainsFunc(asked, func(n tree.Node) bool { a, _ := exchange.AskKind.Of(n); return a.Seat == seat }) {
					continue // a seat answers one question at a time
				}
				n := exchange.AskKind.New(frame.ID, "code", exchange.Asked{Key: fmt.Sprint("k", i), Seat: seat, Act: exchange.Blind, Labels: map[string]string{"A": "B", "B": "A"}})
				asked = append(asked, n)
				all = append(all, n)
			case 2, 3:
				if len(asked) == 0 {
					continue
				}
				a, _ := exchange.AskKind.Of(asked[0])
				hash := fmt.Sprint("hash", i)
				texts[hash] = words.Draw(r, "text")
				all = append(all, exchange.ReplyKind.New(asked[0].ID, a.Seat, exchange.Reply{Key: a.Key, Seat: a.Seat, Act: a.Act, State: exchange.Answered, Text: hash, MS: 7, Calls: 1, Usage: cost.Usage{Input: 3}}))
				asked = asked[1:]
			case 4:
				all = append(all, ruling.NoteKind.New(frame.ID, "code", ruling.Note{Text: "a note"}))
			case 5:
				all = append(all, people.NeedKind.New(frame.ID, "code", people.Need{Key: "k", Text: "choose"}))
			case 6:
				verb := rapid.SampledFrom([]string{people.Pause, people.Go, people.Choose, people.Say}).Draw(r, "verb")
				all = append(all, people.AppliedKind.New(frame.ID, "code", people.Applied{Verb: verb, Done: "done", Refused: rapid.Bool().Draw(r, "refused")}))
			}
		}
		still, lively := NewRoom(), NewRoom()
		for _, n := range all {
			still.Node(n)
			lively.Node(n)
			snaps := map[tree.ID]feed.Snapshot{}
			for _, t := range lively.asks {
				snaps[t.Ask] = feed.Snapshot{Of: t.Ask, State: "writing", Note: "n", Text: words.Draw(r, "grows"), Usage: 4}
			}
			lively.Growing(snaps)
			for _, s := range lively.Seats {
				for _, turn := range s.Turns {
					lively.Read(turn)
				}
			}
			if rapid.Bool().Draw(r, "texts") {
				lively.Texts(texts)
			}
		}
		still.Texts(texts)
		lively.Texts(texts)
		if len(still.Wanted()) > 0 || len(lively.Wanted()) > 0 {
			r.Errorf("texts are wanted still: %v, %v", still.Wanted(), lively.Wanted())
		}
		for i, a := range still.Seats {
			b := lively.Seats[i]
			if b.Busy { // it grows still
				continue
			}
			if a.State != b.State || a.Note != b.Note || a.Tokens != b.Tokens || a.Usage != b.Usage || a.Took != b.Took || len(a.Turns) != len(b.Turns) {
				r.Errorf("seat %+v\nand with what grew %+v", a, b)
			}
			for j, turn := range a.Turns {
				if turn.Reply != nil && still.Read(turn) != lively.Read(b.Turns[j]) {
					r.Errorf("%q and %q", still.Read(turn), lively.Read(b.Turns[j]))
				}
			}
		}
		if !reflect.DeepEqual(still.Lines, lively.Lines) || still.Stage != lively.Stage || still.Paused != lively.Paused || !reflect.DeepEqual(still.Need, lively.Need) || still.Clock != lively.Clock {
			r.Errorf("%+v\n%+v", still, lively)
		}
	})
}

// What was answered grows no more, whichever comes first: the answer, a conversation looked at again, or the last of what grew.
func TestAnsweredGrowsNoMore(t *testing.T) {
	said := talk.SayKind.New("", "person", talk.Said{Text: "Why?"})
	reply := talk.ReplyKind.New(said.ID, "model", talk.Reply{Message: llm.Message{Role: llm.Assistant}, State: talk.Done})
	late := map[tree.ID]feed.Snapshot{said.ID: {Of: said.ID, State: "writing", Text: "Because"}}
	c := NewChat("todo")
	c.Load(conversation.Tree{Head: said.ID}, []tree.Node{said}, nil)
	if !c.Growing(late) || c.Live.Text == "" {
		t.Fatal("it does not grow")
	}
	c.Load(conversation.Tree{Head: reply.ID}, []tree.Node{said, reply}, nil)
	if c.Live.Text != "" {
		t.Error("it still grows after it was looked at anew")
	}
	if c.Growing(late); c.Live.Text != "" {
		t.Error("it grows again by what comes late")
	}
}

// What was paid for stays paid when the conversation goes back, and nothing is counted twice.
func TestChatSpentElsewhere(t *testing.T) {
	said := talk.SayKind.New("", "person", talk.Said{Text: "here"})
	paid := func(seq int64, parent tree.ID) tree.Node {
		n := talk.ReplyKind.New(parent, "m", talk.Reply{Model: "m", State: talk.Done, Usage: cost.Usage{Input: 10, USD: 1}})
		n.Seq = seq
		return n
	}
	said.Seq = 1
	left, late := paid(2, said.ID), paid(3, said.ID)
	c := NewChat("todo")
	c.Load(conversation.Tree{Head: said.ID}, []tree.Node{said}, []tree.Node{said, left, late}) // late came between two looks
	for range 2 {
		c.Node(late)
	}
	c.Node(paid(4, late.ID))
	if len(c.Spent) != 1 || c.Spent[0].Calls != 3 || c.Spent[0].Usage.USD != 3 {
		t.Errorf("%+v", c.Spent)
	}
}

// TestRoomPrepares: while copies are made a room says so, until somebody is asked.
func TestRoomPrepares(t *testing.T) {
	r := NewRoom()
	frame := table.FrameKind.New("", "person", table.Frame{Room: "x", Seats: []table.Seat{{ID: "s"}}})
	r.Node(frame)
	growing := map[tree.ID]feed.Snapshot{frame.ID: {Of: frame.ID, State: debate.Preparing, Note: "preparing a copy of the project: 1 of 2 files"}}
	if !r.Growing(growing) || r.Stage != "preparing a copy of the project: 1 of 2 files" {
		t.Errorf("it says %q", r.Stage)
	}
	r.Node(exchange.AskKind.New(frame.ID, "code", exchange.Asked{Key: "blind//s", Seat: "s", Act: exchange.Blind}))
	if asked := r.Stage; r.Growing(growing) || r.Stage != asked {
		t.Errorf("then it says %q", r.Stage)
	}
}
