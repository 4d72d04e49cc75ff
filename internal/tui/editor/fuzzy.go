package editor

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match is a word that a query may mean. At are the bytes where the letters that met begin, in order.
type Match struct {
	Index, Score int
	At           []int
}

// What a letter that met is worth, and more by what is before it; letters between two that met cost.
const (
	hit       = 16
	atStart   = 8 // of a word
	atFolder  = 9 // behind a slash
	atCamel   = 7
	following = 6 // right behind the one before
	inName    = 4 // all met in the last part of a path
	inFront   = 1 // the first met at the very beginning
	gapOpen   = -3
	gapMore   = -1
	gapMost   = -12
)

// Fuzzy finds the words that hold the letters of every term of the query in order, best first; equals stay in their order.
// Case matters for a query with a capital. An empty query means every word.
func Fuzzy(query string, words []string) []Match {
	exact := strings.ContainsFunc(query, unicode.IsUpper)
	var terms [][]rune
	for _, term := range strings.Fields(query) {
		terms = append(terms, []rune(strings.Map(func(r rune) rune { return fold(r, exact) }, term)))
	}
	var out []Match
	var met []int // of all words, one behind the other
	for i, word := range words {
		m, from := Match{Index: i}, len(met)
		for _, term := range terms {
			best := 0
			if met, best = rank(term, word, exact, met); best == 0 {
				m.Index = -1
				break
			}
			m.Score += best
		}
		if m.Index < 0 {
			met = met[:from]
			continue
		}
		if m.At = met[from:len(met):len(met)]; len(terms) > 1 {
			slices.Sort(m.At)
			m.At = slices.Compact(m.At)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
	return out
}

// tries is how many beginnings of a match are compared in a word.
const tries = 6

// rank appends to met the best of the very first match and of those that begin where a word does. No match is worth 0.
func rank(term []rune, word string, exact bool, met []int) ([]int, int) {
	end := forward(term, word, 0, exact)
	if end < 0 {
		return met, 0
	}
	old := len(met)
	met = backward(term, word, end, exact, met)
	best, from := score(word, met[old:]), met[old]+1
	var room [32]int
	for range tries {
		if from = nextStart(term[0], word, from, exact); from < 0 {
			break
		}
		if end = forward(term, word, from, exact); end < 0 {
			break
		}
		other := backward(term, word, end, exact, room[:0])
		if s := score(word, other); s > best {
			best, met = s, append(met[:old], other...)
		}
		from++
	}
	return met, best
}

// forward is the end of the shortest beginning of word[from:] that holds the term.
func forward(term []rune, word string, from int, exact bool) int {
	next := 0
	for i, r := range word[from:] {
		if fold(r, exact) != term[next] {
			continue
		}
		if next++; next == len(term) {
			_, n := utf8.DecodeRuneInString(word[from+i:])
			return from + i + n
		}
	}
	return -1
}

// backward finds the term in word[:end] from its end, so that what lies between its letters is short, and appends
// it to met.
func backward(term []rune, word string, end int, exact bool, met []int) []int {
	old := len(met)
	met = slices.Grow(met, len(term))[:old+len(term)]
	for next := len(term) - 1; next >= 0; {
		r, n := utf8.DecodeLastRuneInString(word[:end])
		if end -= n; fold(r, exact) == term[next] {
			met[old+next] = end
			next--
		}
	}
	return met
}

// nextStart is where a word of word begins with r, at from or behind it.
func nextStart(r rune, word string, from int, exact bool) int {
	for i := from; i < len(word); i++ {
		if !utf8.RuneStart(word[i]) || start(word, i) == 0 {
			continue
		}
		if got, _ := utf8.DecodeRuneInString(word[i:]); fold(got, exact) == r {
			return i
		}
	}
	return -1
}

func score(word string, met []int) int {
	total, run := 0, 0
	for i, at := range met {
		bonus := start(word, at)
		if i > 0 {
			_, n := utf8.DecodeRuneInString(word[met[i-1]:])
			if gap := at - met[i-1] - n; gap > 0 {
				total += max(gapOpen+gapMore*(gap-1), gapMost)
				run = 0
			} else {
				run = max(run, following)
				bonus = max(bonus, run)
			}
		}
		run = max(run, bonus) // letters behind the start of a word are worth what it is
		if i == 0 {
			bonus *= 2
		}
		total += hit + bonus
	}
	if met[0] == 0 {
		total += inFront
	}
	if strings.IndexByte(word[met[0]:], '/') < 0 {
		total += inName
	}
	return total
}

// start is what it is worth that a word begins at a place of word.
func start(word string, at int) int {
	if at == 0 {
		return atFolder
	}
	this, that := word[at], word[at-1]
	switch {
	case that == '/' || that == '\\':
		return atFolder
	case this < utf8.RuneSelf && !letter(this):
		return 0
	case that < utf8.RuneSelf && !letter(that):
		return atStart
	case upper(this) && !upper(that), digit(this) && !digit(that):
		return atCamel
	}
	return 0
}

func digit(b byte) bool  { return b >= '0' && b <= '9' }
func upper(b byte) bool  { return b >= 'A' && b <= 'Z' }
func letter(b byte) bool { return digit(b) || upper(b) || b >= 'a' && b <= 'z' }

func fold(r rune, exact bool) rune {
	switch {
	case exact:
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r >= utf8.RuneSelf:
		return unicode.ToLower(r)
	}
	return r
}
