package builtin

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// unified is the difference between two texts as a person is shown it: where both end their lines with CRLF that is left
// out, and what an eye would not see, or a terminal obey, is written out.
func unified(from, to, before, after string) string {
	if crlf(before) == crlf(after) || before == "" || after == "" {
		before, after = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(after, "\r\n", "\n")
	}
	text, err := udiff.ToUnified(oneLine(from), oneLine(to), before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil { // it says that edits overlap, which those of Lines do not
		panic(err)
	}
	return plainly(text)
}

func oneLine(name string) string { return strings.ReplaceAll(name, "\n", `\n`) }

// changed counts the lines a unified difference adds and takes away.
func changed(diff string) (added, gone int) {
	inside := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case strings.HasPrefix(line, "--- "):
			inside = inside && !strings.HasPrefix(line, "--- a/") && !strings.HasPrefix(line, "--- /dev/null")
			if inside {
				gone++
			}
		case inside && line[0] == '+':
			added++
		case inside && line[0] == '-':
			gone++
		}
	}
	return added, gone
}

// plainly writes out what is not seen: controls, invisible letters and bytes that are no letters. Newlines and tabs stay.
func plainly(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\n' || r == '\t' || r == '\ufe0f' || size > 1 && r == utf8.RuneError:
			out.WriteString(s[:size])
		case r == utf8.RuneError || !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r):
			quoted := strconv.QuoteToASCII(s[:size])
			out.WriteString(quoted[1 : len(quoted)-1])
		default:
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

// crlf says whether most lines of s end in CRLF.
func crlf(s string) bool { return 2*strings.Count(s, "\r\n") > strings.Count(s, "\n") }
