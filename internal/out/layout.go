package out

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/socrates-cli/socrates/internal/literal"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// Page formats a decision for a terminal: words wrapped at the width, headings and banners set off, tables as
// rows of their cells. For a pipe or a file it returns the Markdown unchanged. markdown is clean: the output
// has no escapes but ours. A page is at most 100 columns wide, however wide the terminal is: longer lines are
// hard to read.
func (o *Out) Page(markdown string) string {
	if !IsTerminal(os.Stdout) {
		return markdown
	}
	return Layout(markdown, min(Columns(os.Stdout), 100), o.Colored(os.Stdout))
}

// Columns returns the width of a terminal. It is 80 without a terminal or for one narrower than 20 columns,
// which no layout of ours fits.
func Columns(f *os.File) int {
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 20 {
		return width
	}
	return 80
}

// Fit wraps the lines of a text at words if f is a terminal. indent precedes the continuation lines of each.
func Fit(f *os.File, text, indent string) string {
	if !term.IsTerminal(int(f.Fd())) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if bare, ended := strings.CutSuffix(l, "\n"); ended {
			lines[i] = Wrap(bare, Columns(f)-1, indent) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// Layout is Page for a given width, in letters. It knows the Markdown that the program itself writes: tables,
// headings, quotes, lists and bold. A text without these is only wrapped.
func Layout(markdown string, width int, color bool) string {
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	var res strings.Builder
	var header []string
	heading := ""
	for line := range strings.SplitSeq(strings.TrimRight(markdown, "\n"), "\n") {
		if !strings.HasPrefix(line, "|") {
			header = nil
		}
		switch {
		case strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|") && header == nil:
			header = cells(line, nil)
		case strings.HasPrefix(line, "|"):
			res.WriteString(Wrap(row(header, cells(line, unmarked)), width, "    ") + "\n")
		case strings.HasPrefix(line, "#"):
			heading = line
			res.WriteString(paint("1", Wrap(unmarked(strings.TrimLeft(line, "# ")), width, "")) + "\n")
		case strings.HasPrefix(line, "> ") && strings.HasPrefix(heading, "## Context"): // the question, quoted
			res.WriteString(Wrap(unmarked("  "+line[2:]), width, "  ") + "\n")
		case strings.HasPrefix(line, ">"):
			if text := strings.TrimSpace(line[1:]); text != "" {
				res.WriteString(paint("33", Wrap(unmarked("! "+text), width, "  ")) + "\n")
			}
		case strings.HasPrefix(line, "- "):
			res.WriteString(Wrap(unmarked(line), width, "  ") + "\n")
		default:
			res.WriteString(Wrap(unmarked(line), width, "") + "\n")
		}
	}
	text := res.String()
	for n := 0; strings.Contains(text, bold); n++ {
		mark := ""
		if color {
			mark = []string{"\x1b[1m", "\x1b[22m"}[n%2]
		}
		text = strings.Replace(text, bold, mark, 1)
	}
	return text
}

// bold stands for the marks around a bold text; it is of those code points that mean nothing.
const bold = "\ue02e"

// unmarked takes the escapes from a text, after it has found what is bold.
func unmarked(text string) string {
	return literal.Plain(strings.NewReplacer(`\\`, `\\`, `\*`, `\*`, "**", bold).Replace(text))
}

// cells splits a row of a Markdown table. A cell that is a code span loses its marks, any other is passed through inner.
func cells(line string, inner func(string) string) []string {
	parts := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(parts[i], "\x00", "|"))
		bare := strings.Trim(parts[i], "`")
		switch fence := strings.Repeat("`", (len(parts[i])-len(bare))/2); {
		case fence != "" && parts[i] == fence+bare+fence && !strings.Contains(bare, fence):
			parts[i] = strings.TrimSpace(bare)
		case inner != nil:
			parts[i] = inner(parts[i])
		}
	}
	return parts
}

// row writes a table's row as its first cell and then the others, leaving out empty ones. A terminal has no
// room for columns of prose, so a cell whose meaning is not obvious gets the name of its column.
func row(header, values []string) string {
	var list []string
	for i, v := range values {
		switch {
		case v == "":
		case i == 0:
			list = append(list, "  "+v)
		case i < len(header) && (header[i] == "claim" || header[i] == "ratio" || header[i] == "control" || header[i] == "lineage"):
			list = append(list, header[i]+" "+v)
		case i < len(header) && strings.HasPrefix(header[i], "tokens"):
			list = append(list, "tokens "+v)
		default:
			list = append(list, v)
		}
	}
	return strings.Join(list, " · ")
}

// typed finds a command that a person is told to type. It ends where a sentence goes on.
var typed = pattern.Of(`(?:^ *|: )socrates (?:[^.;,)]|[.;,][^ ])+`)

// whole stands for a blank that no line is broken at; it is of those code points that mean nothing.
const whole = "\ue02d"

// Wrap breaks a line at words, with indent before every line but the first. Longer words stay whole, and so do the
// blanks between words that share a line, percentages, and commands to type: one that was broken would be pasted in two.
// Width counts letters, not columns; letters that take two columns make a line longer than width on a terminal. Flow
// counts columns.
func Wrap(line string, width int, indent string) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	line = typed().ReplaceAllStringFunc(strings.ReplaceAll(line, " %", whole+"%"), func(s string) string {
		lead := s[:strings.Index(s, "socrates ")]
		if strings.TrimSpace(lead) == "" && utf8.RuneCountInString(s) > width { // an example of the help: it has no other line
			return s
		}
		return lead + strings.ReplaceAll(s[len(lead):], " ", whole)
	})
	var res strings.Builder
	at := 0
	for rest := line; rest != ""; {
		word := strings.TrimLeft(rest, " ")
		blanks := rest[:len(rest)-len(word)]
		if i := strings.IndexByte(word, ' '); i >= 0 {
			word = word[:i]
		}
		rest = rest[len(blanks)+len(word):]
		n := utf8.RuneCountInString(word)
		if at > 0 && at+len(blanks)+n > width {
			res.WriteString("\n" + indent + word)
			at = len(indent) + n
			continue
		}
		res.WriteString(blanks + word)
		at += len(blanks) + n
	}
	return strings.ReplaceAll(res.String(), whole, " ")
}

// IsTerminal reports whether a person sees what is written to f, on a screen that understands escapes.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && UnderstandsEscapes(file)
}
