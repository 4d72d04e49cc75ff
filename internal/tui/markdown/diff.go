package markdown

import (
	"fmt"
	"path"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Diff draws a unified diff: each file's name, then its lines with their numbers before and after and the sign
// of their change. Changed words within a line are emphasized.
func Diff(t theme.Theme, unified string, width int) []string {
	d := differ{theme: t, width: max(width, least), was: newScanner(t, ""), is: newScanner(t, "")}
	lines := strings.Split(strings.TrimSuffix(clean.Text(unified), "\n"), "\n")
	d.measure(lines)
	for i, line := range lines {
		d.line(line, i+2 < len(lines) && heads(line, lines[i+1], lines[i+2]))
	}
	d.flush()
	d.unnamed()
	return d.out
}

// differ draws a diff. It holds back lines removed and added together until it knows which became which.
type differ struct {
	theme          theme.Theme
	width          int
	digits         int // of a line number; 0 if there is no room for numbers
	out            []string
	old, new       int      // numbers of the next lines; 0 if not known
	changes        bool     // lines of a hunk follow
	inside         bool     // a hunk of this file was drawn
	name           string   // of the file before
	about          []string // git's lines about a file, from "diff --git" on
	removed, added []string
	was, is        scanner // for the code before and after
}

// line draws the next line; head means that the changes of another file begin with it.
func (d *differ) line(line string, head bool) {
	if d.changes && !head {
		sign, rest := " ", ""
		if line != "" {
			sign, rest = line[:1], line[1:]
		}
		switch sign {
		case "-":
			if len(d.added) > 0 {
				d.flush()
			}
			d.removed = append(d.removed, rest)
			return
		case "+":
			d.added = append(d.added, rest)
			return
		case " ":
			d.flush()
			code := d.is.line(rest)
			d.was.line(rest)
			d.row(d.old, d.new, " ", &code, "", "")
			d.old, d.new = next(d.old), next(d.new)
			return
		case `\`:
			d.flush()
			d.row(0, 0, " ", inked(line, d.theme.Dim), "", "")
			return
		}
		if !outside(line) {
			d.flush()
			d.row(0, 0, " ", plainly(line), "", "")
			return
		}
	}
	d.flush()
	d.head(line)
}

// head draws a line outside of hunks.
func (d *differ) head(line string) {
	d.changes = false
	from, to, ok := hunk(line)
	switch {
	case ok:
		d.gap(line)
		d.old, d.new, d.changes = from, to, true
	case strings.HasPrefix(line, "@@"):
		d.old, d.new, d.changes = 0, 0, true
		d.text(line, d.theme.Hunk)
	case strings.HasPrefix(line, "diff --git "):
		d.unnamed()
		d.about = []string{line}
	case strings.HasPrefix(line, "--- "):
		d.name = name(line)
	case strings.HasPrefix(line, "+++ "):
		d.about = nil
		d.file(d.name, name(line))
	case line == "":
	case d.about != nil:
		d.about = append(d.about, line)
	default:
		d.text(line, d.theme.Dim)
	}
}

// gap draws the gap between two hunks. Line numbers give the place; the enclosing function is named if known.
func (d *differ) gap(line string) {
	in := strings.TrimSpace(section(line))
	switch {
	case d.theme.Plain:
		_, to, _ := hunk(line)
		d.text(strings.TrimSuffix(fmt.Sprintf("Line %d, %s", to, in), ", ")+":", d.theme.Hunk)
	case d.digits == 0:
		d.text(line, d.theme.Hunk)
	case in != "":
		d.text("⋯ "+in, d.theme.Hunk)
	case d.inside:
		d.text("⋯", d.theme.Hunk)
	}
	d.inside = true
}

// unnamed draws git's lines about a file without changed lines.
func (d *differ) unnamed() {
	if d.about == nil {
		return
	}
	title, rest := about(d.about)
	d.title(title)
	for _, line := range rest {
		d.text(line, d.theme.Dim)
	}
	d.about = nil
}

// file names the file whose changes follow.
func (d *differ) file(before, after string) {
	was, is := strings.TrimPrefix(before, "a/"), strings.TrimPrefix(after, "b/")
	switch {
	case before == "/dev/null":
		d.title(is + " (new)")
	case after == "/dev/null":
		d.title(was + " (deleted)")
	case was != is:
		d.title(was + " → " + is)
	default:
		d.title(is)
	}
}

func (d *differ) title(text string) {
	d.inside = false
	file, _, _ := strings.Cut(text, " (")
	lang := strings.TrimPrefix(path.Ext(file), ".")
	d.was, d.is = newScanner(d.theme, lang), newScanner(d.theme, lang)
	if len(d.out) > 0 {
		d.out = append(d.out, "")
	}
	d.text(text, theme.Bold)
}

func (d *differ) text(line string, ink theme.Ink) {
	var p piece
	p.add(line, ink)
	d.out = append(d.out, p.wrap(d.width)...)
}

// flush draws lines that were removed and added together.
func (d *differ) flush() {
	var lost, won []*piece
	for i := range max(len(d.removed), len(d.added)) {
		from, to := [2]int{}, [2]int{}
		if i < len(d.removed) && i < len(d.added) {
			from, to = changed(d.removed[i], d.added[i])
		}
		if i < len(d.removed) {
			lost = append(lost, d.side(&d.was, d.removed[i], from, d.theme.Removed, d.theme.RemovedRow, d.theme.RemovedWord))
		}
		if i < len(d.added) {
			won = append(won, d.side(&d.is, d.added[i], to, d.theme.Added, d.theme.AddedRow, d.theme.AddedWord))
		}
	}
	for _, p := range lost {
		d.row(d.old, 0, "−", p, d.theme.Removed, d.theme.RemovedRow)
		d.old = next(d.old)
	}
	for _, p := range won {
		d.row(0, d.new, "+", p, d.theme.Added, d.theme.AddedRow)
		d.new = next(d.new)
	}
	d.removed, d.added = nil, nil
}

// side draws a removed or added line, in the colours of its language if the background shows which; the changed
// range stands out.
func (d *differ) side(s *scanner, text string, run [2]int, ink, ground, word theme.Ink) *piece {
	code := s.line(text)
	if ground == "" {
		code = *inked(text, ink)
		word = ink.And(theme.Underline)
	}
	return code.stressed(run, word)
}

// stressed returns a piece with another colour on a range.
func (p *piece) stressed(run [2]int, word theme.Ink) *piece {
	if run[1] <= run[0] {
		return p
	}
	text := p.text.String()
	var out piece
	from := 0
	for _, r := range p.runs {
		for i, to := range []int{min(r.end, run[0]), min(r.end, run[1]), r.end} {
			if to > from {
				out.add(text[from:to], []theme.Ink{r.ink, word, r.ink}[i])
				from = to
			}
		}
	}
	return &out
}

// row draws a line beside its number, on the background of its change.
func (d *differ) row(before, after int, sign string, p *piece, ink, ground theme.Ink) {
	beside, rest := "", ""
	if d.theme.Plain {
		sign = map[string]string{"−": "removed:", "+": "added:"}[sign]
	}
	if d.digits > 0 {
		n := after
		if n == 0 {
			n = before
		}
		beside = theme.Decoration.And(d.theme.Dim).On(number(n, d.digits)) + " "
		rest = strings.Repeat(" ", d.digits+1)
	}
	text := p.text.String()
	room := d.width - ansi.StringWidth(rest) - ansi.StringWidth(sign) - 1
	for i, s := range hard(text, room, room) {
		row := beside + ink.On(sign) + " "
		if i > 0 {
			row = rest + theme.Decoration.And(d.theme.Line).On(Mark)
		}
		row += paint(text, p.runs, s)
		if ground != "" && !d.theme.Plain {
			row = ground.Under(row + strings.Repeat(" ", max(0, d.width-ansi.StringWidth(row))))
		}
		d.out = append(d.out, strings.TrimRight(row, " "))
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func inked(text string, ink theme.Ink) *piece {
	var p piece
	p.add(text, ink)
	return &p
}

func plainly(text string) *piece { return inked(text, "") }
