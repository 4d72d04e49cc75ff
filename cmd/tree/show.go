package tree

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tree"
)

// treeView is a tree, or its last part, as shown.
type treeView struct {
	Name   string     `json:"name"`
	Dir    string     `json:"dir"`
	Branch string     `json:"branch"`
	Root   tree.ID    `json:"root"`
	Head   tree.ID    `json:"head"`
	Nodes  int        `json:"nodes"` // in all
	Lines  []treeMark `json:"lines"`
	Before bool       `json:"before"` // earlier lines are not shown
}

// treeMark is a line of an outline with the branches that point at it.
type treeMark struct {
	Node     tree.ID  `json:"node"`
	Kind     string   `json:"kind"`
	Role     string   `json:"role"`
	Text     string   `json:"text"`
	Depth    int      `json:"depth"`
	Leaf     bool     `json:"leaf"`
	Branches []string `json:"branches"`
	Labels   []string `json:"labels"`
	Here     bool     `json:"here"` // the next message continues from here
	rails    string
	cut      bool
}

// newShow returns the command show. A long conversation is read from its end, so the cost does not grow with its
// length.
func newShow(a *commands, n noun.Noun[conversation.Deleted]) *cobra.Command {
	nodes, follow, limit := false, false, 0
	c := &cobra.Command{Use: "show [TREE]", Short: "Show a conversation and its branches",
		Long: `Show a conversation as a tree, one line per message, tool call or answer. A branch is drawn
indented above the turn that follows the fork. Only the end of a long conversation is shown.`}
	c.Flags().BoolVar(&nodes, "nodes", false, "show every node with its id")
	c.Flags().BoolVar(&follow, "follow", false, "follow the running turn until it ends")
	c.Flags().IntVar(&limit, "limit", 100, "show only this many lines from the end (0: all)")
	call.Unattended(c)
	return n.Shows(c, func(ctx context.Context, name string) error {
		if limit < 0 {
			return failure.Usage("--limit must be 0 or more", "0 shows all")
		}
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		t, err := a.treeNamed(ctx, e, name)
		if err != nil {
			return err
		}
		// It would wait forever, or show nothing.
		if follow && !conversation.In(e).AtWork(t.Name) {
			return failure.Usage("no turn is running in "+t.Name, "leave out --follow")
		}
		last, err := a.showTree(ctx, e, t, limit, nodes)
		if err != nil || !follow {
			return err
		}
		return a.followTree(ctx, e, t, last, nodes)
	})
}

// nodesPerLine is how many nodes are read for each line to show, and nodesBesides how many more: many nodes have no
// line.
const nodesPerLine, nodesBesides = 6, 60

// showTree draws the last lines of a tree and returns the number of its last node.
func (a *commands) showTree(ctx context.Context, e *engine.Engine, t conversation.Tree, limit int, all bool) (int64, error) {
	most := limit*nodesPerLine + nodesBesides
	if all { // every node is a line
		most = limit
	}
	// -1 means all of them.
	if limit == 0 {
		most = -1
	}
	nodes, count, err := conversation.In(e).LastNodes(ctx, t, most)
	if err != nil || len(nodes) == 0 {
		return 0, err
	}
	last := nodes[len(nodes)-1].Seq
	if all {
		if a.Out.Format != "text" {
			return last, a.Out.JSON(nodes)
		}
		if count > len(nodes) {
			a.Out.Tell(fmt.Sprintf("%d earlier nodes are not shown; --limit 0 shows all.\n", count-len(nodes)))
		}
		for _, n := range nodes {
			a.nodeLine(n)
		}
		return last, nil
	}
	v, err := viewOf(ctx, e, t, nodes)
	if err != nil {
		return 0, err
	}
	v.Nodes, v.Before = count, count > len(nodes)
	if limit > 0 && len(v.Lines) > limit {
		v.Lines, v.Before = v.Lines[len(v.Lines)-limit:], true
	}
	if a.Out.Format != "text" {
		return last, a.Out.JSON(v)
	}
	if v.Before {
		a.Out.Tell(fmt.Sprintf("Earlier nodes are not shown (%d in total); --limit 0 shows all.\n", count))
	}
	for _, l := range v.Lines {
		fmt.Fprintln(a.Out, l.text(out.Columns(os.Stdout)))
	}
	if i := slices.IndexFunc(nodes, func(n tree.Node) bool { return n.ID == t.Head }); i >= 0 && !conversation.In(e).AtWork(t.Name) {
		a.Out.Tell(told.Interrupted(nodes[i], t.Name, t.Branch))
	}
	return last, nil
}

// viewOf formats nodes of a tree and marks what points at them. A line may hold several nodes; a branch is drawn at
// the line that holds its head.
func viewOf(ctx context.Context, e *engine.Engine, t conversation.Tree, nodes []tree.Node) (treeView, error) {
	v := treeView{Name: t.Name, Dir: t.Dir, Branch: t.Branch, Root: t.Root, Head: t.Head, Lines: []treeMark{}}
	branches, err := conversation.In(e).Branches(ctx, t)
	if err != nil {
		return v, err
	}
	labels, err := conversation.In(e).Labels(ctx, t)
	if err != nil {
		return v, err
	}
	for _, l := range outline.Of(nodes) {
		m := treeMark{Node: l.Node, Kind: l.Kind, Role: l.Role, Text: l.Text, Depth: l.Depth, Leaf: l.Leaf, Branches: []string{},
			Labels: []string{}, rails: l.Rails, cut: l.Cut}
		if l.Node == t.Root {
			m.Text = "(" + t.Name + ")" // the tree may have been renamed
		}
		holds := map[tree.ID]bool{}
		for _, id := range l.Holds {
			holds[id] = true
		}
		for _, b := range branches {
			if holds[b.Head] {
				m.Branches = append(m.Branches, b.Name)
				m.Here = m.Here || b.Current
			}
		}
		for _, name := range labels {
			if holds[name.Head] {
				m.Labels = append(m.Labels, name.Name)
			}
		}
		v.Lines = append(v.Lines, m)
	}
	return v, nil
}

// text formats the line for a screen of a width. The marks are always shown, whatever is cut.
func (m treeMark) text(width int) string {
	line := m.rails
	if m.cut {
		line += "…"
	}
	if m.Role != "" {
		line += m.Role + ": "
	}
	line += m.Text
	marks := slices.Clone(m.Branches)
	for _, l := range m.Labels {
		marks = append(marks, "#"+l)
	}
	if m.Here {
		marks = append(marks, "HEAD")
	}
	if len(marks) == 0 {
		return out.Clip(line, width-1)
	}
	tail := "  ← " + strings.Join(marks, ", ")
	return out.Clip(line, max(12, width-1-len([]rune(tail)))) + tail
}

// nodeLine prints one node of any kind.
func (a *commands) nodeLine(n tree.Node) {
	text := string(n.Body)
	for _, l := range outline.Of([]tree.Node{n}) {
		text = l.Text
	}
	line := fmt.Sprintf("%s %s %-10s %-10s %s", n.ID.Short(), orDash(n.Parent), n.Kind, out.Clip(n.By, 10), text)
	fmt.Fprintln(a.Out, out.Clip(line, out.Columns(os.Stdout)-1))
}

// orDash returns a node's parent, or blanks with a dash for the first node.
func orDash(id tree.ID) string {
	if id == "" {
		return "-       "
	}
	return id.Short()
}

// lookEvery is the interval at which a followed tree is checked for a running job.
const lookEvery = 500 * time.Millisecond

// followTree shows nodes added after node number last until an answer ends the turn, or the job is gone without one.
// A turn whose process was killed never ends in the record, so it also checks whether a job runs.
func (a *commands) followTree(ctx context.Context, e *engine.Engine, t conversation.Tree, last int64, all bool) error {
	looks, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		// It counts consecutive checks that found no job.
		for idle := 0; idle < 2; { // two checks, so that the last nodes are shown
			select {
			case <-looks.Done():
				return
			case <-tick.C:
			}
			if idle++; conversation.In(e).AtWork(t.Name) {
				idle = 0
			}
		}
		cancel()
	}()
	for n, err := range e.Watch(looks, t.Root, last) {
		if err != nil {
			return err
		}
		if n.Node == nil {
			continue
		}
		last = n.Node.Seq
		if ended, err := a.follows(*n.Node, all); ended || err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	nodes, err := e.Tree(ctx, t.Root)
	if err != nil {
		return err
	}
	for _, n := range nodes { // what was added since the last read
		if n.Seq > last {
			if ended, err := a.follows(n, all); ended || err != nil {
				return err
			}
		}
	}
	return nil
}

// follows shows a new node, and reports whether it ends the turn: an answer is the last node of one. A closed pipe
// also ends it.
func (a *commands) follows(n tree.Node, all bool) (ended bool, err error) {
	switch {
	case a.Out.Format != "text":
		err = a.Out.Line(call.StreamLine{Head: a.Out.Head(), Type: "node", Parent: n.Parent, Node: &n})
	case all:
		a.nodeLine(n)
	default:
		for _, l := range outline.Of([]tree.Node{n}) {
			fmt.Fprintln(a.Out, treeMark{Role: l.Role, Text: l.Text}.text(out.Columns(os.Stdout)))
		}
	}
	return n.Kind == string(talk.ReplyKind), err
}
