// Package treepage is a conversation as the tree it is: every branch of it, to walk through.
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
	busy   bool // it is looked at again
	stale  bool // and must be once more

	outline *outline.Builder // nil: it was not looked at yet
	came    []tree.Node      // since, and not shown yet
	lines   []outline.Line
	more    int // lines that are not among them
	nodes   map[tree.ID]tree.Node
	heads   map[tree.ID]string // what points at a line: branches and labels
	here    tree.ID            // the line the conversation is at
	folded  map[tree.ID]bool
	away    map[tree.ID]foldedAway
	shown   []int // the lines in sight, by their place
	chosen  tree.ID
	marked  tree.ID // the one that another is compared with
	top     int
	height  int
	width   int

	search  *editor.Editor // nil: nothing is searched for
	find    string
	texts   map[tree.ID]string // what is searched, in small letters
	naming  *editor.Editor     // nil: no label is given
	preview scroll.Scroll
	said    said
}

// mostNodes is how much of a tree is drawn: what was committed last.
const mostNodes = 20_000

// New is the tree of a conversation, on the tab of a number. Nothing of it is there before Load.
func New(d *screen.Screen, id int, name string) *Page {
	return &Page{d: d, id: id, name: name, folded: map[tree.ID]bool{}, texts: map[tree.ID]string{}}
}

// Load looks at the tree as it stands: at all of it the first time, and then at what its branches and labels point at.
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

// refs are what points into a tree.
type refs struct {
	branches []conversation.BranchInfo
	labels   []tree.Ref
	title    string
}

// begin takes in the tree as it was found, and follows it from there.
func (p *Page) begin(o *outline.Builder, t conversation.Tree, nodes []tree.Node, all int) {
	p.outline, p.lines, p.nodes, p.more = o, o.Lines(), make(map[tree.ID]tree.Node, len(nodes)), all-len(nodes)
	var seq int64
	for _, n := range nodes {
		p.nodes[n.ID] = n
		seq = max(seq, n.Seq)
	}
	p.cancel = p.d.Follow(p.id, t.Root, seq, 5*screen.FrameTime, func(b engine.Batch) bool { return len(b.Nodes) > 0 })
}

// take shows what came, and what points where; what is chosen stays so.
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
	if at := p.outline.Stands(t.Head); at != "" { // else it is news that has not come yet
		if p.chosen == p.here || p.line(p.chosen) < 0 { // who is where the talk is stays there
			p.chosen = at
		}
		p.here = at
	}
	p.sift()
}

// line is the place of a line; -1: there is none.
func (p *Page) line(id tree.ID) int {
	return slices.IndexFunc(p.lines, func(l outline.Line) bool { return l.Node == id })
}

// sift finds the lines in sight: those that are not folded away, and that hold what is searched for.
func (p *Page) sift() {
	p.shown, p.away = p.shown[:0], map[tree.ID]foldedAway{}
	words := strings.Fields(strings.ToLower(p.find))
	var under *outline.Line // its branches are folded away
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
	if len(p.shown) > 0 { // what is not in sight any more leaves the keys to what is before it
		i, _ := slices.BinarySearch(p.shown, p.line(p.chosen)+1)
		p.chosen = p.lines[p.shown[max(0, i-1)]].Node
	}
}

// foldedAway is what a fold hides.
type foldedAway struct {
	lines int
	heads string // of the branches and labels there
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

// Close ends what is followed.
func (p *Page) Close() {
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
}

// Renamed takes the name that its conversation has from now on.
func (p *Page) Renamed(from, to string) tea.Cmd {
	if p.name != from {
		return nil
	}
	p.name = to
	return p.Load()
}

// Kept is the tree: where the cursor was is not kept.
func (p *Page) Kept() screen.Kept { return screen.Kept{Page: "tree", Name: p.name} }

// Title is the conversation's, else its name.
func (p *Page) Title() string { return "tree of " + cmp.Or(p.title, p.name) }

// Zone is all of it.
func (p *Page) Zone(_, _ int, all scroll.Zone) scroll.Zone { return all }

// State says nothing of what goes on in the conversation: its own page does.
func (p *Page) State() screen.State {
	if p.typing() {
		return screen.State{}
	}
	return screen.State{Where: action.InTree}
}
