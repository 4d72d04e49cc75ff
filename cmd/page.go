package cmd

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// page lays a decision out for a terminal: words wrapped at the width, headings and banners set off, tables as rows
// of what they hold. Into a pipe or a file goes the Markdown itself. markdown is clean: no escapes but ours go out.
func (a *app) page(markdown string) string {
	if !isTerminal(os.Stdout) {
		return markdown
	}
	return layout(markdown, min(columns(os.Stdout), 100), a.colored(os.Stdout))
}

// columns is the width of a terminal.
func columns(f *os.File) int {
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 20 {
		return width
	}
	return 80
}

// fit wraps the lines of a text at words if f is a screen. indent stands before the further lines of each.
func fit(f *os.File, text, indent string) string {
	if !term.IsTerminal(int(f.Fd())) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if bare, ended := strings.CutSuffix(l, "\n"); ended {
			lines[i] = wrap(bare, columns(f)-1, indent) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// layout is page for a given width, in letters.
func layout(markdown string, width int, color bool) string {
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	var out strings.Builder
	var header []string
	heading := ""
	for line := range strings.SplitSeq(strings.TrimRight(markdown, "\n"), "\n") {
		if !strings.HasPrefix(line, "|") {
			header = nil
		}
		switch {
		case strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|") && header == nil:
			header = cells(line)
		case strings.HasPrefix(line, "|"):
			out.WriteString(wrap(row(header, cells(line)), width, "    ") + "\n")
		case strings.HasPrefix(line, "#"):
			heading = line
			out.WriteString(paint("1", wrap(strings.TrimLeft(line, "# "), width, "")) + "\n")
		case strings.HasPrefix(line, "> ") && strings.HasPrefix(heading, "## Context"): // the question, quoted
			out.WriteString(wrap("  "+line[2:], width, "  ") + "\n")
		case strings.HasPrefix(line, ">"):
			if text := strings.TrimSpace(line[1:]); text != "" {
				out.WriteString(paint("33", wrap("! "+text, width, "  ")) + "\n")
			}
		case strings.HasPrefix(line, "- "):
			out.WriteString(wrap(line, width, "  ") + "\n")
		default:
			out.WriteString(wrap(line, width, "") + "\n")
		}
	}
	text := out.String()
	for n := 0; strings.Contains(text, "**"); n++ {
		mark := ""
		if color {
			mark = []string{"\x1b[1m", "\x1b[22m"}[n%2]
		}
		text = strings.Replace(text, "**", mark, 1)
	}
	return strings.NewReplacer("&lt;", "<", `\|`, "|").Replace(text)
}

// cells splits a row of a Markdown table.
func cells(line string) []string {
	parts := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(parts[i], "\x00", "|"))
	}
	return parts
}

// row writes a table's row as its first cell and then what the others hold, leaving out empty ones.
func row(header, values []string) string {
	var out []string
	for i, v := range values {
		switch {
		case v == "":
		case i == 0:
			out = append(out, "  "+v)
		case i < len(header) && (header[i] == "claim" || header[i] == "ratio" || header[i] == "control" || header[i] == "lineage"):
			out = append(out, header[i]+" "+v)
		case i < len(header) && strings.HasPrefix(header[i], "tokens"):
			out = append(out, "tokens "+v)
		default:
			out = append(out, v)
		}
	}
	return strings.Join(out, " · ")
}

// wrap breaks a line at words, with indent before every line but the first. Longer words stay whole, and so do the
// blanks between words that share a line.
func wrap(line string, width int, indent string) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	var out strings.Builder
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
			out.WriteString("\n" + indent + word)
			at = len(indent) + n
			continue
		}
		out.WriteString(blanks + word)
		at += len(blanks) + n
	}
	return out.String()
}
