package talk_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

func draw(lines []outline.Line) string {
	var b strings.Builder
	for _, l := range lines {
		who := ""
		if l.Role != "" {
			who = l.Role + ": "
		}
		fmt.Fprintln(&b, l.Rails+who+l.Text)
	}
	return b.String()
}

func said(parent tree.ID, text string) tree.Node {
	return talk.SayKind.New(parent, "person", talk.Said{Text: text})
}

func answered(parent tree.ID, text string) tree.Node {
	return talk.ReplyKind.New(parent, "script", talk.Reply{State: talk.Done, Message: llm.AssistantText(text)})
}

func TestOutline(t *testing.T) {
	root := talk.RootKind.New("", "person", talk.Root{Name: "calm-heron"})
	set := margin.SetKind.New(root.ID, "person", margin.Set{Key: "model", Value: "script"})
	list := said(set.ID, "list the\nfiles")
	call := talk.ExchangeKind.New(list.ID, "script", talk.Exchange{Messages: []llm.Message{{Role: llm.Assistant,
		Parts: []llm.Part{llm.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"ls src/*.py"}`)}}}}})
	found := answered(call.ID, "I found 3")
	show := said(found.ID, "show me main.py")
	here := answered(show.ID, "Here it is")
	aside := talk.SayKind.New(found.ID, "person", talk.Said{Text: "what is a py?", Aside: true})
	utils := said(found.ID, "show me utils.py")
	late := answered(aside.ID, "a file")
	nodes := []tree.Node{root, set, list, call, found, show, here, utils, aside, late}
	want := `(calm-heron)
User: list the files
[bash:ls src/*.py]
Assistant: I found 3
├─User: show me main.py
│ Assistant: Here it is
├─User: (aside) what is a py?
│ Assistant: a file
└─User: show me utils.py
`
	lines := outline.Of(nodes)
	if got := draw(lines); got != want {
		t.Errorf("got\n%s", got)
	}
	if holds := lines[0].Holds; len(holds) != 2 || holds[1] != set.ID {
		t.Errorf("the root stands for %v", holds)
	}
	if got := draw(outline.Of(nodes[5:7])); got != "User: show me main.py\nAssistant: Here it is\n" {
		t.Errorf("of a part:\n%s", got)
	}
}

func TestOutlineOfALongTalk(t *testing.T) {
	nodes := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "long"})}
	for range 10_000 {
		nodes = append(nodes, said(nodes[len(nodes)-1].ID, "on"))
	}
	lines := outline.Of(nodes)
	if len(lines) != 10_001 || lines[10_000].Rails != "" || !lines[10_000].Leaf {
		t.Errorf("%d lines, the last %+v", len(lines), lines[len(lines)-1])
	}
}

func TestWhatIsAddedIsShown(t *testing.T) {
	root := talk.RootKind.New("", "person", talk.Root{Name: "calm-heron"})
	first := material.AddKind.New(root.ID, "person", material.Added{Role: "assistant", Text: "Hello."})
	rule := material.AddKind.New(first.ID, "person", material.Added{Role: "system", Text: "Be brief."})
	more := material.AddKind.New(rule.ID, "person", material.Added{Role: "assistant", Text: "Well?"})
	said := material.AddKind.New(more.ID, "person", material.Added{Role: "user", Text: "Go on."})
	path := []tree.Node{root, first, rule, more, said}
	messages := view.Messages(path)
	if len(messages) != 3 || messages[0].Role != llm.User || messages[1].Text() != "Hello.\n\nWell?" || messages[2].Text() != "Go on." || view.System(path) != "Be brief." {
		t.Errorf("%+v %q", messages, view.System(path))
	}
	if turns := view.Turns(path); len(turns) != 1 || turns[0] != 4 {
		t.Errorf("turns at %v", turns)
	}
}

// A tree that is drawn as it grows is drawn as one that is drawn in the end.
func TestOutlineGrows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		nodes := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "calm-heron"})}
		o := new(outline.Builder)
		o.Put(nodes[0])
		for i := range rapid.IntRange(0, 20).Draw(r, "nodes") {
			parent := nodes[rapid.IntRange(0, len(nodes)-1).Draw(r, "parent")].ID
			n := rapid.SampledFrom([]tree.Node{said(parent, fmt.Sprint(i)), answered(parent, fmt.Sprint(i)), margin.SetKind.New(parent, "person", margin.Set{Key: "k"}),
				talk.SayKind.New(parent, "person", talk.Said{Text: "aside", Aside: true})}).Draw(r, "node")
			nodes = append(nodes, n)
			o.Put(n)
			if got, want := o.Lines(), outline.Of(nodes); !reflect.DeepEqual(got, want) {
				r.Fatalf("grown:\n%s\nwhole:\n%s", draw(got), draw(want))
			}
		}
	})
}
