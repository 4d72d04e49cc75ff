package editor

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match is a word that matches a query. At are the bytes where the matched letters begin, in order.
type Match struct {
	Index, Score int
	At           []int
}

// The score of a matched letter, with bonuses for the place; letters between two matched ones cost.
const (
	hit       = 16
	atStart   = 8 // of a word
	atFolder  = 9 // after a slash
	atCamel   = 7
	following = 6 // directly after the previous one
	inName    = 4 // all in the last part of a path
	inFront   = 1 // the first at the very beginning
	gapOpen   = -3
	gapMore   = -1
	gapMost   = -12
)

// Fuzzy finds the words that contain the letters of every term of the query in order, best first; equals stay
// in their order. Case matters for a query with a capital. An empty query means every word.
func Fuzzy(query string, words []string) []Match { return fuzzy(query, words, rank) }

func fuzzy(query string, words []string, rank func(term []glyph, word string, met []int) ([]int, int)) []Match {
	var terms [][]glyph
	for _, term := range strings.Fields(query) {
		terms = append(terms, glyphs(term, strings.ContainsFunc(query, unicode.IsUpper)))
	}
	var out []Match
	var met []int // of all words, one after the other
	for i, word := range words {
		m, from := Match{Index: i}, len(met)
		for _, term := range terms {
			best := 0
			if met, best = rank(term, word, met); best == 0 {
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
	return bestFirst(out)
}

// bestFirst sorts by score. There are few scores, so each gets a section of the result.
func bestFirst(ms []Match) []Match {
	most := 0
	for _, m := range ms {
		most = max(most, m.Score)
	}
	begins := make([]int, most+2)
	for _, m := range ms {
		begins[most-m.Score+1]++
	}
	for i := range most {
		begins[i+1] += begins[i]
	}
	out := make([]Match, len(ms))
	for _, m := range ms {
		out[begins[most-m.Score]] = m
		begins[most-m.Score]++
	}
	return out
}

// glyph is a letter to look for, in both cases; ASCII letters are bytes, which are not part of other letters in
// UTF-8.
type glyph struct {
	lower, upper string
	ascii        bool
}

func glyphs(term string, exact bool) (out []glyph) {
	for _, r := range term {
		g := glyph{string(r), string(r), r < utf8.RuneSelf}
		if !exact {
			g.upper = string(unicode.ToUpper(r))
			g.ascii = g.ascii && len(g.upper) == 1
		}
		out = append(out, g)
	}
	return out
}

// next returns the first index of the glyph in word[from:], or -1.
func (g *glyph) next(word string, from int) int {
	if g.ascii {
		l, u := g.lower[0], g.upper[0]
		for i := from; i < len(word); i++ {
			if word[i] == l || word[i] == u {
				return i
			}
		}
		return -1
	}
	l, u := strings.Index(word[from:], g.lower), strings.Index(word[from:], g.upper)
	if l < 0 || u >= 0 && u < l {
		l = u
	}
	if l < 0 {
		return -1
	}
	return from + l
}

// last returns the last index of the glyph in word[:end].
func (g *glyph) last(word string, end int) int {
	if g.ascii {
		l, u := g.lower[0], g.upper[0]
		for i := end - 1; i >= 0; i-- {
			if word[i] == l || word[i] == u {
				return i
			}
		}
		return -1
	}
	return max(strings.LastIndex(word[:end], g.lower), strings.LastIndex(word[:end], g.upper))
}

// size returns the glyph's length in bytes where it was found.
func (g *glyph) size(word string, at int) int {
	if g.ascii || strings.HasPrefix(word[at:], g.lower) {
		return len(g.lower)
	}
	return len(g.upper)
}

// tries is how many starting points of a match are compared in a word.
const tries = 6

// rank appends to met the best match, of the first one and those that begin at the start of a word. No match
// scores 0.
func rank(term []glyph, word string, met []int) ([]int, int) {
	old := len(met)
	met = find(term, word, 0, met)
	if len(met) == old {
		return met, 0
	}
	name := strings.LastIndexByte(word, '/') + 1
	best, from := score(term, word, name, met[old:]), met[old]
	var room [32]int
	for range tries {
		for from = term[0].next(word, from+1); from > 0 && start(word, from) == 0; {
			from = term[0].next(word, from+1)
		}
		if from < 0 {
			break
		}
		other := find(term, word, from, room[:0])
		if len(other) == 0 {
			break
		}
		if s := score(term, word, name, other); s > best {
			best, met = s, append(met[:old], other...)
		}
	}
	return met, best
}

// find appends to met the match of the term in word[from:] that ends as early as possible, and from there
// begins as late as possible.
func find(term []glyph, word string, from int, met []int) []int {
	old := len(met)
	for i := range term {
		at := term[i].next(word, from)
		if at < 0 {
			return met[:old]
		}
		met = append(met, at)
		from = at + term[i].size(word, at)
	}
	for i := len(term) - 2; i >= 0; i-- {
		met[old+i] = term[i].last(word, met[old+i+1])
	}
	return met
}

// score scores a match in a word whose last part begins at name.
func score(term []glyph, word string, name int, met []int) int {
	total, run := 0, 0
	for i, at := range met {
		bonus := start(word, at)
		switch {
		case i == 0:
			total += bonus // counted twice
			run = 0
		case at == met[i-1]+term[i-1].size(word, met[i-1]):
			run = max(run, following)
		default:
			gap := at - met[i-1] - 1
			total += max(gapOpen+gapMore*(gap-1), gapMost)
			run = 0
		}
		run = max(run, bonus) // letters after the start of a word score like the start
		total += hit + run
	}
	if met[0] == 0 {
		total += inFront
	}
	if met[0] >= name {
		total += inName
	}
	return total
}

// start returns the bonus for a word that begins at an index of word.
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
