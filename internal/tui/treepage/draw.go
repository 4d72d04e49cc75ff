package treepage

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// listWidth returns the width of the outline: all of a narrow page.
func (p *Page) listWidth() int {
	if p.width < box.Roomy || p.d.Plain {
		return p.width
	}
	return p.width * 3 / 5
}

// stackedFrom is the height from which on the text of the selected line is below a narrow outline.
const stackedFrom = 16

// Draw draws the outline, and beside or below it the text of the selected line.
func (p *Page) Draw(w, h int) ([]string, *tea.Cursor) {
	t := p.d.Theme
	p.width = w
	foot, cursor := p.foot(w)
	h -= len(foot)
	lw, side, below := p.listWidth(), 0, 0
	if lw < w {
		side = w - lw - 3
	} else if h >= stackedFrom && !p.d.Plain {
		below = h * 2 / 5
	}
	p.height = max(1, h-below)
	var out []string
	p.keepInSight()
	for i := p.top; i < min(len(p.shown), p.top+p.height); i++ {
		out = append(out, p.row(p.lines[p.shown[i]], lw-1))
	}
	if !p.d.Selecting {
		out = scroll.Marked(t, out, len(p.shown)-p.top-len(out), lw-1)
	}
	out = box.Fill(out, lw, p.height)
	switch {
	case side > 0:
		text := p.text(side)
		out = box.Beside(out, p.d.Part(&p.preview, scroll.Flat(text), side, p.height), lw, p.height, t.Line.On("│")+" ")
	case below > 0:
		text := p.text(w - 2)
		under := line.Indent(p.d.Part(&p.preview, scroll.Flat(text), w-2, below-1))
		out = append(append(out, box.Rule(t, t.Line, w)), box.Fill(under, w, below-1)...)
	}
	if cursor != nil {
		cursor.Y += len(out)
	}
	return append(out, foot...), cursor
}

func (p *Page) keepInSight() {
	for i, at := range p.shown {
		if p.lines[at].Node == p.chosen {
			p.top = max(min(p.top, i), i-p.height+1)
		}
	}
	p.top = max(0, min(p.top, len(p.shown)-p.height))
}

// row draws a line of the outline.
func (p *Page) row(l outline.Line, w int) string {
	t := p.d.Theme
	text := Told(l)
	sign := " "
	switch {
	case l.Node == p.marked:
		sign = "◆"
	case l.Node == p.here:
		sign = "●"
	case p.folded[l.Node]:
		sign = "▸"
	}
	heads := p.heads[l.Node]
	if f := p.away[l.Node]; f.lines > 0 {
		heads = strings.TrimSpace(heads + " " + strings.TrimSuffix("▸ "+spelling.Many(f.lines, "line")+": "+f.heads, ": "))
	}
	heads = line.Clip(line.One(p.d.Clean(heads)), max(8, w/2))
	room := w - 2 - line.Wide(heads)
	body := line.Clip(line.One(p.d.Clean(text)), max(8, room-line.Wide(l.Rails)-2))
	if l.Node == p.chosen {
		return t.Chosen.On(line.Pad(line.Clip(sign+" "+l.Rails+body+"  "+heads, w), w))
	}
	ink := theme.Ink("")
	switch l.Role {
	case "User":
		ink = t.Person
	case "":
		ink = t.Dim
	}
	drawn := line.Clip(t.Focus.On(sign)+" "+t.Line.On(l.Rails)+ink.On(body)+"  "+t.Program.On(heads), w)
	for _, word := range strings.Fields(p.find) {
		drawn = line.Lit(t.Found, drawn, line.Fold(word))
	}
	return drawn
}

// said is the text of a line, as drawn last.
type said struct {
	node  tree.ID
	width int
	lines []string
}

// text draws the text of the selected line. Another line starts from its beginning.
func (p *Page) text(w int) []string {
	if p.said.node != p.chosen {
		p.preview = scroll.Scroll{Away: true}
	}
	if p.said.node != p.chosen || p.said.width != w {
		p.said = said{p.chosen, w, nil}
		if n, ok := p.nodes[p.chosen]; ok {
			p.said.lines = drawNode(p.d, n, w)
		}
	}
	return p.said.lines
}

// drawNode draws the full text of a node, below its author and time.
func drawNode(d *screen.Screen, n tree.Node, w int) []string {
	t := d.Theme
	head := n.Kind + " · " + n.By + " · " + n.At.Local().Format("2006-01-02 15:04:05")
	out := []string{t.Dim.On(line.Clip(line.One(d.Clean(head)), w)), ""}
	if words, ok := outline.Words(n); ok {
		m := markdown.New(t)
		m.Set(d.Clean(words), w)
		if out = append(out, m.Lines()...); n.Kind != string(talk.ExchangeKind) {
			return out
		}
	}
	switch b := scene.ChatBody(n).(type) {
	case talk.Exchange:
		for _, s := range b.Shows {
			out = append(out, line.Wrap("▸ "+line.One(d.Clean(s.Line)), w)...)
			if s.Diff != "" {
				out = append(out, markdown.Diff(t, d.Clean(s.Diff), w)...)
			}
		}
		return out
	case talk.Root:
		return append(out, line.Wrap("Conversation "+line.One(d.Clean(b.Name))+" starts here, in the folder "+
			line.One(d.Clean(b.Dir))+".", w)...)
	case margin.Snap:
		if b.Why != "restored" {
			break
		}
		files := strings.Join(b.Files, "\n")
		if files == "" {
			files = "No files differed."
		}
		return append(out, line.Wrap("Files restored:\n"+d.Clean(files), w)...)
	}
	return append(out, markdown.Code(t, "json", d.Clean(string(n.Body)), w)...)
}

func (p *Page) scrollText(by int) {
	p.preview.Move(scroll.Flat(p.said.lines), by)
}

// foot draws the input, if any, or the error that ended the page.
func (p *Page) foot(w int) ([]string, *tea.Cursor) {
	if p.gone != "" {
		return line.Indent(line.Inked(p.d.Theme.Bad, line.Wrap(p.gone, w-2))), nil
	}
	ed, what := p.search, "search: "
	if p.naming != nil {
		ed, what = p.naming, "label: "
	}
	if ed == nil {
		if p.find == "" {
			return nil, nil
		}
		return []string{p.d.Theme.Warn.On(line.Clip(fmt.Sprintf(" %d of %d lines contain %q; esc shows all", len(p.shown), len(p.lines),
			p.find), w))}, nil
	}
	lines, x, y := ed.Lines(w-len(what)-2, 1)
	return []string{" " + theme.Bold.On(what) + strings.Join(lines, "")}, tea.NewCursor(x+1+len(what), y)
}

// Parts returns the tree's parts of the status line: the title, and the keys that fit, in order of importance.
func (p *Page) Parts() []screen.Part {
	shown := spelling.Many(len(p.lines), "line")
	if p.marked != "" {
		shown = "◆ marked; " + p.d.Keys.Key("tree-mark") + " at another node compares"
	}
	if p.more > 0 {
		shown += fmt.Sprintf(", %d older nodes not shown", p.more)
	}
	out := []screen.Part{{Text: shown}}
	for i, a := range []string{"switch", "fork", "search", "retry", "files", "label", "mark"} {
		if key := p.d.Keys.Key("tree-" + a); key != "" {
			out = append(out, screen.Part{Text: key + " " + a, Rank: i + 4, Right: true})
		}
	}
	return append(out, screen.Part{Text: "esc back", Rank: 2, Right: true}, p.d.Keys.Help())
}

// retry asks which model answers the selected line, and has it answered on a separate branch.
func (p *Page) retry() tea.Cmd {
	return p.d.Desk.PickModel("Choose a model", func(spec string) tea.Cmd {
		from := p.nodeName()
		return p.d.Do(conversation.SwitchTo{Tree: p.name, Branch: from}, func(err error) tea.Cmd {
			if err != nil {
				return nil
			}
			return p.d.Do(p.d.Turn.Over(turns.Say{Tree: p.name, Again: true, Model: spec}), func(error) tea.Cmd {
				return p.leave()
			})
		})
	})
}

func (p *Page) recolor() {
	p.said = said{}
	for _, e := range []*editor.Editor{p.search, p.naming} {
		if e != nil {
			e.Ink(p.d.Theme)
		}
	}
}
