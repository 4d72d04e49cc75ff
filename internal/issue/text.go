package issue

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/report"
)

// Decision is the title and text of a draft about a decision: the answer, why, what speaks against it, and what would flip it. hash is
// that of the record.
func Decision(d document.Document, hash string) (title, body string) {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s. %s.\n\nThe question was: %s\n", quiet(d.Answer), upper(d.Sure(", ")),
		literal.Text(upper(strings.TrimRight(d.Votes, "."))), quiet(d.Question))
	for _, n := range d.Notices {
		fmt.Fprintf(&b, "\n> %s\n", quiet(n))
	}
	points(&b, "Why", d.Accepted)
	if d.Dissent.None == "" {
		points(&b, "Dissent: "+quiet(d.Dissent.Option+" ("+strings.Join(d.Dissent.Seats, ", ")+")"), d.Dissent.Points)
	}
	if len(d.Flip) > 0 {
		b.WriteString("\n## What would change it\n\n")
		for _, f := range d.Flip {
			fmt.Fprintf(&b, "- %s\n", quiet(f))
		}
	}
	fmt.Fprintf(&b, "\nDebate `%s`", d.Room)
	if hash != "" {
		fmt.Fprintf(&b, ", record sha256 `%s`", hash)
	}
	b.WriteString(".\n")
	return line(strings.TrimRight(d.Answer, ".")) + " (" + clip(line(d.Question), 120) + ")", b.String()
}

// points writes claims as a list, each with who made it, what became of it and where it points.
func points(b *strings.Builder, heading string, all []document.Point) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", heading)
	for _, p := range all {
		fmt.Fprintf(b, "- %s (%s, %s)", quiet(p.Text), literal.Text(p.Seat), quiet(p.Standing))
		if p.Where != "" {
			b.WriteString(" " + literal.Code(p.Where))
		}
		b.WriteString("\n")
	}
}

// Run is the title and text of a draft about a run: what was asked for, and its steps as a list to tick off, each open one with what
// stands in its way.
func Run(r report.Report) (title, body string) {
	var b strings.Builder
	s := r.Status
	if r.Asked != "" {
		fmt.Fprintf(&b, "%s\n", hushed(literal.Lines(r.Asked)))
	} else if s.Plan.Approach != "" {
		fmt.Fprintf(&b, "%s\n", hushed(strings.TrimSpace(s.Plan.Approach)))
	}
	b.WriteString(hushed(r.Decision()))
	if len(s.Tasks) > 0 {
		b.WriteString("\n## Steps\n\n")
	}
	for _, t := range s.Tasks {
		tick := " "
		if t.State == work.Done {
			tick = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s. %s\n", tick, t.ID, quiet(t.Title))
		if t.State == work.Done {
			continue
		}
		for _, why := range t.Why {
			fmt.Fprintf(&b, "  - %s\n", quiet(why))
		}
	}
	fmt.Fprintf(&b, "\nRun `%s`: %d of %d steps merged.\n", s.Frame.Run, len(s.Merged()), len(s.Tasks))
	return line(cmp.Or(s.Title(), s.Frame.Run)), strings.TrimLeft(b.String(), "\n")
}

// named is what would call a person at a forge.
// Names in backquotes, addresses of mail and paths are left alone: they call nobody.
var named = pattern.Of("(^|[^\\w`/.@])@([A-Za-z0-9][A-Za-z0-9_/-]*)")

// quiet is a text in one line that is shown as it is and calls nobody: models write names.
func quiet(text string) string { return hushed(literal.Text(line(text))) }

// hushed is Markdown that calls nobody.
func hushed(text string) string { return named().ReplaceAllString(text, "$1`@$2`") }

// line is a text in one line.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// clip is a text of at most so many letters.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// upper begins a text with a capital letter, of whatever script.
func upper(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}
