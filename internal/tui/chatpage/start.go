package chatpage

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// start is the page of a conversation that has not begun: the centred one. While nothing is typed, arrows and
// Enter choose from its rows.
type start struct {
	p    *Page
	at   int   // the selected row
	met  bool  // a model was found
	rows []int // as drawn: which offer each line is; -1: none
}

// startWide is the width of the page, so that at 80 columns it begins at the margin.
const startWide = 76

// mostContinued is how many recent conversations can be continued from here.
const mostContinued = 3

// leastNoted is the width below which a row has no room for its note.
const leastNoted = 56

// offered is a row, below its heading.
type offered struct {
	group string
	people.Offer
}

// offers returns all rows.
func (st *start) offers() (out []offered) {
	o, d := st.p.who.Opening, st.p.d
	if o == nil {
		return nil
	}
	group := ""
	if len(o.Ready) > 0 {
		group = "Try"
	}
	for _, r := range o.Rows {
		out = append(out, offered{group, r})
	}
	for _, c := range d.Recent {
		if len(out) == len(o.Rows)+mostContinued {
			break
		}
		out = append(out, offered{"Continue", people.Offer{Title: line.One(d.Clean(c.Heading())), Note: line.Age(time.Since(c.Last)),
			Do: func() tea.Cmd { return d.Desk.Open(screen.Kept{Page: "chat", Name: c.Name}) }}})
	}
	return out
}

// shown reports whether this page is shown.
func (st *start) shown() bool {
	return len(st.p.list.items) == 0 && st.p.env.Tree == "" && st.p.reads.n == 0 && st.p.ask == nil && st.p.typing() && !st.p.running()
}

// key handles a key while nothing is typed. taken is false for a key that is for the input.
func (st *start) key(k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	if !st.shown() || !st.p.input.Empty() || st.p.d.Plain {
		return nil, false
	}
	rows := st.offers()
	switch k.String() {
	case "down":
		st.at = min(st.at+1, max(0, len(rows)-1))
		return nil, len(rows) > 0
	case "up":
		if st.at > 0 && st.at < len(rows) {
			st.at--
			return nil, true
		}
	case "enter":
		if st.at < len(rows) {
			return rows[st.at].Do(), true
		}
	}
	return nil, false
}

// click executes the offer under the mouse.
func (st *start) click(y int) tea.Cmd {
	rows := st.offers()
	if !st.shown() || y < 0 || y >= len(st.rows) || st.rows[y] < 0 || st.rows[y] >= len(rows) {
		return nil
	}
	st.at = st.rows[y]
	return rows[st.at].Do()
}

// dots are three around a table: the logo, beside the name of the product.
var dots = [2]string{"  ●  ", "●   ●"}

// draw draws the page into h rows; 0: as many as it needs.
func (st *start) draw(w, h int) []string {
	t, o := st.p.d.Theme, st.p.who.Opening
	wide := min(startWide, w-2*line.Margin)
	out := st.head(wide)
	if o == nil {
		out = append(out, "")
		for _, l := range st.plain() {
			out = append(out, line.Inked(t.Dim, line.Rows(t, l, wide))...)
		}
		st.rows = nil
		return placed(out, w, h, wide)
	}
	if o.Said != "" && len(o.Ready) == 0 {
		out = append(out, "", line.Clip(o.Said, wide))
	}
	head := len(out)
	lines, rows, at := st.drawRows(wide)
	foot := 0
	if o.Foot != "" {
		foot = 2
	}
	if room := h - head - foot; h > 0 && len(lines) > room { // the rows take precedence
		if head, foot, out = 0, 0, nil; len(lines) > h {
			from := max(0, min(at-h/2, len(lines)-h))
			lines, rows = lines[from:from+h], rows[from:from+h]
		}
	}
	out = append(out, lines...)
	if foot > 0 {
		out = append(out, "", t.Dim.On(line.Clip(o.Foot, wide)))
	}
	page := placed(out, w, h, wide)
	st.rows = make([]int, len(page))
	for i := range page {
		if st.rows[i] = -1; i >= len(page)-len(out)+head && i-len(page)+len(out)-head < len(rows) {
			st.rows[i] = rows[i-len(page)+len(out)-head]
		}
	}
	return page
}

// head draws the name, and the available models.
func (st *start) head(w int) []string {
	t := st.p.d.Theme
	said := t.Dim.On("Models argue from evidence. Code decides. You keep the record.")
	if w < 70 {
		said = t.Dim.On("Models argue. Code decides.")
	}
	if o := st.p.who.Opening; o != nil && len(o.Ready) > 0 {
		said = ""
		for _, name := range o.Ready {
			said += t.Good.On(line.Sign(t, "✓", "ready:")) + " " + name + "  "
		}
		said += t.Dim.On(" " + o.Said)
	}
	if t.Plain {
		return []string{"Socrates", said}
	}
	seat := func(i int) theme.Ink {
		if len(t.Seats) == 0 {
			return theme.Bold
		}
		return t.Seats[i%len(t.Seats)]
	}
	left, right, _ := strings.Cut(dots[1], "   ")
	return []string{seat(3).On(dots[0]) + "    " + theme.Bold.On("Socrates"),
		line.Clip(seat(1).On(left)+"   "+seat(2).On(right)+"    "+said, w)}
}

// plain lists what can be typed, until the offers are known.
func (st *start) plain() []string {
	return []string{"Say what you want done in " + line.One(st.p.d.Clean(st.p.env.Dir)) + ".", "",
		"/debate QUESTION   have several models debate it",
		"@file              show a file to the model",
		"!command           run a command; the model sees its output",
		"/mode              what runs without asking; now " + st.p.who.Mode(st.p.Setting("mode"), st.p.Setting("phase")),
		"/help              all commands"}
}

// drawRows draws the offers below their headings, and returns the offer of each line and the line of the
// selected one.
func (st *start) drawRows(w int) (out []string, rows []int, at int) {
	t := st.p.d.Theme
	all := st.offers()
	if met := len(st.p.who.Opening.Ready) > 0; met != st.met { // the rows changed
		st.met, st.at = met, 0
	}
	st.at = max(0, min(st.at, len(all)-1))
	group := "none"
	put := func(text string, row int) { out, rows = append(out, text), append(rows, row) }
	for i, o := range all {
		if o.group != group {
			put("", -1)
			if group = o.group; group != "" {
				put(t.Dim.And(theme.Bold).On(group), -1)
			}
		}
		note := line.Clip(o.Note, max(0, w-line.Wide(o.Title)-6))
		if w < leastNoted {
			note = ""
		}
		title := line.Clip(o.Title, w-4)
		gap := strings.Repeat(" ", max(1, w-3-line.Wide(title)-line.Wide(note)))
		if i == st.at && st.p.input.Empty() {
			at = len(out)
			put(t.Chosen.On(line.Pad(line.Sign(t, "› ", "> ")+title+gap+note, w)), i)
			continue
		}
		put("  "+title+t.Dim.On(gap+note), i)
	}
	return out, rows, at
}

// placed centres lines of a width in w columns, two fifths down h rows.
func placed(lines []string, w, h, wide int) []string {
	out := make([]string, max(0, (h-len(lines))*2/5), h+len(lines))
	left := strings.Repeat(" ", max(line.Margin, (w-wide)/2))
	for _, l := range lines {
		if l != "" {
			l = left + l
		}
		out = append(out, l)
	}
	return out
}
