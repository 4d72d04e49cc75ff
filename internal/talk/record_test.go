package talk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/memory"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// sample is a conversation with a node of every kind.
func sample() archive.Record {
	hash := "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello
	call := llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Think{Text: "hm", Signature: "s"}, llm.Call{ID: "1", Name: "read", Args: json.RawMessage(`{"path": "a<b"}`)}}}
	result := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "1", Name: "read", Text: "x", Failed: true}, llm.Attachment{MIME: "image/png", Data: []byte{1, 2}}}}
	nodes := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "calm", Dir: "/p"}), margin.SetKind.New("", "person", margin.Set{Key: margin.FileKey + "a.go", Value: "shown"}), talk.BriefKind.New("", "code", talk.Brief{Text: hash, Phase: "chat", Mode: "plan"}),
		memory.RecallKind.New("", "code", memory.Recalled{Text: "m", Show: "s"}), talk.SayKind.New("", "person", talk.Said{Text: "hi", Data: "```", Aside: true}), material.HandleKind.New("", "code", material.Handle{URI: "file:a.go", Face: "f", Held: true}),
		talk.ExchangeKind.New("", "m", talk.Exchange{Messages: []llm.Message{call, result}, Model: "m", Whole: map[string]string{"1": hash}, Shows: []talk.Show{{Call: "1", Line: "read a"}}}),
		talk.JudgeKind.New("", "code", talk.Judged{Call: "1", Tool: "bash", Acts: []tool.Act{{Effect: tool.Runs, Argv: []string{"ls"}}}, Verdict: "ask"}), asking.NeedKind.New("", "code", asking.Need{Question: &tool.Question{Text: "?"}, Parts: []asking.Part{{Text: "ls", Asked: true}}}),
		asking.AnswerKind.New("", "person", asking.Answered{Choice: "once"}), margin.SnapKind.New("", "code", margin.Snap{Tree: "t", Why: "restored"}), talk.ReplyKind.New("", "m", talk.Reply{Message: llm.AssistantText("ok"), State: talk.Limited, Reason: "r"}),
		material.AddKind.New("", "person", material.Added{Role: "system", Text: "be kind"}), talk.NoticeKind.New("", "code", talk.Notice{Text: "n", Model: true}), material.MergeKind.New("", "person", material.Merged{Branch: "b", Text: "t"}), material.SummaryKind.New("", "code", material.Summary{Text: "s"})}
	for i := range nodes {
		nodes[i].ID, nodes[i].At = tree.ID(fmt.Sprintf("%026d", i)), time.UnixMilli(0).UTC()
		if i > 0 {
			nodes[i].Parent = nodes[i-1].ID
		}
	}
	last := nodes[len(nodes)-1].ID
	r := archive.Record{Name: "calm", Branch: "main", Branches: map[string]tree.ID{"main": last}, Labels: map[string]tree.ID{"l": last}}
	return r.Take(nodes, func(h string) (string, bool) { return "hello", h == hash })
}

// FuzzRecord: what is no record of a conversation is refused with a sentence, also one of a newer program; what is one
// comes out of both forms as it went in, each node comes out of its Go type as it went in, and can be shown.
func FuzzRecord(f *testing.F) {
	r := sample()
	lines, _ := r.Lines()
	whole, _ := r.JSON()
	if _, err := archive.Read(strings.NewReader(lines)); err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add(whole)
	f.Add(strings.Replace(lines, `"exchange"`, `"answer"`, 1))
	f.Add(strings.Replace(lines, `"type":"think"`, `"type":"dream"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := archive.Read(strings.NewReader(text))
		if err != nil {
			if known := (&archive.Error{}); !errors.As(err, &known) || known.Message == "" || known.Hint == "" {
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
			again, err := archive.Read(strings.NewReader(form))
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
			if _, err := archive.Read(strings.NewReader(form)); err == nil || !strings.Contains(err.Error(), "newer") {
				t.Fatalf("of a newer version: %v", err)
			}
		}
		show(t, r)
	})
}

// show makes of a record what people and models are shown of it.
func show(t *testing.T, r archive.Record) {
	for _, n := range r.Nodes {
		again(t, talk.RootKind, n)
		again(t, margin.SetKind, n)
		again(t, talk.BriefKind, n)
		again(t, memory.RecallKind, n)
		again(t, talk.SayKind, n)
		again(t, material.HandleKind, n)
		again(t, talk.ExchangeKind, n)
		again(t, talk.JudgeKind, n)
		again(t, asking.NeedKind, n)
		again(t, margin.SnapKind, n)
		again(t, talk.ReplyKind, n)
		again(t, material.SummaryKind, n)
		outline.Words(n)
	}
	path, ok := tree.Path(r.Nodes, r.Branches[r.Branch])
	if !ok || len(path) == 0 {
		t.Fatalf("%+v has no path", r)
	}
	for _, m := range view.Messages(path) {
		if len(m.Parts) == 0 {
			t.Fatalf("an empty message of %s among %+v", m.Role, view.Messages(path))
		}
	}
	view.System(path)
	spending.Spent(path)
	memory.Recall(path)
	view.Held(path)
	if drawn := outline.Of(r.Nodes); len(drawn) == 0 || strings.Contains(draw(drawn[:1]), "\n\n") {
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
