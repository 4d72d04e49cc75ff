package builtin

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// search finds lines. Most lines do not match, so it jumps to where a match could be and looks at the whole line there.
type search struct {
	expr    *regexp.Regexp
	tree    *syntax.Regexp
	literal []byte // what every match contains; empty: nothing
	sieve   *sieve // nil: none
	beyond  bool   // expr can match newlines or the ends of the text, so it tells nothing about more than one line
}

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
	s := search{expr: expr, tree: tree, literal: []byte(literal(tree)), beyond: beyond(tree)}
	if !s.beyond {
		s.sieve = newSieve(tree)
	}
	return s, nil
}

// literal returns the longest text every match of tree contains; empty: there is none.
func literal(tree *syntax.Regexp) string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return string(tree.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literal(tree.Sub[0])
	case syntax.OpConcat:
		var longest string
		for _, sub := range tree.Sub {
			if l := literal(sub); len(l) > len(longest) {
				longest = l
			}
		}
		return longest
	}
	return ""
}

// withinLine takes newlines out of all classes of signs: a line has none, and without them a match cannot go on from one
// line to the next.
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

// beyond says whether tree means something else for a text of many lines than for each of them.
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
	case len(s.literal) > 0:
		return bytes.Index(text, s.literal)
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

// file returns the lines of body that match, at most mostHits.
func (s search) file(body []byte) []hit {
	if bytes.Contains(body, []byte("\r\n")) {
		body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	}
	var hits []hit
	number, counted := 1, 0
	for at := 0; at < len(body) && len(hits) < mostHits; {
		ahead := s.candidate(body[at:])
		if ahead < 0 || at+ahead == len(body) { // after the last newline there is no line
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
