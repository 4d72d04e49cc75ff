package document

import (
	"fmt"
	"slices"
	"strings"
)

// Ink is the weight or meaning in which a piece of text is drawn.
type Ink string

// The inks.
const (
	Strong  Ink = "strong"
	Faint   Ink = "faint"
	Heading Ink = "heading"
	Mark    Ink = "mark" // of a decision
	Good    Ink = "good"
	Warn    Ink = "warn"
	Bad     Ink = "bad"
)

// Style is how a terminal shows the first screen.
type Style struct {
	Columns int
	Clean   func(text string) string          // removes what a terminal would act on
	Ink     func(ink Ink, text string) string // nil: no colours
	Words   bool                              // for a screen reader: words instead of marks
}

// ANSI paints with weights and the sixteen colours that every terminal has.
func ANSI(ink Ink, text string) string {
	code := map[Ink]string{Strong: "1", Faint: "2", Heading: "1;2", Mark: "1;36", Good: "32", Warn: "33", Bad: "31"}[ink]
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// sheet draws the first screen for a terminal: text begins in column 2, marks are left of it.
type sheet struct {
	d     Document
	l     limits
	style Style
	b     strings.Builder
}

// Plain returns the first screen for a terminal: at most 40 lines.
func (d Document) Plain(style Style) string {
	d = d.cleaned(style.Clean)
	return fit(min(style.Columns, 100), func(l limits) string {
		s := &sheet{d: d, l: l, style: style}
		s.draw()
		return s.b.String()
	})
}

// cleaned returns the document with every text passed through clean. The texts are a model's: nothing in them may move the cursor or
// set a colour.
func (d Document) cleaned(clean func(string) string) Document {
	each := func(all []string) (out []string) {
		for _, s := range all {
			out = append(out, clean(s))
		}
		return out
	}
	points := func(all []Point) (out []Point) {
		for _, p := range all {
			p.Claim, p.Seat, p.Text, p.Way = clean(p.Claim), clean(p.Seat), clean(p.Text), clean(p.Way)
			p.Standing, p.Where, p.Quote = clean(p.Standing), clean(p.Where), clean(p.Quote)
			out = append(out, p)
		}
		return out
	}
	d.Question, d.Answer, d.Votes, d.For, d.Foot = clean(d.Question), clean(d.Answer), clean(d.Votes), clean(d.For), clean(d.Foot)
	d.Room, d.Call.Title = clean(d.Room), clean(d.Call.Title)
	d.Notices, d.Flip, d.Call.Reasons = each(d.Notices), each(d.Flip), each(d.Call.Reasons)
	d.Why, d.Refuted, d.Dissent.Points = points(d.Why), points(d.Refuted), points(d.Dissent.Points)
	d.Dissent.Option, d.Dissent.Seats = clean(d.Dissent.Option), each(d.Dissent.Seats)
	var next []Command
	for _, c := range d.Next {
		next = append(next, Command{clean(c.Line), clean(c.Does)})
	}
	d.Next = next
	return d
}

func (s *sheet) draw() {
	d := s.d
	one := s.l
	one.lines = 1
	s.row(" ", "", Faint, one.wrap(d.Question, 4)[0], "", "")
	s.b.WriteString("\n")
	notices, more := some(d.Notices, s.l.notices)
	for _, n := range notices {
		s.row("!", Warn, "", n, "", "")
	}
	if more > 0 {
		s.row("!", Warn, "", count(more, "more notice")+": socrates debate show "+d.Room, "", "")
	}
	if len(notices) > 0 {
		s.b.WriteString("\n")
	}
	s.answer()
	s.paragraph("", d.Votes)
	if d.Basis != "" {
		s.paragraph(Faint, fmt.Sprintf("%d %% %s", d.Percent, d.Basis))
	}
	if len(d.Call.Reasons) > 0 {
		s.call()
	}
	if d.For != "" {
		s.heading(titled(d.For, len(d.Why), s.l.why))
		s.points(d.Why, s.l.why, true)
		if len(d.Why) == 0 {
			s.paragraph("", "No claim supports it.")
		}
		if means := d.judged(); means != "" && !s.l.terse {
			s.paragraph(Faint, means)
		}
	}
	if len(d.Refuted) > 0 {
		s.heading(titled("Refuted", len(d.Refuted), s.l.items))
		s.points(d.Refuted, s.l.items, false)
	}
	s.heading(titled("Dissent", len(d.Dissent.Points), s.l.items))
	if d.Dissent.None != "" {
		s.paragraph("", d.Dissent.None)
	} else {
		s.paragraph("", d.Dissent.says())
		s.points(d.Dissent.Points, s.l.items, true)
		if d.leftOut() && !s.l.terse {
			s.paragraph(Faint, unjudgedMeans)
		}
	}
	s.heading(titled("What would flip it", len(d.Flip), s.l.items))
	for _, f := range first(some(d.Flip, s.l.items)) {
		s.paragraph("", capital(f))
	}
	if len(d.Flip) == 0 {
		s.paragraph("", "No seat said what would change its mind.")
	}
	s.heading("Next")
	for _, c := range d.Next {
		s.command(c)
	}
	s.b.WriteString("\n")
	s.row(" ", "", Faint, d.Foot, "saved as "+d.Room, Faint)
}

// answer draws the line that everything else explains.
func (s *sheet) answer() {
	mark, ink, sure := "∴", Good, s.d.Sure(" · ")
	if s.d.Percent == 0 || s.d.Percent < 75 {
		ink = Warn
	}
	if s.d.Percent == 0 && s.d.Word != "decided by a person" {
		mark = "–"
	}
	s.row(mark, Mark, Strong, s.d.Answer, sure, ink)
}

func (s *sheet) call() {
	s.b.WriteString("\n")
	l := s.l
	l.lines = max(l.lines, 5)
	title := s.d.Call.Title + ": "
	reasons := s.d.Call.Reasons
	if s.d.Notice != "" && slices.Equal(reasons, noModel) { // the notice above says so
		title, reasons = s.d.Call.Title, nil
	}
	lines := l.wrap(title+strings.Join(reasons, "; "), 4)
	for i, line := range lines {
		if i == 0 {
			line = s.ink(Warn, title) + strings.TrimPrefix(line, title)
		}
		mark := " "
		if i == 0 {
			mark = s.ink(Warn, s.mark("?"))
		}
		s.b.WriteString(mark + " " + line + "\n")
	}
}

func (s *sheet) heading(text string) {
	l := s.l
	l.lines = 1
	s.b.WriteString("\n")
	s.row(" ", "", Heading, l.wrap(text, 4)[0], "", "")
}

// points draws claims: the text, at its end the author and the place, and below it the standing unless the claim simply holds.
func (s *sheet) points(all []Point, most int, holding bool) {
	for _, p := range first(some(all, most)) {
		ink := map[mark]Ink{holds: Good, fails: Bad, unknown: Faint}[p.mark]
		at := p.Seat
		if p.Where != "" {
			at += " · " + p.Where
		}
		text := p.Text
		if p.Way != "" {
			text = capital(p.Way) + ": " + text
		}
		s.row("  "+string(p.mark), ink, "", text, clip(at, 44), Faint)
		if (p.mark != holds || p.doubted || !holding) && s.l.lines > 1 {
			s.paragraph(ink, "  "+p.Standing)
		}
	}
}

// command draws a command unbroken, so that it can be copied, with what it does beside it, or above it if there is no room.
func (s *sheet) command(c Command) {
	gap := s.l.width - 4 - wide(c.Line) - wide(c.Does)
	switch {
	// If lines are scarce, the command alone is enough.
	case gap < 2 && s.l.dense:
		s.b.WriteString("  " + c.Line + "\n")
		return
	case gap < 2:
		s.b.WriteString("  " + s.ink(Faint, "# "+c.Does) + "\n  " + c.Line + "\n")
		return
	}
	s.b.WriteString("  " + c.Line + strings.Repeat(" ", gap) + s.ink(Faint, c.Does) + "\n")
}

// row draws a text. The text right goes to the right edge of the last line, or below it if there is no room.
func (s *sheet) row(mark string, markInk, ink Ink, text, right string, rightInk Ink) {
	mark = s.mark(mark)
	at := wide(mark) + 1
	lines := s.l.wrap(text, at+2)
	room := s.l.width - 2 - at
	for i, line := range lines {
		lead := strings.Repeat(" ", at)
		if i == 0 {
			lead = s.ink(markInk, mark) + " "
		}
		s.b.WriteString(lead + s.ink(ink, line))
		if i < len(lines)-1 {
			s.b.WriteString("\n")
			continue
		}
		switch gap := room - wide(line) - wide(right); {
		case right == "":
		case gap >= 2:
			s.b.WriteString(strings.Repeat(" ", gap) + s.ink(rightInk, right))
		default:
			s.b.WriteString("\n" + strings.Repeat(" ", max(at, at+room-wide(right))) + s.ink(rightInk, right))
		}
		s.b.WriteString("\n")
	}
}

func (s *sheet) paragraph(ink Ink, text string) {
	indent := "  " + text[:len(text)-len(strings.TrimLeft(text, " "))]
	for _, line := range s.l.wrap(strings.TrimLeft(text, " "), len(indent)+2) {
		s.b.WriteString(indent + s.ink(ink, line) + "\n")
	}
}

func (s *sheet) ink(ink Ink, text string) string {
	if s.style.Ink == nil || ink == "" || strings.TrimSpace(text) == "" {
		return text
	}
	return s.style.Ink(ink, text)
}

// spoken has the words for marks that a screen reader reads.
var spoken = map[string]string{"∴": "Decision:", "–": "Open:", "?": "Question:", "!": "Warning:", "✓": "holds:", "✗": "refuted:"}

// mark returns a mark, or its word for a screen reader.
func (s *sheet) mark(sign string) string {
	bare := strings.TrimSpace(sign)
	if word := spoken[bare]; s.style.Words && word != "" {
		return strings.Replace(sign, bare, word, 1)
	}
	return sign
}
