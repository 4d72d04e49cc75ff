package talk

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// sample is a conversation with a node of every kind.
func sample() Record {
	hash := "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello
	call := llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Think{Text: "hm", Signature: "s"}, llm.Call{ID: "1", Name: "read", Args: json.RawMessage(`{"path": "a<b"}`)}}}
	result := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "1", Name: "read", Text: "x", Failed: true}, llm.Image{MIME: "image/png", Data: []byte{1, 2}}}}
	nodes := []tree.Node{RootKind.New("", "person", Root{Name: "calm", Dir: "/p"}), SetKind.New("", "person", Set{FileKey + "a.go", "shown"}), BriefKind.New("", "code", Brief{Text: hash, Phase: "chat", Mode: "plan"}),
		RecallKind.New("", "code", Recalled{Text: "m", Show: "s"}), SayKind.New("", "person", Said{Text: "hi", Data: "```", Aside: true}), HandleKind.New("", "code", Handle{URI: "file:a.go", Face: "f", Held: true}),
		ExchangeKind.New("", "m", Exchange{Messages: []llm.Message{call, result}, Model: "m", Whole: map[string]string{"1": hash}, Shows: []Show{{Call: "1", Line: "read a"}}}),
		JudgeKind.New("", "code", Judged{Call: "1", Tool: "bash", Acts: []tool.Act{{Effect: tool.Runs, Argv: []string{"ls"}}}, Verdict: "ask"}), NeedKind.New("", "code", Need{Question: &tool.Question{Text: "?"}, Parts: []NeedPart{{Text: "ls", Asked: true}}}),
		AnswerKind.New("", "person", Answered{Choice: "once"}), SnapKind.New("", "code", Snap{Tree: "t", Why: "restored"}), ReplyKind.New("", "m", Reply{Message: llm.AssistantText("ok"), State: Limited, Reason: "r"}),
		AddKind.New("", "person", Added{"system", "be kind"}), NoticeKind.New("", "code", Notice{Text: "n", Model: true}), MergeKind.New("", "person", Merged{Branch: "b", Text: "t"}), SummaryKind.New("", "code", Summary{Text: "s"})}
	for i := range nodes {
		nodes[i].ID, nodes[i].At = tree.ID(fmt.Sprintf("%026d", i)), time.UnixMilli(0).UTC()
		if i > 0 {
			nodes[i].Parent = nodes[i-1].ID
		}
	}
	last := nodes[len(nodes)-1].ID
	r := Record{Name: "calm", Branch: "main", Branches: map[string]tree.ID{"main": last}, Labels: map[string]tree.ID{"l": last}}
	return r.Take(nodes, func(h string) (string, bool) { return "hello", h == hash })
}

// FuzzRecord: what is no record of a conversation is refused with a sentence, also one of a newer program; what is one
// comes out of both forms as it went in, each node comes out of its Go type as it went in, and can be shown.
func FuzzRecord(f *testing.F) {
	r := sample()
	lines, _ := r.Lines()
	whole, _ := r.JSON()
	if _, err := ReadRecord(strings.NewReader(lines)); err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add(whole)
	f.Add(strings.Replace(lines, `"exchange"`, `"answer"`, 1))
	f.Add(strings.Replace(lines, `"type":"think"`, `"type":"dream"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadRecord(strings.NewReader(text))
		if err != nil {
			if known := (&RecordError{}); !errors.As(err, &known) || known.Message == "" || known.Hint == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		lines, err := r.Lines()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{lines, whole} {
			again, err := ReadRecord(strings.NewReader(form))
			if err != nil {
				t.Fatalf("%q is written as %q: %v", text, form, err)
			}
			if back, _ := again.Lines(); back != lines {
				t.Fatalf("%q is written as %q, which is read as %q", text, lines, back)
			}
		}
		newer := r
		newer.Schema += "1"
		if form, _ := newer.Lines(); form != "" {
			if _, err := ReadRecord(strings.NewReader(form)); err == nil || !strings.Contains(err.Error(), "newer") {
				t.Fatalf("of a newer version: %v", err)
			}
		}
		show(t, r)
	})
}

// show makes of a record what people and models are shown of it.
func show(t *testing.T, r Record) {
	for _, n := range r.Nodes {
		again(t, RootKind, n)
		again(t, SetKind, n)
		again(t, BriefKind, n)
		again(t, RecallKind, n)
		again(t, SayKind, n)
		again(t, HandleKind, n)
		again(t, ExchangeKind, n)
		again(t, JudgeKind, n)
		again(t, NeedKind, n)
		again(t, SnapKind, n)
		again(t, ReplyKind, n)
		again(t, SummaryKind, n)
		Words(n)
	}
	path, ok := tree.Path(r.Nodes, r.Branches[r.Branch])
	if !ok || len(path) == 0 {
		t.Fatalf("%+v has no path", r)
	}
	for _, m := range View(path) {
		if len(m.Parts) == 0 {
			t.Fatalf("an empty message of %s among %+v", m.Role, View(path))
		}
	}
	System(path)
	Spent(path)
	Recall(path)
	Held(path)
	if drawn := Outline(r.Nodes); len(drawn) == 0 || strings.Contains(draw(drawn[:1]), "\n\n") {
		t.Fatalf("%+v is drawn as %+v", r, drawn)
	}
}

// again wants a body to come out of its type as it went in.
func again[T any](t *testing.T, k tree.Kind[T], n tree.Node) {
	body, ok := k.Of(n)
	if !ok {
		return
	}
	once := k.New(n.Parent, n.By, body)
	body, ok = k.Of(once)
	if twice := k.New(n.Parent, n.By, body); !ok || string(once.Body) != string(twice.Body) {
		t.Fatalf("%s becomes %s, then %s", n.Body, once.Body, twice.Body)
	}
}
