package tui

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// sidePart is a part of the side: a title and lines.
type sidePart struct {
	title string
	lines []sideLine
	most  int // lines that are shown while it has not the keys
}

// sideLine is a line of the side that a person can reach.
type sideLine struct {
	text string
	open func() tea.Cmd // nil: there is nothing to open
	drop func() tea.Cmd // nil: it cannot be taken away
}

// sideParts are what the side shows: what is to be done, what is in the context, what was changed, who sits at the table,
// what it cost.
func (p *chatPage) sideParts(w, h int) []sidePart {
	row := func(text string) sideLine { return sideLine{text: line.Clip(line.One(p.d.Clean(text)), w)} }
	var todo, held, cost []sideLine
	for _, l := range p.scene.Todo {
		todo = append(todo, row(l))
	}
	for _, name := range p.scene.Files() {
		l := sideLine{text: line.Named(line.One(p.d.Clean(name)), w)}
		l.open = func() tea.Cmd { return p.openFile(name) }
		l.drop = func() tea.Cmd { return p.d.Do(engine.Release{Tree: p.env.Tree, Name: name}, nil) }
		held = append(held, l)
	}
	for _, s := range p.scene.Spent {
		l := row(fmt.Sprintf("%s  %s, %s", s.Money(), s.Model, spelling.Many(s.Calls, "call")))
		l.open = p.d.spent
		cost = append(cost, l)
	}
	return []sidePart{{"To do", todo, max(4, h/3)}, {"In the context", held, 8}, {"Changed files", p.changedLines(w), mostChanged},
		{"Seats", p.atTheTable(), 6}, {"Cost", cost, 6}}
}

// mostChanged is how many changed files are shown while the side has not the keys.
const mostChanged = 8

// changedLines are the changed files, each with how much of it. There may be thousands: those that are not shown have no text.
func (p *chatPage) changedLines(w int) (out []sideLine) {
	for i, f := range p.changed.all {
		if i >= mostChanged && p.beside < 0 {
			out = append(out, sideLine{open: p.d.changes})
			continue
		}
		counts := f.much()
		name := line.Named(f.shown, max(4, w-line.Wide(counts)))
		out = append(out, sideLine{text: name + p.d.Theme.Dim.On(counts), open: func() tea.Cmd { return p.d.changesOf(f.name) }})
	}
	return out
}

// atTheTable are the seats of the debates that this conversation asked, as they are now; without one those that were chosen
// for the next.
func (p *chatPage) atTheTable() (out []sideLine) {
	for i, t := range p.d.tabs {
		if q, ok := t.Page.(*roompage.Page); ok {
			for _, text := range q.Seats(p.env.Tree) {
				out = append(out, sideLine{text: text, open: func() tea.Cmd { p.d.show(i); return nil }})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, s := range p.d.people.Table {
		out = append(out, sideLine{text: "○ " + line.One(p.d.Clean(s)), open: p.d.people.PickSeats})
	}
	return out
}

// sideLines are those that a person can reach, as they stand.
func (p *chatPage) sideLines() (out []sideLine) {
	for _, part := range p.sideParts(sideWidth-1, p.scroll.Height) {
		for _, l := range part.lines {
			if l.open != nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// sideBar draws the side. While it has the keys it is whole, and the line that has them is in sight.
func (p *chatPage) sideBar(w, h int) []string {
	t := p.d.Theme
	var out []string
	p.sideAt = p.sideAt[:0]
	n, at := 0, 0
	put := func(l string, reach int) { out, p.sideAt = append(out, l), append(p.sideAt, reach) }
	for _, part := range p.sideParts(w, h) {
		if len(part.lines) == 0 {
			continue
		}
		if len(out) > 0 {
			put("", -1)
		}
		put(theme.Bold.On(line.Clip(part.title, w)), -1)
		for i, l := range part.lines {
			if p.beside < 0 && i == part.most {
				put(t.Dim.On(fmt.Sprintf("… %d more", len(part.lines)-i)), -1)
			}
			reach := -1
			if l.open != nil {
				reach, n = n, n+1
			}
			if reach >= 0 && reach == p.beside {
				at, l.text = len(out), t.Chosen.On(line.Pad(line.Sign(t, "", "> ")+ansi.Strip(l.text), w))
			}
			if p.beside >= 0 || i < part.most {
				put(line.Clip(l.text, w), reach)
			}
		}
	}
	if len(out) == 0 {
		return []string{t.Dim.On(line.Clip("files, things to do and", w)), t.Dim.On(line.Clip("changes are shown here", w))}
	}
	if p.beside >= 0 {
		h -= 2
	}
	from := max(0, min(at-h/2, len(out)-h))
	out, p.sideAt = out[from:min(len(out), from+h)], p.sideAt[from:]
	if p.beside >= 0 {
		if p.besides(p.d.Width) {
			out = box.Fill(out, w, h)
		}
		out = append(out, "", t.Focus.On(line.Clip(p.sideHint(), w)))
	}
	return out
}

// sideHint says what the keys do with the line that has them.
func (p *chatPage) sideHint() string {
	if lines := p.sideLines(); p.beside < len(lines) && lines[p.beside].drop != nil {
		return "[enter] open  [x] take away"
	}
	return "[enter] open  [esc] back"
}

// showSide shows or hides the side; where there is no room beside the messages it is shown over them, with the keys.
func (p *chatPage) showSide() tea.Cmd {
	switch {
	case p.besides(p.d.Width):
		p.side = !p.side
		if p.beside >= 0 {
			p.toInput()
		}
	case p.beside >= 0:
		p.toInput()
	case len(p.sideLines()) == 0:
		p.d.Tell("nothing is in the context, to be done or changed yet")
	default:
		p.chosen, p.beside = -1, 0
	}
	return nil
}

// besides says whether a page of a width has room for the side.
func (p *chatPage) besides(w int) bool { return w >= box.Roomy && !p.d.Plain }

// sideKey is a key while a line of the side has them.
func (p *chatPage) sideKey(k tea.KeyPressMsg) tea.Cmd {
	lines := p.sideLines()
	if len(lines) == 0 { // what it had is gone
		return p.typeOn(k)
	}
	p.beside = min(p.beside, len(lines)-1)
	switch l := lines[p.beside]; k.String() {
	case "up", "k":
		p.beside = max(0, p.beside-1)
	case "down", "j":
		p.beside = min(p.beside+1, len(lines)-1)
	case "home", "g":
		p.beside = 0
	case "end", "G":
		p.beside = len(lines) - 1
	case "enter", "space", "o":
		return l.open()
	case "x", "d", "delete", "backspace":
		if l.drop != nil {
			return l.drop()
		}
		p.d.Tell("only files of the context can be taken away here")
	default:
		if k.Text != "" {
			return p.typeOn(k)
		}
	}
	return nil
}

// clickSide gives the line under the mouse the keys, and opens the one that has them.
func (p *chatPage) clickSide(y int) tea.Cmd {
	if y < 0 || y >= len(p.sideAt) || p.sideAt[y] < 0 {
		return nil
	}
	if lines := p.sideLines(); p.sideAt[y] < len(lines) {
		return lines[p.sideAt[y]].open()
	}
	return nil
}

// openFile opens the person's editor on a file of the project.
func (p *chatPage) openFile(name string) tea.Cmd {
	name, _, _ = strings.Cut(name, ":") // without its lines
	words := append(strings.Fields(p.d.Editor), filepath.Join(p.env.Dir, filepath.FromSlash(name)))
	return p.d.Lend(exec.Command(words[0], words[1:]...), func(err error) tea.Cmd { p.d.Fail(err); return nil })
}
