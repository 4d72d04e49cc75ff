package treepage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// longPath is a conversation of 10,000 nodes.
func longPath(dir string) []tree.Node {
	path := []tree.Node{talk.RootKind.New("", "person", talk.Root{Name: "long", Dir: dir})}
	add := func(n tree.Node) {
		n.Parent, n.Seq = path[len(path)-1].ID, int64(len(path)+1)
		path = append(path, n)
	}
	for i := range 2500 {
		args, _ := json.Marshal(map[string]string{"command": fmt.Sprint("ls ", i)})
		add(talk.SayKind.New("", "person", talk.Said{Text: fmt.Sprintf("Where is thing %d?", i)}))
		add(talk.JudgeKind.New("", "code", talk.Judged{Call: "c", Tool: "bash", Verdict: "allow"}))
		add(talk.ExchangeKind.New("", "m", talk.Exchange{Model: "m", Messages: []llm.Message{
			{Role: llm.Assistant, Parts: []llm.Part{llm.Call{ID: "c", Name: "bash", Args: args}}},
			{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "c", Name: "bash", Text: strings.Repeat("some file\n", 20)}}}}}))
		add(talk.ReplyKind.New("", "m", talk.Reply{State: talk.Done, Message: llm.AssistantText(fmt.Sprintf("Thing %d is in **file %d**.", i, i*7))}))
	}
	return path
}

// BenchmarkTree10000 is a tree of 10,000 nodes and 500 branches, and its picture: a node that comes, a step in it, a letter
// that is searched for.
func BenchmarkTree10000(b *testing.B) {
	dark, _ := theme.Find("dark")
	d := screen.New(b.Context(), screen.World{Dir: b.TempDir(), Clean: clean.Text, Theme: dark})
	nodes := longPath(d.Dir)
	for i := 20; i < len(nodes); i += 20 {
		nodes[i].Parent = nodes[i-10].ID // what came between is a branch
	}
	p := New(d, 0, "long")
	t := conversation.Tree{Name: "long", Root: nodes[0].ID, Head: nodes[len(nodes)-1].ID, Branch: "main", Dir: d.Dir}
	open := func() {
		o := new(outline.Builder)
		for _, n := range nodes {
			o.Put(n)
		}
		p.begin(o, t, nodes, len(nodes))
		p.cancel()
		p.take(t, refs{})
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open()
			p.Draw(140, 38)
		}
	})
	b.Run("news", func(b *testing.B) {
		for b.Loop() {
			n := talk.SayKind.New(t.Head, "person", talk.Said{Text: "More?"})
			t.Head = n.ID
			p.came = append(p.came, n)
			p.take(t, refs{})
			p.Draw(140, 38)
		}
	})
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			p.step(-1)
			p.Draw(140, 38)
		}
	})
	b.Run("search", func(b *testing.B) {
		p.beginSearch()
		for i := 0; b.Loop(); i++ {
			p.Update([]tea.KeyPressMsg{{Code: 't', Text: "t"}, {Code: 'h', Text: "h"}, {Code: 'u', Mod: tea.ModCtrl}}[i%3])
			p.Draw(140, 38)
		}
	})
}
