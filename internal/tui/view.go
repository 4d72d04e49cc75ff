package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/crash"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// View draws the screen: the tabs, the page, the status line; dialogs above.
func (d *Desk) View() tea.View {
	defer crash.Noted()
	defer d.clock.wake()
	w, h := max(d.Width, screen.LeastWidth), max(d.Height, screen.LeastHeight)
	var lines []string
	var cursor *tea.Cursor
	if d.pointer.span != nil {
		lines = d.pointer.span.draw(d.Theme)
	} else if d.left && d.below.shown() {
		lines, cursor = []string{" "}, tea.NewCursor(0, 0) // without any line the renderer clears nothing
	} else if d.below.shown() {
		lines, cursor = d.below.draw(w, h)
	} else {
		lines, cursor = d.draw(w, h)
	}
	if d.below.shown() {
		lines = d.below.lower(lines, cursor)
	}
	if d.Links && !d.below.shown() {
		for i, l := range lines {
			lines[i] = line.Linked(l, w)
		}
	}
	d.pictures.drawn(lines)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.Cursor = cursor
	v.AltScreen = !d.below.shown()
	v.ReportFocus = true
	v.WindowTitle = d.title()
	if d.Mouse && !d.below.shown() { // inline, the terminal itself selects and scrolls
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// leastBox and leastRows are the width and height below which a dialog cannot be read.
const leastBox, leastRows = 24, 8

func (d *Desk) draw(w, h int) ([]string, *tea.Cursor) {
	lines := []string{d.tabBar(w), ""}[:top(d)]
	var cursor *tea.Cursor
	if p := d.current(); p != nil {
		var body []string
		body, cursor = p.Draw(w, h-top(d)-1)
		lines = append(lines, box.Fill(body, w, h-top(d)-1)...)
		if cursor != nil {
			cursor.Y += top(d)
		}
	}
	lines = append(lines, d.statusLine(w))
	if len(d.Dialogs) > 0 && d.Plain { // what is below it would be read aloud with it
		clear(lines[1 : len(lines)-1])
	}
	said := overflow(d, w)
	if len(said) > 1 { // the input does not have the keys now
		copy(lines[max(0, len(lines)-len(said)):], said)
	}
	if len(d.Dialogs) > 0 {
		box.Recede(d.Theme, lines[1:len(lines)-1])
	}
	for _, p := range d.Dialogs {
		frame, at := p.Draw(w, h-2)
		if w < leastBox || h < leastRows {
			frame, at = p.Draw(w+4, h+2)
			frame, at = bared(frame, at, w, h-2)
		}
		var x, y int
		lines, x, y = box.Over(lines, frame, w, h)
		if cursor = at; cursor != nil {
			cursor.X, cursor.Y = cursor.X+x, cursor.Y+y
		}
	}
	if d.Theme.Plain && len(said) > 1 { // it may take rows of the dialog
		copy(lines[max(0, len(lines)-len(said)):], said)
	}
	if cursor != nil && (cursor.X >= d.Width || cursor.Y >= d.Height) {
		cursor = nil
	}
	return lines, cursor
}

// bared returns a box without its frame and empty rows, in w by h cells, so that the options are visible where
// a frame has no room. If it is too long the beginning is cut, because the keys are at the end.
func bared(frame []string, at *tea.Cursor, w, h int) (out []string, cursor *tea.Cursor) {
	for i := 1; i < len(frame)-1; i++ {
		l := ansi.Cut(frame[i], 2, w+2)
		if strings.TrimSpace(ansi.Strip(l)) == "" {
			continue
		}
		if at != nil && at.Y == i && at.X >= 2 {
			cursor = tea.NewCursor(at.X-2, len(out))
		}
		out = append(out, line.Pad(l, w))
	}
	gone := max(0, len(out)-max(1, h))
	if cursor != nil {
		if cursor.Y -= gone; cursor.Y < 0 {
			cursor = nil
		}
	}
	return out[gone:], cursor
}

// top returns how many rows are above the page: the tabs and, if there is room, an empty one.
func top(d *Desk) int {
	if d.Airy() {
		return 2
	}
	return 1
}

// title returns the title of the terminal's window.
func (d *Desk) title() string {
	for _, t := range d.tabs {
		if t.State().Mark == screen.Waiting {
			return "? " + line.One(d.Clean(t.Title())) + " – socrates"
		}
	}
	if p := d.current(); p != nil {
		return line.One(d.Clean(p.Title())) + " – socrates"
	}
	return "socrates"
}

// tabMarks are the marks for the states of a tab.
var tabMarks = map[screen.Mark]string{screen.Working: "●", screen.Fresh: "+", screen.Waiting: "?"}

// tabBar draws the tabs; if not all fit, those around the current one.
func (d *Desk) tabBar(w int) string {
	bar, shown := d.tabCells(w)
	text := ""
	for i, cell := range bar {
		ink := d.Theme.Bar
		if shown[i] == d.at {
			ink = theme.Bold
		} else if shown[i] >= 0 && d.tabs[shown[i]].mark == screen.Waiting {
			ink = d.Theme.Bar.And(theme.Bold)
		}
		text += ink.On(cell)
	}
	return strings.TrimRight(text, " ")
}

// widestTab and leastTab limit the cells of a tab's title: if not all tabs fit, titles are shortened before
// tabs are dropped. That of the current tab stays.
const widestTab, leastTab = 40, 12

// ownTab is the minimum title width of the current tab.
const ownTab = 24

// tabCells returns the cells of the tab bar, exactly w wide together, with the tab of each, or -1. If tabs do
// not fit, the last cell shows how many.
func (d *Desk) tabCells(w int) (cells []string, tabs []int) {
	titles := widestTab
	names := tabNames(d, titles)
	for ; titles > leastTab && line.Wide(strings.Join(names, "")) > w; names = tabNames(d, titles) {
		titles--
	}
	from, to := d.at, min(d.at+1, len(names))
	room := w
	if line.Wide(strings.Join(names, "")) > w {
		room -= len(outside(len(names)))
	}
	width := line.Wide(strings.Join(names[from:to], ""))
	for grew := true; grew; { // around the current one
		grew = false
		if to < len(names) && width+line.Wide(names[to]) <= room {
			width, to, grew = width+line.Wide(names[to]), to+1, true
		}
		if from > 0 && width+line.Wide(names[from-1]) <= room {
			from, grew = from-1, true
			width += line.Wide(names[from])
		}
	}
	left := w
	for i := from; i < to; i++ {
		name := line.Clip(names[i], left)
		cells, tabs, left = append(cells, name), append(tabs, i), left-line.Wide(name)
	}
	rest := ""
	if n := len(names) - (to - from); n > 0 && left >= len(outside(n)) {
		rest = outside(n)
	} else if at := d.checkout.text + "  "; d.checkout.text != "" && n == 0 && w >= checkoutFrom && left >= line.Wide(at)+2 {
		rest = at
	}
	return append(cells, strings.Repeat(" ", left-line.Wide(rest))+rest), append(tabs, -1)
}

// outside says how many tabs are not in the bar.
func outside(n int) string { return fmt.Sprintf(" +%d more", n) }

// tabNames returns the names of the tabs for the bar, with titles of at most most cells, except that of the
// current one.
func tabNames(d *Desk, most int) (names []string) {
	for i, t := range d.tabs {
		name := "  "
		if i < 9 {
			name += string(rune('1'+i)) + " "
		}
		cells := most
		if i == d.at {
			cells = max(most, ownTab)
		}
		title := line.One(d.Clean(t.Title()))
		if t.Kept().Page == "debate" { // it often has the title of the conversation it came from
			title = line.Sign(d.Theme, "∴ ", "debate: ") + title
		}
		name += line.Clip(title, cells)
		if i == d.at && d.Plain && len(d.tabs) > 1 {
			name = " [" + strings.TrimSpace(name) + "]"
		}
		if m := tabMarks[t.mark]; m != "" {
			name += " " + m
		}
		names = append(names, name+" ")
	}
	return names
}

func (d *Desk) clickTab(x int) tea.Cmd {
	cells, tabs := d.tabCells(max(d.Width, screen.LeastWidth))
	for i, c := range cells {
		if x -= line.Wide(c); x < 0 {
			if tabs[i] >= 0 {
				d.show(tabs[i])
			}
			return nil
		}
	}
	return nil
}
