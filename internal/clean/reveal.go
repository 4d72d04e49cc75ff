package clean

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Reveal is for text that must not lose anything on the way to an eye: whatever Text takes out or changes is written as
// its number instead, <U+202E> or, of a byte that is not UTF-8, <0x9B>. CRLF is a line end like any other.
// Text(Reveal(s)) is Reveal(s), and Reveal(s) is s where Text(s) is.
func Reveal(s string) string {
	if harmless(s) == len(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var out strings.Builder
	var last string // letter written
	for s != "" {
		n := harmless(s)
		out.WriteString(s[:n])
		if n > 0 {
			_, size := utf8.DecodeLastRuneInString(s[:n])
			last = s[n-size : n]
		}
		if s = s[n:]; s == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		shown := fmt.Sprintf("<U+%04X>", r)
		switch {
		case Text(last+s[:size]) == last+s[:size]: // a selector of a variant, the first after its letter
			shown = s[:size]
		case r == joiner && joins(out.String(), s[size:]):
			shown = s[:size]
		case r == utf8.RuneError && size == 1:
			shown = fmt.Sprintf("<0x%02X>", s[0])
		}
		out.WriteString(shown)
		last, s = shown, s[size:]
	}
	return out.String()
}
