package document

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// statusLine closes the first screen of every decision document and identifies it.
const statusLine = "Status: %s · Room: %s"

var (
	head = pattern.Of(`^\x{FEFF}?(?:---\r?\n(?:[^\n]*\n)*?---\r?\n)?\s*# [^\n]*\n(?:[ \r]*\n|>[^\n]*\n)*(\*\*|Status: )`)
	foot = pattern.Of(`(?m)^Status: [a-z-]+ · Room: ([a-z0-9-]+)(?: · Date: [0-9-]+ · Strategy: [a-z-]+)?[ \r]*$`)
)

// Room returns the room whose decision document a text is, if it is one, with or without front matter. Earlier versions put the
// status below the title.
func Room(text string) (room string, ok bool) {
	at := head().FindStringSubmatchIndex(text)
	if at == nil {
		return "", false
	}
	m := foot().FindStringSubmatch(text[at[2]:])
	if m == nil || strings.HasPrefix(text[at[2]:], "Status: ") && !strings.HasPrefix(text[at[2]:], m[0]) {
		return "", false
	}
	return m[1], true
}

// exports match a page, a result and a record, with the name of their room. They recognize a copy of a decision inside a project, so
// that no debate takes it for evidence.
var exports = []func() *regexp.Regexp{
	pattern.Of(`^<!doctype html>[^\x00]*<p class="small">Status: [a-z-]+ · Room: ([a-z0-9-]+)<br>`),
	pattern.Of(`^\{\n[^\x00]*?\n  "schema": "socrates\.debate/[0-9]+",\n  "room": "([a-z0-9-]+)"`),
	pattern.Of(`^\{"seq":1,[^\n]*"session":"([a-z0-9-]+)",[^\n]*"schema":"socrates\.stream/[0-9]+"`),
}

// Export returns the room that a text was exported from as its document, page, result or record.
func Export(text string) (room string, ok bool) {
	if room, ok = Room(text); ok {
		return room, ok
	}
	for _, form := range exports {
		if m := form().FindStringSubmatch(text); m != nil {
			return m[1], true
		}
	}
	return "", false
}

// Markdown returns the whole document.
func (d Document) Markdown() string {
	var b strings.Builder
	b.WriteString(d.screen(limits{}))
	b.WriteString("\n" + d.Details())
	if d.Notice != "" {
		b.WriteString("\n> " + d.Notice + "\n")
	}
	return b.String()
}

// Lead returns the whole first screen, uncut: enough for a reader who has nothing else.
func (d Document) Lead() string { return d.screen(limits{}) }

// Short returns the first screen: at most 40 lines of 80 columns.
func (d Document) Short() string { return fit(screenColumns, d.screen) }

// screen returns the first screen within limits.
func (d Document) screen(l limits) string {
	var b strings.Builder
	para := func(mark, text string) {
		for i, line := range l.wrap(text, len(mark)+1) {
			if i > 0 {
				line = literal.Begin(line) // it is in the middle of a sentence
			}
			if i > 0 && strings.HasPrefix(mark, "-") {
				mark = "  "
			}
			b.WriteString(mark + line + "\n")
		}
	}
	title := limits{width: l.width, lines: 1}
	d.opening(&b, title, l, para)
	sure, answer := capital(d.Sure(", ")), d.Answer
	if d.Basis != "" {
		sure += " " + d.Basis
	}
	if l.width > 0 {
		answer = clip(answer, max(40, l.lines*l.width-len(sure)-20))
	}
	para("", fmt.Sprintf("**%s** %s.", literal.Text(answer), literal.Text(sure)))
	b.WriteString("\n")
	para("", literal.Text(d.Votes)+".")
	if len(d.Call.Reasons) > 0 {
		b.WriteString("\n")
		have := l.lines
		l.lines = max(have, min(5, l.width)) // who is asked, and why, is not cut
		para("", literal.Text(d.Call.Title)+": "+literal.Text(strings.Join(d.Call.Reasons, "; "))+".")
		l.lines = have
	}
	heading := func(text string) {
		if b.WriteString("\n## " + title.wrap(text, 4)[0] + "\n"); !l.dense {
			b.WriteString("\n")
		}
	}
	note := func(text string) {
		if l.width == 0 {
			b.WriteString("\n") // else it would belong to the last item of the list
		}
		para("", text)
	}
	points := func(all []Point, most int) {
		for _, p := range first(some(all, most)) {
			if l.width == 0 {
				para("- ", literal.Text(p.Text)+" ("+p.known()+")")
				continue
			}
			have := l.lines
			l.lines = max(1, have-1)
			para("- ", literal.Text(p.Text))
			l.lines = have
			para("  ", "("+p.known()+")")
		}
	}
	if d.For != "" {
		heading(titled(literal.Text(d.For), len(d.Why), l.why))
		points(d.Why, l.why)
		if len(d.Why) == 0 {
			para("", "No claim supports it.")
		}
		if means := d.judged(); means != "" && !l.terse {
			note(means)
		}
	}
	if len(d.Refuted) > 0 {
		heading(titled("Refuted", len(d.Refuted), l.items))
		points(d.Refuted, l.items)
	}
	heading(titled("Dissent", len(d.Dissent.Points), l.items))
	if d.Dissent.None != "" {
		para("", d.Dissent.None)
	} else {
		para("", literal.Text(d.Dissent.says()))
		points(d.Dissent.Points, l.items)
		if d.leftOut() && !l.terse {
			note(unjudgedMeans)
		}
	}
	heading(titled("What would flip it", len(d.Flip), l.items))
	for _, f := range first(some(d.Flip, l.items)) {
		para("- ", literal.Text(capital(f)))
	}
	if len(d.Flip) == 0 {
		para("", "No seat said what would change its mind.")
	}
	heading("Next")
	for _, c := range d.Next {
		b.WriteString(c.beside("    ", l))
	}
	b.WriteString("\n" + d.Status + "\n")
	para("", literal.Text(d.Foot))
	return b.String()
}

// opening writes the question and what a reader must know before believing the rest.
func (d Document) opening(b *strings.Builder, title, l limits, para func(mark, text string)) {
	asked := title.wrap(literal.Text(clip(d.Question, 160)), 3)[0]
	para("# ", asked)
	b.WriteString("\n")
	notices, more := some(d.Notices, l.notices)
	if asked != literal.Text(d.Question) && !l.bare() { // a heading cannot be broken
		notices = append([]string{"Question: " + d.Question}, notices...)
	}
	if more > 0 {
		notices = append(slices.Clip(notices), fmt.Sprintf("%d more notices: socrates debate show %s", more, d.Room))
	}
	for i, n := range notices {
		if i > 0 {
			b.WriteString(">\n")
		}
		para("> ", literal.Text(n))
	}
	if len(notices) > 0 {
		b.WriteString("\n")
	}
}

func first[T any](all []T, _ int) []T { return all }

// says names the dissent and the seats that voted for it.
func (d Dissent) says() string {
	if len(d.Seats) == 0 {
		return d.Option + ", which no seat voted for"
	}
	return d.Option + ", chosen by " + strings.Join(d.Seats, ", ")
}

// known lists what is known about a claim: its id, author, place of evidence and standing.
func (p Point) known() string {
	var known []string
	for _, s := range []string{p.Claim, p.Seat, p.Way} {
		if s != "" {
			known = append(known, literal.Text(s))
		}
	}
	if p.Where != "" {
		known = append(known, literal.Code(clip(p.Where, 100)))
	}
	return strings.Join(append(known, literal.Text(p.Standing)), ", ")
}

// beside puts a command on its own line, with what it does at the end, or above it if there is no room.
func (c Command) beside(indent string, l limits) string {
	does := "# " + c.Does
	switch gap := l.width - wide(indent+c.Line+does); {
	case l.width == 0 || gap >= 2:
		return indent + c.Line + "  " + does + "\n"
	case l.dense:
		return indent + c.Line + "\n"
	}
	return indent + does + "\n" + indent + c.Line + "\n"
}

// Details returns the sections after the first screen.
func (d Document) Details() string {
	var b strings.Builder
	for _, s := range d.Sections {
		b.WriteString("## " + literal.Text(s.Title) + "\n\n")
		for _, block := range s.Blocks {
			b.WriteString(block.markdown())
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (x Block) markdown() string {
	var b strings.Builder
	if x.Lead != "" {
		b.WriteString("**" + literal.Text(x.Lead) + "**\n\n")
	}
	if x.Text != "" {
		b.WriteString(literal.Text(x.Text) + "\n\n")
	}
	for _, item := range x.Items {
		b.WriteString("- " + literal.Text(item) + "\n")
	}
	for i, row := range x.Table {
		for j, c := range row {
			written := literal.Text
			if head := x.Table[0][j]; i > 0 && (head == "evidence" || head == "where") {
				written = literal.Cell
			}
			b.WriteString("| " + written(clip(oneLine(c), 300)) + " ")
		}
		if b.WriteString("|\n"); i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	quote := literal.Lines(x.Quote)
	if x.Said != "" { // seats talk in Markdown
		quote = strings.ReplaceAll(x.Said, "<", "&lt;")
	}
	if quote = strings.TrimSpace(quote); quote != "" {
		b.WriteString("> " + strings.ReplaceAll(quote, "\n", "\n> ") + "\n")
	}
	if len(x.Items)+len(x.Table)+len(quote) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
