package chatpage

import (
	"context"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// endNodes is how many nodes of a conversation are read before it is first shown.
const endNodes = 200

// reads are the pending reads of the whole conversation.
type reads struct {
	p       *Page
	cancel  context.CancelFunc // of following; nil: nothing is followed yet
	looking bool               // whether another process is at work on it
	settled tree.ID            // where it was last seen that none is
	n       int
	came    []tree.Node // nodes that arrived meanwhile
	part    bool        // only the end of it is shown
	Below   string      // a remark to show below it once it is loaded
}

func (r *reads) hear(nodes []tree.Node) {
	if r.n > 0 {
		r.came = append(r.came, nodes...)
	}
}

// Load reads the conversation, and follows it from there. If it is not shown yet, its end comes first.
func (rs *reads) Load() tea.Cmd {
	switch {
	case rs.p.env.Tree == "":
		return nil
	case rs.p.scene.Tree.Root == "" && !rs.p.d.Inline: // earlier items cannot be printed above later ones
		return rs.read(endNodes)
	}
	return rs.read(math.MaxInt)
}

// read reads at most most nodes of the conversation. Messages typed meanwhile wait until the model is known.
func (rs *reads) read(most int) tea.Cmd {
	name, todo := rs.p.env.Tree, rs.p.d.Todo
	rs.p.turnRunner.busy++
	rs.p.reads.n++
	return rs.p.d.Away(func(ctx context.Context) func() tea.Cmd {
		t, err := conversation.In(rs.p.d.Engine).Open(ctx, name)
		var path, all []tree.Node
		made := scene.NewChat(todo)
		if err == nil && most < math.MaxInt {
			path, err = conversation.In(rs.p.d.Engine).PathEnd(ctx, t.Head, most)
		}
		if err == nil && (len(path) == 0 || path[0].Parent == "") { // all of it: other branches count towards the cost
			if all, err = rs.p.d.Engine.Tree(ctx, t.Root); err == nil {
				path, _ = tree.Path(all, t.Head)
			}
		}
		if err == nil {
			made.Load(t, path, all)
			made.Unsaid = len(all) > 0 && made.Title == "" && conversation.In(rs.p.d.Engine).Unnamed(ctx, t)
			made.Title, err = conversation.In(rs.p.d.Engine).Title(ctx, t)
		}
		return func() tea.Cmd {
			rs.p.turnRunner.busy--
			rs.p.reads.n--
			switch {
			case name != rs.p.env.Tree: // it was renamed, or another one is shown
				return nil
			case err != nil:
				rs.p.lose(err)
				return nil
			}
			cmd := rs.Show(made, path)
			if rs.p.reads.part {
				return tea.Batch(cmd, rs.read(math.MaxInt))
			}
			return tea.Batch(cmd, rs.p.turnRunner.next())
		}
	})
}

// Show shows a conversation, made from a path or the end of one, and the nodes that arrived since.
func (rs *reads) Show(made *scene.Chat, path []tree.Node) tea.Cmd {
	seq, part := path[len(path)-1].Seq, path[0].Parent != ""
	t, had, wasPart := made.Tree, len(rs.p.list.items), rs.p.reads.part
	follow := rs.cancel == nil || t.Root != rs.p.scene.Tree.Root
	stands := !part && !wasPart && t.Root == rs.p.scene.Tree.Root && t.Head == rs.p.scene.Tree.Head
	if wasPart || t.Head != rs.p.scene.Tree.Head { // the selected item is elsewhere now
		rs.p.toInput()
	}
	rs.p.scene.Become(made)
	for _, n := range rs.p.reads.came {
		if n.Seq > seq {
			rs.p.scene.Node(n)
		}
	}
	if rs.p.reads.n == 0 {
		rs.p.reads.came = nil
	}
	rs.p.gone = ""
	if rs.p.env.Dir != t.Dir { // another project: its files, pages and skills
		env := rs.p.d.Slash(t.Dir)
		env.Tree, env.Begin = rs.p.env.Tree, rs.p.env.Begin
		rs.p.env = env
	}
	if !stands { // otherwise the old files stay until they are compared again, so that the selected line does not move
		*rs.p.changed = changes{standing: rs.p.standing}
	}
	rs.p.list.reindex()
	rs.p.list.remark(rs.Below, "", false)
	rs.Below = ""
	if rs.p.reads.part = part; wasPart {
		rs.p.list.scroll.Top = max(0, rs.p.list.scroll.Top+len(rs.p.list.items)-had) // what came before
	}
	if rs.p.find != nil {
		rs.p.find.Again(rs.p.searched())
	}
	rs.p.printed.again()
	if follow && !part {
		rs.follow(t, seq)
	}
	rs.p.question()
	if rs.sought(); part {
		return rs.look()
	}
	return tea.Batch(rs.look(), rs.p.d.Reread(), rs.p.changed.compare(path), rs.p.grew())
}

// sought goes to the node that the page was opened for, once it is loaded.
func (rs *reads) sought() {
	if rs.p.seek == "" || rs.p.scene.Tree.Root == "" {
		return
	}
	i := slices.IndexFunc(rs.p.list.items, func(it item) bool { return it.entry >= 0 && rs.p.scene.Entries[it.entry].Node == rs.p.seek })
	switch {
	case i >= 0:
		rs.p.seek, rs.p.list.width = "", max(rs.p.list.width, screen.LeastWidth)
		rs.p.list.choose(i)
	case !rs.p.reads.part && rs.p.reads.n == 0:
		rs.p.seek = ""
		rs.p.d.Tell("that message is on another branch: " + rs.p.d.Keys.Key("tree-open") + " shows the tree")
	}
}

// Seek goes to a node once it is loaded.
func (rs *reads) Seek(n tree.ID) {
	rs.p.seek = n
	rs.p.reads.sought()
}
