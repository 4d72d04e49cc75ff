package turns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/handle"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/archive"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

func (o *office) open(name string) conversation.Tree {
	o.t.Helper()
	t, err := conversation.In(o.Engine).Open(o.t.Context(), name)
	if err != nil {
		o.t.Fatal(err)
	}
	return t
}

func (o *office) record(name string) archive.Record {
	o.t.Helper()
	r, err := conversation.In(o.Engine).Record(o.t.Context(), o.open(name))
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func (o *office) hear(words string) (out []string) {
	o.t.Helper()
	hits, _, err := conversation.In(o.Engine).Search(o.t.Context(), conversation.Query{Words: words, Most: 10})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, h := range hits {
		out = append(out, h.Tree+": "+h.Excerpt)
	}
	slices.Sort(out)
	return out
}

func (o *office) refuses(op engine.Op, want string) {
	o.t.Helper()
	_, err := o.Do(o.t.Context(), op)
	if r := (*engine.Refusal)(nil); !errors.As(err, &r) || !strings.Contains(r.Message, want) {
		o.t.Errorf("%T: %v, not a refusal with %q", op, err, want)
	}
}

func written(t *testing.T, r archive.Record) (one, lines string) {
	t.Helper()
	one, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if lines, err = r.Lines(); err != nil {
		t.Fatal(err)
	}
	return one, lines
}

func TestTreesAreTransferred(t *testing.T) {
	o := newOffice(t, false)
	o.do(turns.Say{Tree: "work", Text: "say hello", Model: "x"})
	o.do(conversation.Label{Tree: "work", Name: "good"})
	o.do(conversation.Branch{Tree: "work", At: "HEAD~1", Name: "other"})
	o.do(turns.Say{Tree: "work", Text: "say an okapi", Model: "x"})
	o.do(conversation.Merge{Tree: "work", From: "main"})
	o.do(turns.Exec{Tree: "work", Command: "echo first > f; cat f", Mode: permission.Yolo})
	one, lines := written(t, o.record("work"))
	for _, text := range []string{one, lines} {
		r, err := archive.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		p := newOffice(t, false)
		p.do(conversation.Rename{Tree: "work", Name: "own"})
		p.do(conversation.Import{Record: r, Dir: o.dir})
		again, lined := written(t, p.record("work"))
		if again != one || lined != lines {
			t.Errorf("what came out is not what went in:\n%s\n%s", one, again)
		}
		if got := p.open("work"); got.Branch != "other" || got.Head != o.open("work").Head {
			t.Errorf("%+v", got)
		}
		if got := p.hear("okapi"); len(got) != 2 {
			t.Errorf("found %q", got)
		}
		p.refuses(conversation.Import{Record: r, Dir: o.dir}, "conversation work already exists")
		p.do(conversation.Import{Record: r, Dir: o.dir, Name: "copy"})
		copied := p.record("copy")
		if copied.Nodes[0].ID == r.Nodes[0].ID || len(copied.Nodes) != len(r.Nodes) || copied.Branches["main"] == r.Branches["main"] {
			t.Error("a copy beside the original has its ids")
		}
		if raw, _ := copied.JSON(); strings.Contains(raw, string(r.Branches["main"])) {
			t.Error("an old id is left in the copy")
		}
	}
}

func TestNothingWideComesIn(t *testing.T) {
	o := newOffice(t, false)
	o.say("say hello")
	r := o.record("work")
	r.Nodes = append(r.Nodes, margin.TitleKind.New(r.Nodes[0].ID, "person", margin.Title{Text: "one\nline"}))
	elsewhere := t.TempDir()
	o.do(conversation.Import{Record: r, Name: "in", Dir: elsewhere, Safe: func(string) bool { return false }})
	path, err := conversation.In(o.Engine).Path(t.Context(), o.open("in").Head)
	if err != nil {
		t.Fatal(err)
	}
	if set := margin.Settings(path); set["mode"] != "balanced" || set["model"] != "" || o.open("in").Dir != elsewhere {
		t.Errorf("%v in %s", set, o.open("in").Dir)
	}
	if title, err := conversation.In(o.Engine).Title(t.Context(), o.open("in")); title != "one line" {
		t.Errorf("its title is %q (%v)", title, err)
	}
	if here, _ := conversation.In(o.Engine).Path(t.Context(), o.open("work").Head); view.Strangers(here) || !view.Strangers(path) {
		t.Error("what was imported counts as trusted, or what was not as untrusted")
	}
}

func TestRecordsAreChecked(t *testing.T) {
	o := newOffice(t, false)
	o.say("say hello")
	for want, spoil := range map[string]func(r *archive.Record){
		"newer socrates":               func(r *archive.Record) { r.Schema = "socrates.tree/2" },
		"not an exported conversation": func(r *archive.Record) { r.Schema = "record/1" },
		"no nodes":                     func(r *archive.Record) { r.Nodes = nil },
		"has no parent":                func(r *archive.Record) { r.Nodes[1].Parent = tree.NewID() },
		"no parent before it":          func(r *archive.Record) { r.Nodes = r.Nodes[1:] },
		"has the id":                   func(r *archive.Record) { r.Nodes[1].ID = r.Nodes[0].ID },
		"unknown kind":                 func(r *archive.Record) { r.Nodes[1].Kind = "frame" },
		"no readable content":          func(r *archive.Record) { r.Nodes[1].Body = json.RawMessage("7") },
		"does not point to":            func(r *archive.Record) { r.Branches["main"] = tree.NewID() },
		"does not exist":               func(r *archive.Record) { r.Branch = "none" },
		"match its hash":               func(r *archive.Record) { r.Texts[strings.Repeat("a", 64)] = "b" },
	} {
		r := o.record("work")
		spoil(&r)
		text, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestTreesAreDeletedRenamedAndFound(t *testing.T) {
	o := newOffice(t, false)
	o.say("say a tapir")
	before, _ := written(t, o.record("work"))
	o.do(conversation.Delete{Trees: []string{"work"}})
	if got := o.hear("tapir"); len(got) != 0 {
		t.Errorf("found in the trash: %q", got)
	}
	o.do(conversation.NewTree{Name: "work", Dir: o.dir})
	o.refuses(conversation.Restore{Tree: "work"}, "another tree is now named work")
	o.refuses(conversation.Delete{Trees: []string{"work"}}, "the trash already contains")
	o.do(conversation.Rename{Tree: "work", Name: "second"})
	o.do(conversation.Restore{Tree: "work"})
	if after, _ := written(t, o.record("work")); after != before {
		t.Errorf("what was restored is not what was deleted:\n%s\n%s", before, after)
	}
	o.do(conversation.Label{Tree: "work", Name: "here"})
	o.refuses(conversation.Rename{Tree: "work", Name: "second"}, "conversation second already exists")
	o.do(conversation.Rename{Tree: "work", Name: "third"})
	if got := o.hear("tapir"); len(got) != 2 || !strings.HasPrefix(got[0], "third: ") {
		t.Errorf("found %q", got)
	}
	if r := o.record("third"); len(r.Labels) != 1 {
		t.Errorf("labels %v", r.Labels)
	}
	o.refuses(conversation.Restore{Tree: "gone"}, "no tree gone in the trash")
}

func TestWhichTreeIsMeant(t *testing.T) {
	o := newOffice(t, false)
	last := func(want string) {
		t.Helper()
		if got, err := conversation.In(o.Engine).Last(t.Context(), o.dir); got != want || err != nil {
			t.Errorf("%s is meant, not %s (%v)", got, want, err)
		}
	}
	last("work")
	o.do(conversation.NewTree{Name: "other", Dir: t.TempDir()})
	last("work")
	o.refuses(conversation.Use{Tree: "other", Dir: o.dir}, "belongs to")
	o.do(conversation.Import{Record: o.record("work"), Name: "old", Dir: o.dir})
	last("old")
	o.do(conversation.Use{Tree: "work", Dir: o.dir})
	o.do(conversation.Remark{Tree: "old", Role: "user", Text: "later"}) // somebody else is at work there
	last("work")
	o.do(conversation.Rename{Tree: "work", Name: "mine"})
	last("mine")
	o.do(conversation.Delete{Trees: []string{"mine"}})
	last("old")
}

func TestATurnOnAnOldBranchTellsOnlyItsOwn(t *testing.T) {
	o := newOffice(t, false)
	o.say("say one")
	o.say("say two")
	o.do(conversation.Branch{Tree: "work", At: "HEAD~1"})
	o.do(turns.Say{Tree: "work", Text: "say three", Model: "x"})
	for n, err := range o.Watch(t.Context(), o.root, o.Recorded(o.root)) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Node == nil {
			continue
		}
		if words, _ := outline.Words(*n.Node); strings.Contains(words, "two") {
			t.Errorf("what another branch said is news: %s", words)
		}
	}
}

func TestHandlesTellWhatChanged(t *testing.T) {
	o := newOffice(t, false)
	look := func(what string, keep bool) turns.Resolved {
		t.Helper()
		r, err := turns.In(o.Engine).Resolve(t.Context(), turns.Lookup{Tree: "work", What: what, Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	o.say("printf 'a\\nb\\n' > f; seq 20000")
	call := ""
	for _, n := range o.path() {
		if n.Kind == string(talk.ExchangeKind) {
			call = "bash:" + n.ID.Short() + "/1"
		}
	}
	if r := look(call, false); !strings.HasPrefix(r.Text, "1\n2\n") || !strings.HasSuffix(r.Text, "19999\n20000\n") || len(r.Face) > 5000 || r.State != handle.Unseen {
		t.Errorf("%d bytes, state %s", len(r.Text), r.State)
	}
	nodes := o.path()
	for what, want := range map[string]string{strings.Split(strings.TrimPrefix(call, "bash:"), "/")[0]: "the output of its first call is " + call,
		nodes[1].ID.Short(): "socrates tree show --nodes lists the nodes", "zzzzz": ""} {
		_, err := turns.In(o.Engine).Resolve(t.Context(), turns.Lookup{Tree: "work", What: what})
		if r, ok := errors.AsType[*engine.Refusal](err); err == nil || want != "" && (!ok || r.Hint != want) || want == "" && strings.Contains(err.Error(), "handle") {
			t.Errorf("%s: %+v, not %q", what, err, want)
		}
	}
	look("file:f", true)
	if r := look("file:f", false); r.State != handle.Same || r.Before != "a\nb\n" {
		t.Errorf("%+v", r)
	}
	o.say("echo c >> f")
	if r := look("file:f", false); r.State != handle.Changed || r.Text != "a\nb\nc\n" || r.Before != "a\nb\n" {
		t.Errorf("%+v", r)
	}
	o.say("rm f")
	if r := look("file:f", false); r.State != handle.Gone || r.Face != "a\nb\n" {
		t.Errorf("%+v", r)
	}
	o.do(turns.Exec{Tree: "work", Command: "echo hi"})
	if r := look("HEAD", false); r.State != handle.Same || r.Text != "hi\n" {
		t.Errorf("%+v", r)
	}
}

func TestDiff(t *testing.T) {
	o := newOffice(t, false)
	o.say("say hello")
	o.say("echo left > f")
	o.do(conversation.Branch{Tree: "work", At: "HEAD~1", Name: "right"})
	o.do(conversation.SwitchTo{Tree: "work", Branch: "right", Files: true})
	o.say("echo right > f")
	at := o.open("work")
	main, err := conversation.In(o.Engine).Locate(t.Context(), at, "main")
	if err != nil {
		t.Fatal(err)
	}
	d, err := conversation.In(o.Engine).Diff(t.Context(), at, main.ID, at.Head)
	if err != nil || len(d.Files) != 1 || !strings.Contains(d.Patch, "-left\n+right") {
		t.Fatalf("%+v %v", d, err)
	}
	if says := talk.SayKind.All(d.A); len(says) != 1 || says[0].Text != "echo left > f" {
		t.Errorf("%+v", says)
	}
}

// long is a conversation of 10,000 nodes, 2,500 turns.
func long(o *office, name string) {
	r := archive.Record{Name: name, Branch: "main", Branches: map[string]tree.ID{}, Labels: map[string]tree.ID{}}
	r.Nodes = []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: name, Dir: o.dir})}
	add := func(n tree.Node) {
		n.Parent = r.Nodes[len(r.Nodes)-1].ID
		r.Nodes = append(r.Nodes, n)
	}
	for i := range 2500 {
		args, _ := json.Marshal(map[string]string{"command": fmt.Sprint("ls ", i)})
		add(talk.SayKind.New("", "person", talk.Said{Text: fmt.Sprintf("Where is thing %d?", i)}))
		add(talk.JudgeKind.New("", "code", talk.Judged{Call: "c", Tool: "bash", Verdict: "allow"}))
		add(talk.ExchangeKind.New("", "m", talk.Exchange{Model: "m", Messages: []llm.Message{
			{Role: llm.Assistant, Parts: []llm.Part{llm.Call{ID: "c", Name: "bash", Args: args}}},
			{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c", Name: "bash", Text: strings.Repeat("some file\n", 20)}}}}}))
		if i < 2499 {
			add(talk.ReplyKind.New("", "m", talk.Reply{State: talk.Done, Message: llm.AssistantText(fmt.Sprintf("Thing %d is in file %d.", i, i*7))}))
		}
	}
	r.Branches["main"] = r.Nodes[len(r.Nodes)-1].ID
	o.do(conversation.Import{Record: r, Dir: o.dir})
}

// BenchmarkLongTree opens a conversation of 10,000 nodes, has one more turn in it, and looks at it.
func BenchmarkLongTree(b *testing.B) {
	o := newOffice(b, false)
	long(o, "long")
	ctx := b.Context()
	at := o.open("long")
	for name, f := range map[string]func() error{
		"open": func() error { _, err := conversation.In(o.Engine).Open(ctx, "long"); return err },
		"path": func() error { _, err := conversation.In(o.Engine).Path(ctx, at.Head); return err },
		"turn": func() error {
			o.do(turns.Say{Tree: "long", Text: "say on", Model: "x", Mode: permission.Balanced})
			return nil
		},
		"show": func() error {
			nodes, _, err := conversation.In(o.Engine).LastNodes(ctx, at, 600)
			if len(outline.Of(nodes)) < 300 {
				b.Fatal("too little is shown")
			}
			return err
		},
		"list": func() error { _, err := conversation.In(o.Engine).List(ctx, o.dir); return err },
		"search": func() error {
			_, _, err := conversation.In(o.Engine).Search(ctx, conversation.Query{Words: "thing 77", Most: 20})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a screen calls a place may end with the state that was kept for what comes next.
func TestFilesBeforeAChange(t *testing.T) {
	o := newOffice(t, false)
	o.say("echo one > f")
	o.say("echo two > f")
	var was []string
	for _, n := range o.path() {
		if s, ok := margin.SnapKind.Of(n); ok && s.Why == "before" {
			o.do(conversation.SwitchTo{Tree: "work", Branch: "main"})
			o.do(conversation.SwitchTo{Tree: "work", Branch: string(n.ID), Files: true})
			was = append(was, o.files()["f"])
		}
	}
	if want := []string{"", "one\n"}; !slices.Equal(was, want) {
		t.Errorf("before the changes f was %q, want %q", was, want)
	}
}
