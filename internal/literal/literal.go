// Package literal writes texts into Markdown so that it shows them as they are: a path with underscores, a quote with asterisks, the
// name of a model. [Text] and [Lines] escape only what Markdown would act on, so that the source stays readable; [Code] makes a code
// span. [Plain] is their inverse, for output that is not drawn as Markdown.
package literal

import (
	"html"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
)

var (
	address = pattern.Of(`https?://[^\s<>]+`)
	entity  = pattern.Of(`^&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)
	fences  = pattern.Of("`+")
	// marker is what makes a line a heading, a quote, an item, a rule or a code block, up to where a backslash takes that from it.
	marker = pattern.Of(`^(?:(?:#{1,6}|[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)|>|=+[ \t]*$|-[- \t]*$|\[)`)
)

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Text escapes a text for the middle or the beginning of a line; line ends become blanks. What it returns can be wrapped at its blanks,
// if [Begin] is applied to each line.
func Text(s string) string {
	s = lineEnds.Replace(s)
	var b strings.Builder
	for s != "" {
		at := address().FindStringIndex(s)
		if at == nil {
			at = []int{len(s), len(s)}
		}
		b.WriteString(escaped(s[:at[0]]))
		if link := s[at[0]:at[1]]; escaped(link) != link { // a backslash would become part of the address
			b.WriteString("<" + strings.ReplaceAll(link, "|", "%7C") + ">")
		} else {
			b.WriteString(link)
		}
		s = s[at[1]:]
	}
	return Begin(b.String())
}

// Lines escapes each line of a text and keeps its line breaks and indentation.
func Lines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, l := range lines {
		l = strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " \r")
		bare := strings.TrimLeft(l, " ")
		lines[i] = strings.Repeat("\u00a0", len(l)-len(bare)) + Text(bare)
		if i > 0 && lines[i] != "" && lines[i-1] != "" {
			lines[i-1] += "  "
		}
	}
	return strings.Join(lines, "\n")
}

// Begin escapes the beginning of a line of an escaped text, so that it begins no heading, quote or list.
func Begin(line string) string {
	found := marker().FindString(line)
	if found == "" {
		return line
	}
	at := strings.IndexFunc(found, func(r rune) bool { return !unicode.IsDigit(r) })
	return line[:at] + `\` + line[at:]
}

// escaped escapes what has a meaning anywhere in a line.
func escaped(s string) string {
	var b strings.Builder
	all := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(all) {
			return ' '
		}
		return all[i]
	}
	for from, to := 0, 0; from < len(all); from = to { // a run of equal characters
		for to = from + 1; at(to) == all[from] && to < len(all); to++ {
		}
		before, after := at(from-1), at(to)
		for i := from; i < to; i++ {
			switch r, prev, next := all[i], at(i-1), at(i+1); {
			case r == '<':
				b.WriteString("&lt;")
				continue
			case r == '&' && entity().MatchString(string(all[i:min(len(all), i+40)])):
				b.WriteString("&amp;")
				continue
			case r == '`' || r == '|',
				r == '\\' && (unicode.IsSpace(next) || punctuation(next)),
				r == '*' && !(unicode.IsSpace(prev) && unicode.IsSpace(next)),
				r == '_' && !(word(before) && word(after)),
				r == '~' && (next == '~' || !unicode.IsSpace(prev)),
				r == ']' && strings.ContainsRune("([:", next):
				b.WriteByte('\\')
			}
			b.WriteRune(all[i])
		}
	}
	return b.String()
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// punctuation reports whether a backslash before r is taken from the text.
func punctuation(r rune) bool { return r > ' ' && r < 0x7f && !word(r) }

// Code returns a text as a code span. In a table its bars need a backslash: [Cell].
func Code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// Cell is [Code] for a cell of a table.
func Cell(s string) string { return strings.ReplaceAll(Code(s), "|", `\|`) }

// unescaped finds code spans, which stay as they are, and what [Text] writes.
var unescaped = pattern.Of("(`+)[^`\n]|\\\\[!-/:-@\\[-`{-~]|&(?:lt|amp);|<https?://[^\\s<>]+>")

// Plain takes the escapes from a text. Code spans keep their marks.
func Plain(s string) string {
	var b strings.Builder
	for {
		at := unescaped().FindStringSubmatchIndex(s)
		if at == nil {
			return b.String() + s
		}
		b.WriteString(s[:at[0]])
		switch found := s[at[0]:at[1]]; {
		case at[2] >= 0:
			end := at[3] + spanEnd(s[at[3]:], found[:at[3]-at[2]])
			b.WriteString(s[at[0]:end])
			at[1] = end
		case found[0] == '\\':
			b.WriteString(found[1:])
		case found[0] == '&':
			b.WriteString(html.UnescapeString(found))
		default:
			b.WriteString(found[1 : len(found)-1])
		}
		s = s[at[1]:]
	}
}

// spanEnd returns where a code span ends, after its closing fence; 0: it does not end in this line.
func spanEnd(s, fence string) int {
	line, _, _ := strings.Cut(s, "\n")
	for _, at := range fences().FindAllStringIndex(line, -1) {
		if at[1]-at[0] == len(fence) {
			return at[1]
		}
	}
	return 0
}
