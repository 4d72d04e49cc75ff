package builtin

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

// search finds lines. Most lines do not match, so it jumps to where a match could be and checks the whole line there.
type search struct {
	expr     *regexp.Regexp
	tree     *syntax.Regexp
	literals [][]byte // every match contains one of them; empty: unknown
	sieve    *sieve   // nil: none
	beyond   bool     // expr can match newlines or the ends of the text, so it can only be used on single lines
}

// newSearch compiles a pattern, and prepares the shortcuts that avoid running it on every line.
func newSearch(pattern string, ignoreCase bool) (search, error) {
	expr, err := compile(pattern, ignoreCase)
	if err != nil {
		return search{}, err
	}
	tree, err := syntax.Parse(expr.String(), syntax.Perl)
	if err != nil {
		return search{}, err
	}
	tree = withinLine(tree.Simplify())
	if expr, err = regexp.Compile(tree.String()); err != nil {
		return search{}, err
	}
	s := search{expr: expr, tree: tree, beyond: beyond(tree)}
	for _, l := range literals(tree) {
		s.literals = append(s.literals, []byte(l))
	}
	if !s.beyond {
		s.sieve = newSieve(tree)
	}
	return s, nil
}

// mostLiterals is how many texts are searched one by one; for more it is faster to read a file once for all of them.
const mostLiterals = 5

// literals returns texts of which every match of tree contains one, few and long ones if there is a choice; none if
// unknown.
func literals(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		// which also matches invalid bytes
		if tree.Flags&syntax.FoldCase == 0 && !slices.Contains(tree.Rune, utf8.RuneError) {
			return []string{string(tree.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(tree.Sub[0])
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			if found := literals(sub); better(found, best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			found := literals(sub)
			if len(found) == 0 || len(all)+len(found) > mostLiterals {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// better reports whether a is more selective than b: it has fewer texts, or as many and the shortest is longer.
func better(a, b []string) bool {
	if len(a) != len(b) {
		return len(b) == 0 || len(a) > 0 && len(a) < len(b)
	}
	least := func(texts []string) int {
		n := len(texts[0])
		for _, text := range texts {
			n = min(n, len(text))
		}
		return n
	}
	return len(a) > 0 && least(a) > least(b)
}

// withinLine removes newlines from all character classes: a line has none, and without them a match cannot continue
// on the next line.
func withinLine(tree *syntax.Regexp) *syntax.Regexp {
	switch tree.Op {
	case syntax.OpAnyChar:
		tree.Op = syntax.OpAnyCharNotNL
	case syntax.OpCharClass:
		var ranges []rune
		for pair := range slices.Chunk(tree.Rune, 2) {
			if from, to := pair[0], pair[1]; from <= '\n' && '\n' <= to {
				if from < '\n' {
					ranges = append(ranges, from, '\n'-1)
				}
				if to > '\n' {
					ranges = append(ranges, '\n'+1, to)
				}
			} else {
				ranges = append(ranges, from, to)
			}
		}
		if tree.Rune = ranges; len(ranges) == 0 {
			tree.Op = syntax.OpNoMatch
		}
	}
	for i, sub := range tree.Sub {
		tree.Sub[i] = withinLine(sub)
	}
	return tree
}

// beyond reports whether tree matches a text of many lines differently than each of its lines.
func beyond(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		return slices.Contains(tree.Rune, '\n')
	}
	return slices.ContainsFunc(tree.Sub, beyond)
}

// candidate returns the first place in text where a match may be, or -1.
func (s search) candidate(text []byte) int {
	switch {
	case len(s.literals) == 1:
		return bytes.Index(text, s.literals[0])
	case s.sieve != nil:
		return s.sieve.find(text)
	case s.beyond:
		return 0
	}
	if place := s.expr.FindIndex(text); place != nil {
		return place[0]
	}
	return -1
}

// file returns the lines of body that match, at most mostHits. It jumps from candidate to candidate, and runs the
// expression only on lines that may match.
func (s search) file(body []byte) []hit {
	if bytes.Contains(body, []byte("\r\n")) {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	var hits []hit
	if has := func(l []byte) bool { return bytes.Contains(body, l) }; len(s.literals) > 1 && !slices.ContainsFunc(s.literals, has) {
		return nil
	}
	number, counted := 1, 0
	for at := 0; at < len(body) && len(hits) < mostHits; {
		ahead := s.candidate(body[at:])
		if ahead < 0 || at+ahead == len(body) { // no line follows the last newline
			break
		}
		start := bytes.LastIndexByte(body[:at+ahead], '\n') + 1
		end := len(body)
		if n := bytes.IndexByte(body[start:], '\n'); n >= 0 {
			end = start + n
		}
		number += bytes.Count(body[counted:start], []byte("\n"))
		counted = start
		if s.sieve != nil && s.sieve.find(body[start:end]) < 0 {
			at = end + 1
			continue
		}
		if place := s.expr.FindIndex(body[start:end]); place != nil {
			line := around(strings.ToValidUTF8(string(body[start:end]), "\uFFFD"), place[0])
			hits = append(hits, hit{number, strings.TrimRight(clean.Line(line), " ")})
		}
		at = end + 1
	}
	return hits
}
