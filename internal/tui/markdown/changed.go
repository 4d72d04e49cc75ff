package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longWords is the maximum length of lines whose words are compared.
const longWords = 2000

// changed returns the range of letters that differs between a line and its new version; none if less than half
// of the line stayed, or all did.
func changed(before, after string) (from, to [2]int) {
	if len(before)+len(after) > longWords {
		return from, to
	}
	was, is := strings.SplitAfter(tokens(before), "\n"), strings.SplitAfter(tokens(after), "\n")
	head := 0
	for head < min(len(was), len(is)) && was[head] == is[head] {
		head++
	}
	tail := 0
	for tail < min(len(was), len(is))-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	size := func(tokens []string) int { return len(bare(strings.Join(tokens, ""))) }
	first, last := size(was[:head]), size(was[len(was)-tail:])
	kept := len(strings.TrimSpace(before[:first])) + len(strings.TrimSpace(before[len(before)-last:]))
	if 2*kept < max(len(strings.TrimSpace(before)), len(strings.TrimSpace(after))) || before == after {
		return from, to
	}
	return [2]int{first, len(before) - last}, [2]int{first, len(after) - last}
}

// tokens puts each word and each sign on a line of its own.
func tokens(line string) string {
	var out strings.Builder
	for i, r := range line {
		if i > 0 {
			before, _ := utf8.DecodeLastRuneInString(line[:i])
			if !word(before) || !word(r) {
				out.WriteByte('\n')
			}
		}
		out.WriteRune(r)
	}
	out.WriteByte('\n')
	return out.String()
}

func word(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }

func bare(tokens string) string { return strings.ReplaceAll(tokens, "\n", "") }
