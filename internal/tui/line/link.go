package line

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// address matches a web address in a text, in characters that neither hide nor end anything.
var address = pattern.Of(`https?://[A-Za-z0-9][A-Za-z0-9._~:/?#@!$&'*+,=%\[\]-]*`)

// Linked makes the web addresses of a row links (OSC 8). Each leads where it says: the whole address is shown.
// One that fills the row of w cells may continue in the next, and is left alone.
func Linked(row string, w int) string {
	if !strings.Contains(row, "://") {
		return row
	}
	plain := ansi.Strip(row)
	end := len(strings.TrimRight(plain, " │"))
	var at []int // where links begin and end in the plain text
	for _, m := range address().FindAllStringIndex(plain, -1) {
		to := m[0] + len(strings.TrimRight(plain[m[0]:m[1]], ".,:!?'*]"))
		whole := m[1] < end || ansi.StringWidth(plain[:m[1]]) < w-3
		if whole && !strings.HasPrefix(plain[m[1]:], "(") && !strings.HasPrefix(plain[m[1]:], "…") {
			at = append(at, m[0], to)
		}
	}
	var out strings.Builder
	seen := 0
	for rest := row; rest != ""; {
		if code, after, ok := escape(rest); ok {
			out.WriteString(code)
			rest = after
			continue
		}
		for len(at) > 0 && seen == at[0] {
			if len(at)%2 == 0 {
				out.WriteString(ansi.SetHyperlink(plain[at[0]:at[1]]))
			} else {
				out.WriteString(ansi.ResetHyperlink())
			}
			at = at[1:]
		}
		out.WriteByte(rest[0])
		rest, seen = rest[1:], seen+1
	}
	if len(at) == 1 {
		out.WriteString(ansi.ResetHyperlink())
	}
	return out.String()
}

// escape splits off the escape sequence that a text begins with.
func escape(text string) (code, rest string, ok bool) {
	if !strings.HasPrefix(text, "\x1b[") {
		return "", text, false
	}
	i := strings.IndexByte(text, 'm')
	if i < 0 {
		return "", text, false
	}
	return text[:i+1], text[i+1:], true
}
