package tui

import (
	"context"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// endNodes is how much of a conversation is read before it is first shown.
const endNodes = 200

// reads are the looks at the whole conversation that are under way.
type reads struct {
	n    int
	came []tree.Node // meanwhile
	part bool        // what is shown is the end of it
}

func (r *reads) hear(nodes []tree.Node) {
	if r.n > 0 {
		r.came = append(r.came, nodes...)
	}
}

// load looks at the conversation as it stands, and follows it from there. Of one that is not shown yet the end comes first.
func (p *chatPage) load() tea.Cmd {
	switch {
	case p.env.Tree == "":
		return nil
	case p.scene.Tree.Root == "" && !p.d.Inline: // what was printed cannot be put before
		return p.read(endNodes)
	}
	return p.read(math.MaxInt)
}

// read looks at so many nodes of the conversation at most. What is said meanwhile waits: it goes to whom is set.
func (p *chatPage) read(most int) tea.Cmd {
	name, todo := p.env.Tree, p.d.Todo
	p.busy++
	p.reads.n++
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := p.d.Engine.OpenTree(ctx, name)
		var path, all []tree.Node
		made := scene.NewChat(todo)
		if err == nil && most < math.MaxInt {
			path, err = p.d.Engine.PathEnd(ctx, t.Head, most)
		}
		if err == nil && (len(path) == 0 || path[0].Parent == "") { // all that is shown: what was said on other branches has its cost
			if all, err = p.d.Engine.Tree(ctx, t.Root); err == nil {
				path, _ = tree.Path(all, t.Head)
			}
		}
		if err == nil {
			made.Load(t, path, all)
		}
		return func() tea.Cmd {
			p.busy--
			p.reads.n--
			switch {
			case name != p.env.Tree: // it is called otherwise now, or another one is shown
				return nil
			case err != nil:
				p.lose(err)
				return nil
			}
			cmd := p.take(made, path)
			if p.reads.part {
				return tea.Batch(cmd, p.read(math.MaxInt))
			}
			return tea.Batch(cmd, p.sendQueued())
		}
	})
}

// take shows a conversation, made of a path or of the end of one, and what came since.
func (p *chatPage) take(made *scene.Chat, path []tree.Node) tea.Cmd {
	seq, part := path[len(path)-1].Seq, path[0].Parent != ""
	t, had, wasPart := made.Tree, len(p.items), p.reads.part
	follow := p.cancel == nil || t.Root != p.scene.Tree.Root
	if wasPart || t.Head != p.scene.Tree.Head { // what was chosen stands elsewhere now
		p.toInput()
	}
	p.scene.Become(made)
	for _, n := range p.reads.came {
		if n.Seq > seq {
			p.scene.Node(n)
		}
	}
	if p.reads.n == 0 {
		p.reads.came = nil
	}
	p.gone = ""
	if p.env.Dir != t.Dir { // of another project: its files, pages and skills
		env := p.d.Slash(t.Dir)
		env.Tree, env.Begin = p.env.Tree, p.env.Begin
		p.env = env
	}
	p.changed = changes{}
	p.reindex()
	if p.reads.part = part; wasPart {
		p.scroll.Top = max(0, p.scroll.Top+len(p.items)-had) // what came before
	}
	if p.find != nil {
		p.find.Again(p.searched())
	}
	p.reprint()
	if follow && !part {
		p.follow(t, seq)
	}
	p.history()
	p.question()
	if p.sought(); part {
		return p.look()
	}
	return tea.Batch(p.look(), p.compareFiles(path), p.grew())
}

// sought goes to what was looked for when the page was opened, once it is there.
func (p *chatPage) sought() {
	if p.seek == "" || p.scene.Tree.Root == "" {
		return
	}
	i := slices.IndexFunc(p.items, func(it item) bool { return it.entry >= 0 && p.scene.Entries[it.entry].Node == p.seek })
	switch {
	case i >= 0:
		p.seek, p.width = "", max(p.width, leastWidth)
		p.choose(i)
	case !p.reads.part && p.reads.n == 0:
		p.seek = ""
		p.d.Tell("that was said on another branch: " + p.d.Keys.Key("tree-open") + " shows the tree")
	}
}
