package line

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Fold maps texts that differ only in case to the same text, rune by rune.
func Fold(s string) string { return strings.Map(unicode.ToLower, s) }

// Lit marks every occurrence of a folded text in a drawn line.
func Lit(ink theme.Ink, line, query string) string {
	plain := []rune(ansi.Strip(line))
	folded := Fold(string(plain))
	if !strings.Contains(folded, query) {
		return line
	}
	var out strings.Builder
	n, done := len([]rune(query)), 0
	rest := line
	for at, runes := 0, []rune(folded); ; {
		i := strings.Index(string(runes[at:]), query)
		if i < 0 {
			return out.String() + rest
		}
		from := at + len([]rune(string(runes[at:])[:i]))
		left, mid := Wide(string(plain[done:from])), Wide(string(plain[from:from+n]))
		out.WriteString(ansi.Truncate(rest, left, "") + ink.On(string(plain[from:from+n])))
		rest = ansi.TruncateLeft(rest, left+mid, "")
		at, done = from+n, from+n
	}
}
