package treepage

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// spot is a node to compare.
type spot struct {
	name string // the branch or label that points there
	node tree.Node
	text string
}

func (p *Page) spot(line tree.ID) spot {
	n := p.nodes[line]
	s := spot{name: p.heads[line], node: n}
	if words, ok := outline.Words(n); ok {
		s.text = words
	}
	if x, ok := scene.ChatBody(n).(talk.Exchange); ok {
		if s.text != "" {
			s.text += "\n"
		}
		for _, c := range x.Shows {
			s.text += "▸ " + c.Line + "\n" + c.Diff
		}
	}
	return s
}

// compare marks a line, or compares the marked one with this one.
func (p *Page) compare() tea.Cmd {
	if p.marked == "" || p.marked == p.chosen {
		p.marked = map[bool]tree.ID{true: "", false: p.chosen}[p.marked == p.chosen]
		p.d.Note = screen.Note{} // the status line shows the marked one
		return nil
	}
	left, right, at := p.spot(p.marked), p.spot(p.chosen), p.at
	one, two := p.last(p.marked), p.last(p.chosen)
	p.marked = ""
	return p.d.Away(func(ctx context.Context) func() tea.Cmd {
		diff, err := conversation.In(p.d.Engine).Diff(ctx, at, one, two)
		return func() tea.Cmd {
			if err != nil {
				p.d.Fail(err)
				return nil
			}
			from := ""
			if i := p.line(p.outline.Stands(diff.Common.ID)); i >= 0 {
				from = Told(p.lines[i])
			}
			showDiff(p.d, left, right, from, diff)
			return nil
		}
	})
}

// showDiff shows two nodes side by side: their texts, the messages since they diverged, the difference of their
// files.
func showDiff(d *screen.Screen, left, right spot, from string, diff conversation.Diff) {
	var lines []string
	width := 0
	dialog.Panel(d, "Comparison", func(w int) []string {
		if w != width {
			width, lines = w, drawDiff(d, left, right, from, diff, w)
		}
		return lines
	}).Whole = true
}

func drawDiff(d *screen.Screen, left, right spot, from string, diff conversation.Diff, w int) (out []string) {
	half := (w - 3) / 2
	head := func(s spot) string {
		return line.Clip(line.One(d.Clean(strings.TrimSpace(s.name+"  "+s.node.Kind+" · "+s.node.By+" · "+
			s.node.At.Local().Format("2 Jan 15:04")))), half)
	}
	out = append(out, theme.Bold.On(line.Pad(head(left), half))+"   "+theme.Bold.On(head(right)), "")
	if left.text == right.text {
		out = append(out, d.Theme.Dim.On("Both say the same:"), "")
		m := markdown.New(d.Theme)
		m.Set(d.Clean(left.text), w)
		out = append(out, m.Lines()...)
	} else {
		out = append(out, markdown.Side(d.Theme, d.Clean(left.text), d.Clean(right.text), w)...)
	}
	section := func(title string) { out = append(out, "", theme.Bold.On(line.Clip(title, w))) }
	switch {
	case len(diff.A) == 0:
		section("The left node is an ancestor of the right one. Between them")
	case len(diff.B) == 0:
		section("The right node is an ancestor of the left one. Between them")
	default:
		section("Messages since the fork")
	}
	if from != "" {
		out = append(out, d.Theme.Dim.On(line.Clip("after "+line.One(d.Clean(from)), w)))
	}
	out = append(out, markdown.Side(d.Theme, d.Clean(outlined(diff.A)), d.Clean(outlined(diff.B)), w)...)
	switch {
	case len(diff.Files) > 0:
		section("Files changed from left to right")
		out = append(out, markdown.Diff(d.Theme, d.Clean(diff.Patch), w)...)
	case diff.Kept:
		section("No file differs.")
	}
	return out
}

// outlined formats nodes of a path, a line each.
func outlined(way []tree.Node) string {
	var out []string
	for _, l := range outline.Of(way) {
		out = append(out, Told(l))
	}
	return strings.Join(out, "\n")
}

// Told returns a line of an outline without its rails.
func Told(l outline.Line) string { return strings.TrimPrefix(l.Role+": "+l.Text, ": ") }
