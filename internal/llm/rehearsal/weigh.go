package rehearsal

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// find is a place that bears on an option.
type find struct {
	line
	named    []string // words of the option as written in the line
	against  bool     // it speaks against the option
	negator  string   // the word that negates the line; empty: none
	strength float64
}

// weighed is an option with what the project says about it.
type weighed struct {
	option
	finds        []find // strongest first
	support, net float64
}

// scale holds what a seat measures places with. Each request gets its own.
type scale struct {
	weights map[class]float64
	options []option
	subject []string
	rarity  map[string]float64 // by stem: the weight of a word
}

// weigh ranks the options by what was seen, best first. Ties are ranked by their text, which all seats share. The
// more lines contain a word, the less it counts.
func (s *member) weigh(a asked, p project) []weighed {
	m := scale{s.weights, a.options, subject(a.question, a.options), map[string]float64{}}
	for _, o := range a.options {
		for _, w := range o.words {
			n := 0
			for _, l := range p.lines {
				if hasWord(l.words, w) {
					n++
				}
			}
			m.rarity[w] = 1 / math.Log2(2+float64(n))
		}
	}
	out := make([]weighed, len(a.options))
	for i, o := range a.options {
		w := weighed{option: o, finds: m.finds(o, p)}
		w.support = strongest(w.finds, false)
		w.net = w.support - strongest(w.finds, true)
		out[i] = w
	}
	slices.SortStableFunc(out, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.net, a.net), cmp.Compare(b.support, a.support), cmp.Compare(a.text, b.text))
	})
	return out
}

// strongest adds up the three strongest places on one side, each weighted half of the one before.
func strongest(finds []find, against bool) float64 {
	sum, share := 0.0, 1.0
	for _, f := range finds {
		if f.against == against && share > .2 {
			sum += share * f.strength
			share /= 2
		}
	}
	return sum
}

// reach is how many lines around a place still belong to it.
const reach = 2

// finds returns the places that bear on o, strongest first, no two of them within reach of one another. Tests often
// make things up, so they count only where nothing else bears on o.
func (m scale) finds(o option, p project) []find {
	var all []find
	for i, l := range p.lines {
		if f, ok := m.measure(o, p, i, l); ok {
			all = append(all, f)
		}
	}
	isTest := func(f find) bool { return f.class == test }
	if real := slices.DeleteFunc(slices.Clone(all), isTest); len(real) > 0 {
		all = real
	}
	slices.SortStableFunc(all, func(a, b find) int { return cmp.Compare(b.strength, a.strength) })
	var out []find
	for _, f := range all {
		near := slices.ContainsFunc(out, func(g find) bool {
			return g.file == f.file && f.number > 0 && g.number > 0 && g.number-reach <= f.number && f.number <= g.number+reach &&
				g.against == f.against
		})
		if !near {
			out = append(out, f)
		}
		if len(out) == 12 {
			break
		}
	}
	return out
}

// measure reports whether line i bears on o, and how strongly: by the weight of its words, how many of the option's
// words are there, whether it is about the question's subject, and what kind of text it is.
func (m scale) measure(o option, p project, i int, l line) (find, bool) {
	f := find{line: l}
	worth, have := 0.0, 0
	around := p.around(i)
	var lines []int
	for _, w := range o.words {
		if at := slices.IndexFunc(l.words, func(x word) bool { return sameWord(x.stem, w) }); at >= 0 {
			lines = append(lines, at)
			worth += m.rarity[w]
			have++
		} else if slices.ContainsFunc(around, func(n line) bool { return hasWord(n.words, w) }) {
			worth += m.rarity[w] / 2
			have++
		}
	}
	slices.Sort(lines)
	for _, at := range slices.Compact(lines) {
		f.named = append(f.named, l.words[at].text)
	}
	about := m.about(l, around)
	enough := have >= 2 || have == 1 && (about || len(m.subject) == 0 && len(o.words) == 1)
	if len(f.named) == 0 || !enough || m.weights[l.class] == 0 {
		return f, false
	}
	relevance, clarity := .4, 1.0
	if about || len(m.subject) == 0 {
		relevance = 1
	}
	if m.namesAnother(o, l) {
		if clarity = .5; hasAny(l.words, "or", "vs", "versus") {
			return f, false // it repeats the question
		}
	}
	var denied bool
	f.negator, denied = denial(l.words, o.words)
	f.against = denied != o.denies
	f.strength = m.weights[l.class] * worth * float64(have) / float64(len(o.words)) * relevance * clarity
	return f, true
}

// about reports whether the line, its file's name or the lines around it name the question's subject.
func (m scale) about(l line, around []line) bool {
	name := wordsOf(l.file)
	return slices.ContainsFunc(m.subject, func(w string) bool {
		return hasWord(l.words, w) || hasWord(name, w) || slices.ContainsFunc(around, func(n line) bool { return hasWord(n.words, w) })
	})
}

// namesAnother reports whether a line has words that belong only to another option.
func (m scale) namesAnother(o option, l line) bool {
	return slices.ContainsFunc(m.options, func(other option) bool {
		return slices.ContainsFunc(other.words, func(w string) bool {
			return hasWord(l.words, w) && !slices.ContainsFunc(o.words, func(own string) bool { return sameWord(own, w) })
		})
	})
}

// around returns the lines within reach of line i, without line i itself.
func (p project) around(i int) []line {
	var out []line
	at := p.lines[i]
	if at.number < 1 {
		return nil
	}
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(p.lines); j += step {
			n := p.lines[j]
			if n.file != at.file || n.number < at.number-reach || n.number > at.number+reach {
				break
			}
			out = append(out, n)
		}
	}
	return out
}

// denial finds a word that negates what is said about the stems: up to four words before one of them ("never use a
// pool") or after ("a pool must not", "the pool is off").
func denial(words []word, stems []string) (negator string, found bool) {
	small := func(i int) string { return strings.ToLower(words[i].text) }
	for i, w := range words {
		if !slices.ContainsFunc(stems, func(s string) bool { return sameWord(s, w.stem) }) {
			continue
		}
		for j := max(0, i-4); j < i; j++ {
			if negators[small(j)] {
				return words[j].text, true
			}
		}
		for j := i + 1; j < min(len(words), i+3); j++ {
			if modal := j == i+2 && modals[small(i+1)]; negatorAfter[small(j)] || modal && negators[small(j)] {
				return words[j].text, true
			}
		}
	}
	return "", false
}

// hasAny reports whether one of some lower-case words is there.
func hasAny(words []word, any ...string) bool {
	return slices.ContainsFunc(words, func(w word) bool { return slices.Contains(any, strings.ToLower(w.text)) })
}
