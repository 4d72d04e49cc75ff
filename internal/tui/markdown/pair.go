package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Pair draws two Markdown texts side by side under their names, equal parts beside each other, with the signs
// of Side between them. If that would be too narrow, or is read aloud, the second is below the first.
func Pair(t theme.Theme, names [2]string, left, right string, width int) []string {
	left, right = clean.Text(left), clean.Text(right)
	name := func(i, w int) string { return theme.Bold.On(ansi.Truncate(clean.Line(names[i]), w, "…")) }
	if width < together || t.Plain {
		out := append([]string{name(0, width), ""}, whole(t, left, width)...)
		out = append(out, "", t.Line.On(strings.Repeat("─", max(width, 1))), name(1, width), "")
		return append(out, whole(t, right, width)...)
	}
	p := pairer{theme: t, width: (width - 3) / 2}
	p.line(name(0, p.width), t.Line.On("│"), name(1, p.width))
	a, b := blocksOf(left), blocksOf(right)
	from, at := 0, 0
	for _, e := range lineEdits(keys(a), keys(b)) {
		start := count(keys(a)[:e.Start])
		end := start + count(keys(a)[e.Start:e.End])
		for ; from < start; from, at = from+1, at+1 {
			p.row(&a[from], &b[at], "│", t.Line)
		}
		n := count(e.New)
		for i := range max(end-start, n) {
			switch {
			case i >= n:
				p.row(&a[start+i], nil, "<", t.Removed)
			case i >= end-start:
				p.row(nil, &b[at+i], ">", t.Added)
			default:
				p.row(&a[start+i], &b[at+i], "≠", t.Hunk)
			}
		}
		from, at = end, at+n
	}
	for ; from < len(a); from, at = from+1, at+1 {
		p.row(&a[from], &b[at], "│", t.Line)
	}
	return p.out
}

func whole(t theme.Theme, text string, width int) []string {
	m := New(t)
	m.Set(text, width)
	return m.Lines()
}

// stretch is a paragraph, a point of a list, or another block of a text.
type stretch struct {
	text  string
	close bool // no blank line separates it from the part before
}

var point = pattern.Of(`^(?:[-*+]|\d{1,9}[.)])[ \t]`)

// blocksOf returns the parts of a text. Fenced code stays together, and so does what is indented below a list
// item.
func blocksOf(text string) (out []stretch) {
	fence, blank := "", true
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		mark := ""
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
			mark = bare[:3]
		}
		last := len(out) - 1
		switch {
		case fence == "" && strings.TrimSpace(line) == "":
			blank = true
			continue
		case last >= 0 && (fence != "" || !blank && !point().MatchString(line)):
			out[last].text += "\n" + line
		case last >= 0 && blank && bare != line && point().MatchString(out[last].text):
			out[last].text += "\n\n" + line
		default:
			out = append(out, stretch{line, !blank})
		}
		blank = false
		if mark != "" && fence == "" {
			fence = mark
		} else if mark == fence {
			fence = ""
		}
	}
	return out
}

// keys returns parts as lines.
func keys(parts []stretch) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strings.ReplaceAll(p.text, "\n", "\x00") + "\n")
	}
	return b.String()
}

func count(keys string) int { return strings.Count(keys, "\n") }

type pairer struct {
	theme theme.Theme
	width int
	out   []string
}

// row draws two parts beside each other; nil: none.
func (p *pairer) row(left, right *stretch, sign string, ink theme.Ink) {
	var a, b []string
	differ := false
	for _, one := range []struct {
		of *stretch
		to *[]string
	}{{left, &a}, {right, &b}} {
		if one.of != nil {
			*one.to = whole(p.theme, one.of.text, p.width)
			differ = differ || !one.of.close
		}
	}
	if differ {
		p.line("", p.theme.Line.On("│"), "")
	}
	for i := range max(len(a), len(b), 1) {
		p.line(at(a, i), ink.On(sign), at(b, i))
		if sign != "│" {
			sign = "┊"
		}
	}
}

func (p *pairer) line(left, sign, right string) {
	left += strings.Repeat(" ", max(p.width-ansi.StringWidth(left), 0))
	p.out = append(p.out, strings.TrimRight(left+" "+sign+" "+right, " "))
}
