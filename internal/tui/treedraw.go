package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// listWidth is how wide the outline is: all of a narrow page.
func (p *treePage) listWidth() int {
	if p.width < sideFrom || p.d.Plain {
		return p.width
	}
	return p.width * 3 / 5
}

// Draw shows the outline, and beside it the text of the chosen line.
func (p *treePage) Draw(w, h int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	p.width = w
	foot, cursor := p.foot(w)
	p.height = max(1, h-len(foot))
	lw := p.listWidth()
	var out []string
	if p.gone != "" {
		out = inked(t.Bad, wrap(p.gone, w-2))
	} else {
		p.keepInSight()
		for i := p.top; i < min(len(p.shown), p.top+p.height); i++ {
			out = append(out, p.row(p.lines[p.shown[i]], lw-1))
		}
	}
	out = fill(out, lw, p.height)
	if lw < w && p.gone == "" {
		side := p.preview.lines(flat(p.text(w-lw-3)), p.height)
		out = beside(out, side, lw, p.height, t.Line.On("│")+" ")
	}
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, foot...), cursor
}

func (p *treePage) keepInSight() {
	for i, at := range p.shown {
		if p.lines[at].Node == p.chosen {
			p.top = max(min(p.top, i), i-p.height+1)
		}
	}
	p.top = max(0, min(p.top, len(p.shown)-p.height))
}

// row draws a line of the outline.
func (p *treePage) row(l talk.Line, w int) string {
	t := p.d.Theme
	text := l.Text
	if l.Role != "" {
		text = l.Role + ": " + text
	}
	sign := " "
	switch {
	case l.Node == p.marked:
		sign = "◆"
	case l.Node == p.here:
		sign = "●"
	case p.folded[l.Node]:
		sign = "▸"
	}
	heads := oneLine(p.d.Clean(p.heads[l.Node]))
	room := w - 2 - wide(heads)
	body := clip(oneLine(p.d.Clean(text)), max(8, room-wide(l.Rails)-2))
	if l.Node == p.chosen {
		return t.Chosen.On(pad(clip(sign+" "+l.Rails+body+"  "+heads, w), w))
	}
	ink := theme.Ink("")
	switch l.Role {
	case "User":
		ink = t.Person
	case "":
		ink = t.Dim
	}
	return clip(t.Focus.On(sign)+" "+t.Line.On(l.Rails)+ink.On(body)+"  "+t.Program.On(heads), w)
}

// text is what is said at the chosen line.
func (p *treePage) text(w int) []string {
	t := p.d.Theme
	n, ok := p.nodes[p.chosen]
	if !ok {
		return nil
	}
	head := n.Kind + " · " + n.By + " · " + n.At.Local().Format("2006-01-02 15:04:05")
	out := []string{t.Dim.On(clip(oneLine(p.d.Clean(head)), w)), ""}
	if words, ok := talk.Words(n); ok {
		m := markdown.New(t)
		m.Set(p.d.Clean(words), w)
		return append(out, m.Lines()...)
	}
	if x, ok := talk.ExchangeKind.Of(n); ok {
		for _, s := range x.Shows {
			out = append(out, wrap("▸ "+oneLine(p.d.Clean(s.Line)), w)...)
			if s.Diff != "" {
				out = append(out, markdown.Diff(t, p.d.Clean(s.Diff), w)...)
			}
		}
		return out
	}
	return append(out, markdown.Code(t, "json", p.d.Clean(string(n.Body)), w)...)
}

func (p *treePage) scrollText(by int) {
	p.preview.move(flat(p.text(p.width-p.listWidth()-3)), by)
}

// foot is the line that is typed, if one is.
func (p *treePage) foot(w int) ([]string, *tea.Cursor) {
	ed, what := p.search, "search: "
	if p.naming != nil {
		ed, what = p.naming, "label: "
	}
	if ed == nil {
		if p.find == "" {
			return nil, nil
		}
		return []string{p.d.Theme.Warn.On(clip(fmt.Sprintf(" %d of %d lines hold %q; esc shows all", len(p.shown), len(p.lines), p.find), w))}, nil
	}
	lines, x, y := ed.Lines(w-len(what)-2, 1)
	return []string{" " + theme.Bold.On(what) + strings.Join(lines, "")}, tea.NewCursor(x+1+len(what), y)
}

// Status is what the line at the bottom says.
func (p *treePage) Status() (left, right string) {
	left = spelling.Many(len(p.lines), "line")
	if p.more > 0 {
		left += fmt.Sprintf(", %d older nodes not shown", p.more)
	}
	var hints []string
	for _, a := range []string{"tree-switch", "tree-fork", "tree-files", "tree-label", "tree-mark", "tree-retry", "tree-search"} {
		hints = append(hints, p.d.keys.key(a)+" "+strings.TrimPrefix(a, "tree-"))
	}
	return left, strings.Join(hints, " · ")
}

// newCompare shows two places of a tree side by side, with how their files differ.
func newCompare(d *Desk, left, right string, apart engine.Apart) *choice {
	c := &choice{d: d, title: "Two places compared", whole: true, cancel: func() tea.Cmd { return nil }}
	c.lines = func(w int) []string {
		out := markdown.Side(d.Theme, d.Clean(left), d.Clean(right), w)
		out = append(out, "", theme.Bold.On(clip("Since they parted: "+spelling.Many(len(apart.A), "node")+" at the left, "+itoa(len(apart.B))+" at the right.", w)))
		if len(apart.Files) > 0 {
			out = append(out, "", theme.Bold.On("Files, from the first to the second"))
			out = append(out, markdown.Diff(d.Theme, d.Clean(apart.Patch), w)...)
		}
		return out
	}
	c.offers = []offer{{"enter", "close", func() tea.Cmd { return nil }}}
	return c
}

// retry asks who shall answer the chosen line, and has it answered on a branch of its own.
func (p *treePage) retry() tea.Cmd {
	return p.d.pickModel("Who answers this?", "", func(spec string) tea.Cmd {
		from := p.place()
		return p.d.do(engine.SwitchTo{Tree: p.name, Branch: from}, func(err error) tea.Cmd {
			if err != nil {
				return nil
			}
			return p.d.do(p.d.Over(engine.Say{Tree: p.name, Again: true, Model: spec}), func(error) tea.Cmd {
				return tea.Batch(p.load(), p.d.openChat(p.name), p.d.recheck(p.name))
			})
		})
	}, nil)
}
