package outline

import "strings"

// mostRead bounds how much of a text is read for its line.
const mostRead = 800

// plain returns Markdown without its markup, for a single line: paragraphs, items, cells and code one after another. It scans the text
// once and does not parse it, because a tree has thousands of them; anything it does not recognize as markup stays.
func plain(markdown string) string {
	if len(markdown) > mostRead {
		markdown = markdown[:mostRead]
	}
	if !strings.ContainsAny(markdown, "`*_~[<|#>\\-+=") {
		return markdown
	}
	var out strings.Builder
	fence := ""
	for l := range strings.Lines(markdown) {
		l = strings.TrimSpace(l)
		mark := fenceOf(l)
		switch {
		case fence != "" && mark == l && strings.HasPrefix(mark, fence):
			fence = ""
		case fence != "":
			out.WriteString(l + "\n")
		case mark != "":
			fence = mark
		case !ruled(l):
			out.WriteString(inline(block(l)) + "\n")
		}
	}
	return out.String()
}

// fenceOf is the fence at the beginning of a line; empty: none.
func fenceOf(l string) string {
	if n := runOf(l, 0); n >= 3 && (l[0] == '`' || l[0] == '~') {
		return l[:n]
	}
	return ""
}

// ruled reports whether a line is only decoration: below a heading, between the rows of a table, across the page.
func ruled(l string) bool {
	return len(l) > 2 && strings.Trim(l, "-=*_|: ") == "" && strings.ContainsAny(l, "-=*_")
}

// block returns a line without the markup of a quote, a heading or a row of a table. An item keeps its bullet.
func block(l string) string {
	for {
		rest, quoted := strings.CutPrefix(l, ">")
		if l = strings.TrimSpace(rest); !quoted {
			break
		}
	}
	for _, item := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(l, item); ok { // it also separates the items in the single line
			return "- " + rest
		}
	}
	if head := strings.TrimLeft(l, "#"); head != l && strings.HasPrefix(head, " ") {
		return strings.TrimSpace(strings.TrimRight(head, "# "))
	}
	if inner, ok := strings.CutPrefix(l, "|"); ok && strings.HasSuffix(inner, "|") {
		cells := strings.Split(strings.TrimSuffix(inner, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return strings.Join(cells, ", ")
	}
	return l
}

// inline returns a line without the markup of emphasis, code and links.
func inline(l string) string {
	var out strings.Builder
	closes := map[int]int{} // where markup closes, and its length
	for i := 0; i < len(l); {
		n := runOf(l, i)
		switch c := l[i]; {
		case closes[i] > 0:
			i += closes[i]
			continue
		case c == '\\' && i+1 < len(l) && strings.IndexByte("\\`*_{}[]()#+-.!|~<>", l[i+1]) >= 0:
			out.WriteByte(l[i+1])
			i += 2
			continue
		case c == '`':
			if end := strings.Index(l[i+n:], l[i:i+n]); end >= 0 {
				out.WriteString(strings.TrimSpace(l[i+n : i+n+end]))
				i += 2*n + end
				continue
			}
		case c == '*' || c == '_' || c == '~' && n == 2:
			if end := closing(l, i, n); end > 0 {
				closes[end] = n
				i += n
				continue
			}
		case c == '!' && strings.HasPrefix(l[i+1:], "[") && linked(l[i+1:]) > 0:
			i++
			continue
		case c == '[':
			if to := linked(l[i:]); to > 0 {
				text, _, _ := strings.Cut(l[i+1:], "](")
				out.WriteString(inline(text))
				i += to
				continue
			}
		case c == '<' && strings.HasPrefix(l[i+1:], "http"):
			if end := strings.IndexByte(l[i:], '>'); end > 0 && !strings.Contains(l[i:i+end], " ") {
				out.WriteString(l[i+1 : i+end])
				i += end + 1
				continue
			}
		}
		out.WriteString(l[i : i+n])
		i += n
	}
	return out.String()
}

// runOf is how often the byte at i repeats.
func runOf(l string, i int) int {
	n := 0
	for i+n < len(l) && l[i+n] == l[i] {
		n++
	}
	return n
}

// closing is where the n characters of emphasis at i are closed; 0: they are not emphasis, or continue to the end.
func closing(l string, i, n int) int {
	sign := l[i : i+n]
	if n > 3 || i+n == len(l) || l[i+n] == ' ' || i > 0 && letter(l[i-1]) && (sign[0] == '_' || n == 1) {
		return 0
	}
	for at := i + n; at < len(l); {
		next := strings.Index(l[at:], sign)
		if next < 0 {
			return 0
		}
		at += next
		after := at + runOf(l, at)
		if l[at-1] != ' ' && at > i+n && after-at == n && (after == len(l) || n > 1 && sign[0] != '_' || !letter(l[after])) {
			return at
		}
		at = after
	}
	return 0
}

// letter reports whether a byte belongs to a word: emphasis of one character does not begin or end within one.
func letter(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// linked is the length of the link at the beginning of a text; 0: there is none.
func linked(l string) int {
	text, rest, ok := strings.Cut(l, "](")
	end := strings.IndexByte(rest, ')')
	if !ok || end < 0 || strings.Contains(text[1:], "[") || strings.Contains(rest[:end], " ") {
		return 0
	}
	return len(text) + 2 + end + 1
}
