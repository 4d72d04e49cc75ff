// Package fact finds facts in a sentence that can be replaced to make it false: a number, or a name with an opposite.
//
// Controls are made with it: a statement that is true of some lines, or of a project's files, becomes false once such a fact is
// replaced. Everything here works on words; nothing knows what a sentence means.
package fact

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Words returns the words and numbers of a text, in order.
func Words(text string) []string { return aWord().FindAllString(text, -1) }

// Numbers returns the numbers of at most six digits in a text, in order.
func Numbers(text string) []string { return aNumber().FindAllString(text, -1) }

// Of returns the facts of a claim that can be replaced, each with its replacement: names with a part that has an opposite, then exact
// numbers, each in the order of the claim.
func Of(claim string) (out [][2]string) {
	for _, word := range Distinct(aWord().FindAllString(claim, -1)) {
		if other := Opposite(word); other != "" {
			out = append(out, [2]string{word, other})
		}
	}
	for _, number := range Exact(claim) {
		n, _ := strconv.Atoi(number) // six digits at most
		out = append(out, [2]string{number, strconv.Itoa(n + 1)})
	}
	return out
}

// Exact returns the numbers that a text states exactly. A bound, or the number of a step or line, may also be true with another
// number.
func Exact(text string) (out []string) {
	for _, at := range aNumber().FindAllStringIndex(text, -1) {
		if !bounds().MatchString(text[:at[0]]) && !orMore().MatchString(text[at[1]:]) {
			out = append(out, text[at[0]:at[1]])
		}
	}
	return out
}

// Swap replaces a word by another wherever it is a whole word.
func Swap(text, word, other string) string {
	return aWord().ReplaceAllStringFunc(text, func(w string) string {
		if w == word {
			return other
		}
		return w
	})
}

// Opposite returns a name with a different meaning that looks as likely: one part is replaced by its opposite. It is empty if no part
// has one.
func Opposite(name string) string {
	lower := strings.ToLower(name)
	for _, two := range opposites {
		for i, part := range two {
			at := strings.Index(lower, part)
			if at < 0 || len(lower) != len(name) || !partOf(name, at, at+len(part)) {
				continue
			}
			other := two[1-i]
			if unicode.IsUpper(rune(name[at])) {
				other = strings.ToUpper(other[:1]) + other[1:]
			}
			return name[:at] + other + name[at+len(part):]
		}
	}
	return ""
}

// partOf reports whether name[from:to] is a separate word in a name, as read is in readTimeout and max_reads, but not in already.
func partOf(name string, from, to int) bool {
	begins := from == 0 || name[from-1] == '_' || unicode.IsUpper(rune(name[from]))
	rest := strings.TrimPrefix(name[to:], "s")
	return begins && (rest == "" || !unicode.IsLower(rune(rest[0])))
}

// opposites are pairs of words that occur in names.
var opposites = [][2]string{{"unlock", "lock"}, {"read", "write"}, {"open", "close"}, {"max", "min"}, {"start", "stop"}, {"first", "last"},
	{"push", "pull"}, {"encode", "decode"}, {"before", "after"}, {"input", "output"}, {"server", "client"}, {"insert", "delete"},
	{"enable", "disable"}, {"source", "target"}, {"parent", "child"}, {"append", "replace"}, {"mutex", "channel"}, {"single", "double"}}

// Absent returns a number a little above n that the lines do not contain.
func Absent(n int, lines string, rnd *rand.Rand) int {
	other := n + 1 + rnd.IntN(9)
	for strings.Contains(lines, strconv.Itoa(other)) {
		other++
	}
	return other
}

var (
	aNumber = pattern.Of(`\b[0-9]{1,6}\b`)
	aWord   = pattern.Of(`[\pL\pN_]+`)
	bounds  = pattern.Of(`(?i)(?:\b(?:at most|at least|than|up to|over|under|below|above|within|about|around|roughly|nearly|almost|only|` +
		`beyond|exceeds?|until|after|before|max(?:imum)?(?: of)?|min(?:imum)?(?: of)?|step|item|line|case|phase|section|version)\s+|` +
		`[<>≤≥~]=?\s*)$`)
	orMore = pattern.Of(`(?i)^\s*(?:\+|or (?:more|less|fewer|so)\b|and (?:more|up)\b)`)
)

// Distinct returns the different words of a list, in order, without those that have no letter.
func Distinct(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) && strings.ContainsFunc(w, unicode.IsLetter) {
			out = append(out, w)
		}
	}
	return out
}
