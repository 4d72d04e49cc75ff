// Package treepage shows a conversation as a tree, with every branch.
package treepage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Page is the tree of one conversation.
type Page struct {
	d      *screen.Screen
	id     int
	name   string
	title  string
	at     conversation.Tree
	cancel context.CancelFunc
	gone   string
	busy   bool // it is being read again
	stale  bool // and must be read once more

	outline *outline.Builder // nil: not read yet
	came    []tree.Node      // nodes that arrived since and are not shown yet
	lines   []outline.Line
	more    int // number of lines that are left out
	nodes   map[tree.ID]tree.Node
	heads   map[tree.ID]string // branches and labels that point at a line
	here    tree.ID            // the line of the conversation's head
	folded  map[tree.ID]bool
	away    map[tree.ID]foldedAway
	shown   []int // indexes of the visible lines
	chosen  tree.ID
	marked  tree.ID // the line to compare with
	top     int
	height  int
	width   int

	search  *editor.Editor // nil: no search
	find    string
	texts   map[tree.ID]string // the searched texts, in lower case
	naming  *editor.Editor     // nil: no label is being typed
	preview scroll.Scroll
	said    said
}

// mostNodes is how many nodes of a tree are drawn: the newest.
const mostNodes = 20_000

// New returns the tree of a conversation, on the tab of a number. It is empty before Load.
func New(d *screen.Screen, id int, name string) *Page {
	return &Page{d: d, id: id, name: name, folded: map[tree.ID]bool{}, texts: map[tree.ID]string{}}
}

// Load reads the tree: all of it the first time, and then only its branches and labels.
func (p *Page) Load() tea.Cmd {
	if p.busy {
		p.stale = true
		return nil
	}
	p.busy, p.stale = true, false
	e, name, o := p.d.Engine, p.name, p.outline
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := conversation.In(e).Open(ctx, name)
		var nodes []tree.Node
		var all int
		var r refs
		if err == nil {
			r.title, err = conversation.In(e).Title(ctx, t)
		}
		if err == nil && o == nil {
			nodes, all, err = conversation.In(e).LastNodes(ctx, t, mostNodes)
			o = new(outline.Builder)
			for _, n := range nodes {
				o.Put(n)
			}
		}
		if err == nil {
			r.branches, err = conversation.In(e).Branches(ctx, t)
		}
		if err == nil {
			r.labels, err = conversation.In(e).Labels(ctx, t)
		}
		return func() tea.Cmd {
			p.busy = false
			if err != nil {
				p.gone, _ = p.d.Explain(err)
				p.Close()
				return nil
			}
			if p.outline == nil {
				p.begin(o, t, nodes, all)
			}
			p.take(t, r)
			if p.stale {
				return p.Load()
			}
			return nil
		}
	})
}

// refs are the branches and labels of a tree.
type refs struct {
	branches []conversation.BranchInfo
	labels   []tree.Ref
	title    string
}

// begin shows the tree as read, and follows it from there.
func (p *Page) begin(o *outline.Builder, t conversation.Tree, nodes []tree.Node, all int) {
	p.outline, p.lines, p.nodes, p.more = o, o.Lines(), make(map[tree.ID]tree.Node, len(nodes)), all-len(nodes)
	var seq int64
	for _, n := range nodes {
		p.nodes[n.ID] = n
		seq = max(seq, n.Seq)
	}
	p.cancel = p.d.Follow(p.id, t.Root, seq, 5*screen.FrameTime, func(b engine.Batch) bool { return len(b.Nodes) > 0 })
}

// take shows new nodes and refs; the selection stays.
func (p *Page) take(t conversation.Tree, r refs) {
	for _, n := range p.came {
		p.outline.Put(n)
		p.nodes[n.ID] = n
	}
	if len(p.came) > 0 {
		p.came, p.lines = nil, p.outline.Lines()
	}
	p.title = r.title
	p.at, p.heads, p.gone = t, map[tree.ID]string{}, ""
	note := func(at tree.ID, text string) {
		line := p.outline.Stands(at)
		p.heads[line] = strings.TrimPrefix(p.heads[line]+" "+text, " ")
	}
	for _, b := range r.branches {
		note(b.Head, map[bool]string{true: "⎇ " + b.Name + " (here)", false: "⎇ " + b.Name}[b.Current])
	}
	for _, l := range r.labels {
		note(l.Head, "#"+l.Name)
	}
	if at := p.outline.Stands(t.Head); at != "" { // otherwise its news has not arrived yet
		if p.chosen == p.here || p.line(p.chosen) < 0 { // a selection at the head follows it
			p.chosen = at
		}
		p.here = at
	}
	p.sift()
}

// line returns the index of a line; -1: none.
func (p *Page) line(id tree.ID) int {
	return slices.IndexFunc(p.lines, func(l outline.Line) bool { return l.Node == id })
}

// sift finds the visible lines: those that are not folded, and match the search.
func (p *Page) sift() {
	p.shown, p.away = p.shown[:0], map[tree.ID]foldedAway{}
	words := strings.Fields(strings.ToLower(p.find))
	var under *outline.Line // its branches are folded
	for i, l := range p.lines {
		if under != nil && l.Depth > under.Depth {
			f := p.away[under.Node]
			f.lines, f.heads = f.lines+1, strings.TrimPrefix(f.heads+" "+p.heads[l.Node], " ")
			p.away[under.Node] = f
			continue
		}
		if under = nil; p.folded[l.Node] {
			under = &p.lines[i]
		}
		if len(words) > 0 && !p.holds(l, words) {
			continue
		}
		p.shown = append(p.shown, i)
	}
	if len(p.shown) > 0 { // if the selected line is hidden, the one before it is selected
		i, _ := slices.BinarySearch(p.shown, p.line(p.chosen)+1)
		p.chosen = p.lines[p.shown[max(0, i-1)]].Node
	}
}

// foldedAway is what a fold hides.
type foldedAway struct {
	lines int
	heads string // the branches and labels there
}

func (p *Page) holds(l outline.Line, words []string) bool {
	text, known := p.texts[l.Node]
	if !known {
		whole, _ := outline.Words(p.nodes[l.Node])
		text = strings.ToLower(l.Role + " " + l.Text + " " + whole)
		p.texts[l.Node] = text
	}
	text += " " + p.heads[l.Node]
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// Close stops following.
func (p *Page) Close() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// Renamed applies the conversation's new name.
func (p *Page) Renamed(from, to string) tea.Cmd {
	if p.name != from {
		return nil
	}
	p.name = to
	return p.Load()
}

// Kept identifies the tree; the position in it is not saved.
func (p *Page) Kept() screen.Kept { return screen.Kept{Page: "tree", Name: p.name} }

// Title returns the conversation's title, else its name.
func (p *Page) Title() string { return "tree of " + cmp.Or(p.title, p.name) }

// Zone returns the whole page.
func (p *Page) Zone(_, _ int, all scroll.Zone) scroll.Zone { return all }

// State does not include the conversation's activity: its own page shows it.
func (p *Page) State() screen.State {
	if p.typing() {
		return screen.State{}
	}
	return screen.State{Where: action.InTree}
}
