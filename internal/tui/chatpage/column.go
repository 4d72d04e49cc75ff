package chatpage

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// side is the column at the right: tasks, context and changes.
type side struct {
	p     *Page
	on    bool
	at    int   // the selected line; -1: none
	lines []int // as drawn: the index of each line among the selectable ones; -1: none
	more  int   // columns added to sideWidth
	watch watch
}

// width returns the columns of the side if there is room beside the messages.
func (sd *side) width() int { return sideWidth + sd.more }

// widen makes the side wider or narrower.
func (sd *side) widen(by int) {
	sd.more = max(leastSide-sideWidth, min(sd.more+by, mostSide-sideWidth))
}

// sidePart is a section of the side: a title and lines.
type sidePart struct {
	title string
	lines []sideLine
	most  int // lines shown while it does not have the keys
}

// sideLine is a line of the side that a person can select.
type sideLine struct {
	text string
	open func() tea.Cmd // nil: it opens nothing
	drop func() tea.Cmd // nil: it cannot be removed
}

// mostRecent is how many other conversations are shown.
const mostRecent = 6

// recent returns the project's other conversations that were used last.
func (sd *side) recent(w int) (out []sideLine) {
	for _, c := range sd.p.d.Recent {
		if c.Name == sd.p.env.Tree || len(out) == mostRecent {
			continue
		}
		mark := map[bool]string{true: line.Sign(sd.p.d.Theme, "● ", "")}[c.Running]
		age := line.Age(time.Since(c.Last))
		title := line.Clip(mark+line.One(sd.p.d.Clean(c.Heading())), max(4, w-line.Wide(age)-2))
		out = append(out, sideLine{text: title + sd.p.d.Theme.Dim.On(strings.Repeat(" ", max(2, w-line.Wide(title)-line.Wide(age)))+age),
			open: func() tea.Cmd { return sd.p.d.Desk.Open(screen.Kept{Page: "chat", Name: c.Name}) }})
	}
	return out
}

// parts returns the sections of the side: tasks, context, changed files, background commands, grants, seats,
// and recent conversations.
func (sd *side) parts(w, h int) []sidePart {
	row := func(text string) sideLine { return sideLine{text: line.Clip(line.One(sd.p.d.Clean(text)), w)} }
	var todo, held []sideLine
	for _, l := range sd.p.scene.Todo {
		todo = append(todo, row(l))
	}
	for _, name := range sd.p.scene.Files() {
		l := sideLine{text: line.Named(line.One(sd.p.d.Clean(name)), w)}
		l.open = func() tea.Cmd { return sd.openFile(name) }
		l.drop = func() tea.Cmd { return sd.p.d.Do(turns.Release{Tree: sd.p.env.Tree, Name: name}, nil) }
		held = append(held, l)
	}
	return []sidePart{{"To do", todo, max(4, h/3)}, {"In the context", held, 8}, {"Changed files", sd.changedLines(w), mostChanged},
		{"Background", sd.jobs(w), max(4, h/3)}, {"Allowed this session", sd.grants(w), 6}, {"Seats", sd.atTheTable(), 6},
		{"Recent", sd.recent(w), mostRecent}}
}

// mostChanged is how many changed files are shown while the side does not have the keys.
const mostChanged = 8

// changedLines returns the changed files, each with the size of its change. There may be thousands: those not
// shown have no text.
func (sd *side) changedLines(w int) (out []sideLine) {
	for i, f := range sd.p.changed.all {
		if i >= mostChanged && sd.at < 0 {
			out = append(out, sideLine{open: func() tea.Cmd { return sd.p.Changes("") }})
			continue
		}
		counts := f.much()
		name := line.Pad(line.Named(f.shown, max(4, w-line.Wide(counts))), w-line.Wide(counts))
		out = append(out, sideLine{text: name + figures(sd.p.d.Theme, counts), open: func() tea.Cmd { return sd.p.Changes(f.name) }})
	}
	return out
}

// atTheTable returns the seats of this conversation's debates in their current state; without a debate, those
// chosen for the next.
func (sd *side) atTheTable() (out []sideLine) {
	sd.p.d.Desk.Table(sd.p.env.Tree, func(text string, open func() tea.Cmd) { out = append(out, sideLine{text: text, open: open}) })
	if len(out) > 0 {
		return out
	}
	for _, s := range sd.p.who.Table {
		out = append(out, sideLine{text: "○ " + line.One(sd.p.d.Clean(s)), open: sd.p.who.PickSeats})
	}
	return out
}

// reach returns the selectable lines.
func (sd *side) reach() (out []sideLine) {
	for _, part := range sd.parts(sd.width()-1, sd.p.list.scroll.Height) {
		for _, l := range part.lines {
			if l.open != nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// draw draws the side. While it has the keys it is shown in full, with the selected line in sight.
func (sd *side) draw(w, h int) []string {
	t := sd.p.d.Theme
	var out []string
	sd.lines = sd.lines[:0]
	n, at := 0, 0
	put := func(l string, reach int) { out, sd.lines = append(out, l), append(sd.lines, reach) }
	for _, part := range sd.parts(w, h) {
		if len(part.lines) == 0 {
			continue
		}
		if len(out) > 0 {
			put("", -1)
		}
		put(theme.Bold.On(line.Clip(part.title, w)), -1)
		for i, l := range part.lines {
			if sd.at < 0 && i == part.most {
				put(t.Dim.On(fmt.Sprintf("… %d more", len(part.lines)-i)), -1)
			}
			reach := -1
			if l.open != nil {
				reach, n = n, n+1
			}
			if reach >= 0 && reach == sd.at {
				at, l.text = len(out), t.Chosen.On(line.Pad(line.Sign(t, "", "> ")+ansi.Strip(l.text), w))
			}
			if sd.at >= 0 || i < part.most {
				put(line.Clip(l.text, w), reach)
			}
		}
	}
	if sd.at >= 0 {
		h -= 2
	}
	from := max(0, min(at-h/2, len(out)-h))
	out, sd.lines = out[from:min(len(out), from+h)], sd.lines[from:]
	if sd.at >= 0 {
		if sd.fits(sd.p.d.Width) {
			out = box.Fill(out, w, h)
		}
		out = append(out, "", t.Focus.On(line.Clip(sd.hint(), w)))
	}
	return out
}

// hint says what the keys do with the selected line.
func (sd *side) hint() string {
	if lines := sd.reach(); sd.at < len(lines) && lines[sd.at].drop != nil {
		return "[enter] open  [x] remove"
	}
	return "[enter] open  [< >] width"
}

// show shows or hides the side; without room beside the messages it is shown over them, with the keys.
func (sd *side) show() tea.Cmd {
	switch {
	case sd.fits(sd.p.d.Width):
		sd.on = !sd.on
		if sd.at >= 0 {
			sd.p.toInput()
		}
	case sd.at >= 0:
		sd.p.toInput()
	case len(sd.reach()) == 0:
		sd.p.d.Tell("no context files, to-dos or changes yet")
	default:
		sd.p.list.chosen, sd.at = -1, 0
	}
	return nil
}

// empty reports whether there is nothing to show.
func (sd *side) empty() bool {
	for _, part := range sd.parts(sd.width()-1, 1) {
		if len(part.lines) > 0 {
			return false
		}
	}
	return true
}

// fits reports whether a page of a width has room for the side.
func (sd *side) fits(w int) bool { return w >= sideFrom && !sd.p.d.Plain }

// key handles a key while the side has them.
func (sd *side) key(k tea.KeyPressMsg) tea.Cmd {
	lines := sd.reach()
	if len(lines) == 0 { // its line is gone
		return sd.p.typeOn(k)
	}
	sd.at = min(sd.at, len(lines)-1)
	switch l := lines[sd.at]; k.String() {
	case "up", "k":
		sd.at = max(0, sd.at-1)
	case "down", "j":
		sd.at = min(sd.at+1, len(lines)-1)
	case "home", "g":
		sd.at = 0
	case "end", "G":
		sd.at = len(lines) - 1
	case "<":
		sd.widen(widenBy)
	case ">":
		sd.widen(-widenBy)
	case "enter", "space", "o":
		return l.open()
	case "x", "d", "delete", "backspace":
		if l.drop != nil {
			return l.drop()
		}
		sd.p.d.Tell("this cannot be removed here")
	default:
		if k.Text != "" {
			return sd.p.typeOn(k)
		}
	}
	return nil
}

// click selects the line under the mouse, or opens the selected one.
func (sd *side) click(y int) tea.Cmd {
	if y < 0 || y >= len(sd.lines) || sd.lines[y] < 0 {
		return nil
	}
	if lines := sd.reach(); sd.lines[y] < len(lines) {
		return lines[sd.lines[y]].open()
	}
	return nil
}

// openFile opens the person's editor on a file of the project.
func (sd *side) openFile(name string) tea.Cmd {
	name, _, _ = strings.Cut(name, ":") // without line numbers
	words := append(strings.Fields(sd.p.d.Editor), filepath.Join(sd.p.env.Dir, filepath.FromSlash(name)))
	return sd.p.d.Lend(exec.Command(words[0], words[1:]...), func(err error) tea.Cmd { sd.p.d.Fail(err); return nil })
}
