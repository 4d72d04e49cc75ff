// Package outline draws a conversation as people see it: a line for each node, with rails where it branches.
package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Line is a line in the outline of a tree.
type Line struct {
	Node tree.ID
	Kind string
	// Rails are drawn before the text. The branch that was continued last stays at the left; a branch that forks off it is
	// drawn further right, above the line where the main one continues, and that line has the corner of the fork.
	Rails string
	Depth int    // of branches
	Role  string // who: User, Assistant, System; empty where Text says it
	Text  string // in one line
	// Holds are the nodes that this line represents: its own, and those between it and the lines below that are not shown.
	// A ref that points at one of them points at this line.
	Holds []tree.ID
	Leaf  bool // no shown node follows
	Cut   bool // its parent is not among the nodes
}

// Of draws nodes of one tree, in order of commit. They may be only a part of it.
func Of(nodes []tree.Node) []Line {
	o := new(Builder)
	for _, n := range nodes {
		o.Put(n)
	}
	return o.Lines()
}

// Builder draws a tree that grows: each node is read once, and the zero value has read none. Its lines are in order of
// commit; parent, newest, aside and kids are indexed by line. It is for one goroutine. Reading a node has a constant
// cost; drawing costs all lines.
type Builder struct {
	at     map[tree.ID]int // the line that represents a node
	lines  []Line
	parent []int // -1: none
	newest []int // the newest line below it
	aside  []bool
	kids   [][]int
	out    []Line
}

// Put adds the next node.
func (o *Builder) Put(n tree.Node) {
	if o.at == nil {
		o.at = map[tree.ID]int{}
	}
	up, known := o.at[n.Parent]
	role, text, aside, shows := told(n)
	// A node that is not shown belongs to the line above, so a ref that points at it is drawn there.
	if !shows {
		if known {
			o.at[n.ID] = up
			o.lines[up].Holds = append(o.lines[up].Holds, n.ID)
		}
		return
	}
	if !known {
		up = -1
	}
	i := len(o.lines)
	o.at[n.ID] = i
	o.lines = append(o.lines, Line{Node: n.ID, Kind: n.Kind, Role: role, Text: text, Holds: []tree.ID{n.ID}, Cut: !known && n.Parent != ""})
	o.parent, o.newest, o.aside, o.kids = append(o.parent, up), append(o.newest, i), append(o.aside, aside), append(o.kids, nil)
	if up >= 0 {
		o.kids[up] = append(o.kids[up], i)
	}
}

// Stands returns the node of the line that represents a node; empty: there is none.
func (o *Builder) Stands(id tree.ID) tree.ID {
	if i, ok := o.at[id]; ok {
		return o.lines[i].Node
	}
	return ""
}

// Lines draws the nodes added so far.
func (o *Builder) Lines() []Line {
	for i := len(o.lines) - 1; i >= 0; i-- { // a line is as new as its newest descendant
		if up := o.parent[i]; up >= 0 && !o.aside[i] {
			o.newest[up] = max(o.newest[up], o.newest[i])
		}
	}
	o.out = make([]Line, 0, len(o.lines))
	for i, up := range o.parent {
		if up < 0 {
			o.draw(i, "", "", 0)
		}
	}
	return o.out
}

// draw writes a branch to its end. Forks are drawn by calls of their own, so that a long branch costs no stack. first
// is the prefix of the first line, rest that of the others.
func (o *Builder) draw(i int, first, rest string, depth int) {
	for rails := first; ; {
		l, kids := o.lines[i], o.kids[i]
		l.Rails, l.Depth, l.Leaf = rails, depth, len(kids) == 0
		o.out = append(o.out, l)
		if len(kids) == 0 {
			return
		}
		i = slices.MaxFunc(kids, func(a, b int) int { return cmp.Compare(o.rank(a), o.rank(b)) })
		for _, k := range kids {
			if k != i {
				o.draw(k, rest+"├─", rest+"│ ", depth+1)
			}
		}
		if rails = rest; len(kids) > 1 {
			rails += "└─"
		}
	}
}

// rank orders the children of a node: the highest is the one that was continued last, which a side question never is if there is another.
func (o *Builder) rank(i int) int {
	if o.aside[i] {
		return o.newest[i] - len(o.lines)
	}
	return o.newest[i]
}

// told returns what a person is shown of a node, in one line.
func told(n tree.Node) (role, text string, aside, shows bool) {
	if r, ok := talk.RootKind.Of(n); ok {
		return "", "(" + r.Name + ")", false, true
	} else if s, ok := talk.SayKind.Of(n); ok {
		text = cmp.Or(s.Typed, s.Text, s.Data)
		if s.Aside {
			text = "(aside) " + text
		} else if s.Task != "" {
			return "Task", line(text), false, true
		}
		return "User", line(text), s.Aside, true
	} else if x, ok := talk.ExchangeKind.Of(n); ok {
		if all := calls(x); all != "" {
			return "", line(all), false, true
		}
		return "Assistant", line(plain(x.Said())), false, true
	} else if r, ok := talk.ReplyKind.Of(n); ok {
		text = plain(r.Message.Text())
		if r.State != talk.Done {
			text = "[" + string(r.State) + ": " + r.Reason + "] " + text
		}
		return "Assistant", line(text), false, true
	} else if a, ok := material.AddKind.Of(n); ok && a.From+a.Title != "" {
		return "", line("[" + cmp.Or(a.From, a.Title) + "] " + a.Text), false, true
	} else if ok {
		return strings.ToUpper(a.Role[:min(1, len(a.Role))]) + a.Role[min(1, len(a.Role)):], line(a.Text), false, true
	} else if h, ok := material.HandleKind.Of(n); ok {
		return "", "[" + line(h.Name()) + "]", false, true
	} else if m, ok := material.MergeKind.Of(n); ok {
		sign := map[bool]string{false: "merge", true: "run"}[m.Run]
		return "", line("[" + sign + ":" + m.Branch + "] " + plain(m.Text)), false, true
	} else if s, ok := material.SummaryKind.Of(n); ok {
		return "", line("[summary] " + plain(s.Text)), false, true
	} else if s, ok := margin.SnapKind.Of(n); ok && s.Why == "restored" {
		return "", line("[" + restored(s) + "]"), false, true
	}
	return "", "", false, false
}

// restored says what restored files, and which.
func restored(s margin.Snap) string {
	names := strings.Join(s.Files, ", ")
	if len(s.Files) > 3 {
		names = fmt.Sprintf("%d files", len(s.Files))
	}
	return cmp.Or(s.By, "files restored") + ": " + cmp.Or(names, "none differed")
}

// calls names the calls of a model: each tool with its arguments, and a cross if it was refused or failed.
func calls(x talk.Exchange) string {
	failed := map[string]bool{}
	for _, m := range x.Messages {
		for _, p := range m.Parts {
			if r, ok := p.(llm.Result); ok && r.Failed {
				failed[r.ID] = true
			}
		}
	}
	var all []string
	for _, m := range x.Messages {
		for _, c := range m.Calls() {
			text := "[" + c.Name + ":" + c.Gist() + "]"
			if failed[c.ID] {
				text = "[✗ " + text[1:]
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

// line is the beginning of a text on one line.
func line(text string) string {
	const most = 200
	if len(text) > 4*most {
		text = text[:4*most]
	}
	r := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), ""))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// Spoken are the kinds of nodes that contain text.
var Spoken = []string{string(talk.SayKind), string(talk.ExchangeKind), string(talk.ReplyKind), string(material.AddKind),
	string(material.MergeKind), string(material.SummaryKind), string(material.HandleKind)}

// Words returns the whole text of a node, and false if it has none.
func Words(n tree.Node) (string, bool) {
	var text string
	if s, ok := talk.SayKind.Of(n); ok {
		text = strings.TrimSpace(s.Text + "\n" + s.Data + "\n" + s.Attached())
	} else if r, ok := talk.ReplyKind.Of(n); ok {
		text = r.Message.Text()
	} else if x, ok := talk.ExchangeKind.Of(n); ok {
		text = x.Said()
	} else if a, ok := material.AddKind.Of(n); ok {
		text = a.Text
	} else if m, ok := material.MergeKind.Of(n); ok {
		text = m.Text
	} else if s, ok := material.SummaryKind.Of(n); ok {
		text = s.Text
	} else if h, ok := material.HandleKind.Of(n); ok {
		text = h.Name() + "\n" + h.Face
	}
	return text, text != ""
}
