package evidence

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

const (
	shortest  = 6        // non-blank characters in the shortest quote that shows anything
	longest   = 16 << 10 // bytes of the longest quote
	around    = 6        // lines shown on either side of a passage
	mostLines = 40       // shown of a passage
	widest    = 400      // bytes shown of a line
)

// text is a document to search. All white space counts as one blank, line ends included, so that indentation and wrapping do not
// matter.
type text struct {
	lines  []string // as they are shown
	flat   string   // their words, one blank apart
	starts []int    // where each line begins in flat
}

// newText prepares a document for searches.
func newText(body string) text {
	t := text{lines: folder.Lines([]byte(body))}
	var flat strings.Builder
	for _, line := range t.lines {
		line = squeeze(line)
		if line != "" && flat.Len() > 0 {
			flat.WriteByte(' ')
		}
		t.starts = append(t.starts, flat.Len())
		flat.WriteString(line)
	}
	t.flat = flat.String()
	return t
}

// squeeze returns a text with every run of white space as one blank.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// wanted returns a quote in the form to search for. An error says why a search is useless.
func wanted(quote string) (string, error) {
	if len(quote) > longest {
		return "", fmt.Errorf("the quote is longer than %d KB", longest>>10)
	}
	quote = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(quote), "…"), "...") // the mark of a shortened quote
	flat := newText(quote).flat
	seen := 0
	for _, r := range flat {
		if r != ' ' {
			seen++
		}
	}
	if seen < shortest {
		return "", errors.New("the quote is too short to show anything")
	}
	return flat, nil
}

// passage is the place of a found quote; lines count from 1.
type passage struct{ first, last, offset int }

// find returns the passage nearest to a line; 0: the first one.
func (t text) find(flat string, line int) (passage, bool) {
	return t.nearest(flat, line, func(int, int) bool { return true })
}

// nearest is find among the passages whose offsets in flat fit.
func (t text) nearest(flat string, line int, fits func(from, to int) bool) (passage, bool) {
	best, found := passage{}, false
	for from := 0; ; {
		i := strings.Index(t.flat[from:], flat)
		if i < 0 {
			return best, found
		}
		at := from + i
		from = at + len(flat)
		if !fits(at, from) {
			from = at + 1
			continue
		}
		p := passage{t.line(at), t.line(from - 1), at}
		if !found || p.distance(line) < best.distance(line) {
			best, found = p, true
		}
		if line <= 0 || best.distance(line) == 0 {
			return best, true
		}
	}
}

// Text is a document to search for many quotes. The zero value is empty.
type Text struct{ text text }

// NewText prepares a document.
func NewText(body string) Text { return Text{newText(body)} }

// Find returns the line at which a quote begins, of several the nearest to near; 0: the first. The rules are those of checks, except
// one: a quote must not begin or end inside a word or a number, because then the text now says something else, as "retries = 30" does
// not say "retries = 3". It is false if the text does not have the quote, or the quote is too short or too long to search for.
func (t Text) Find(quote string, near int) (line int, found bool) {
	flat, err := wanted(quote)
	if err != nil || t.text.flat == "" {
		return 0, false
	}
	trimmed := strings.TrimSpace(quote)
	open := strings.HasSuffix(trimmed, "…") || strings.HasSuffix(trimmed, "...") // shortened, perhaps within a word
	p, found := t.text.nearest(flat, near, func(from, to int) bool {
		return !joined(t.text.flat, from) && (open || !joined(t.text.flat, to))
	})
	return p.first, found
}

// joined reports whether an offset is inside a word or a number.
func joined(s string, at int) bool {
	before, n := utf8.DecodeLastRuneInString(s[:at])
	after, m := utf8.DecodeRuneInString(s[at:])
	word := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch {
	case n == 0 || m == 0:
		return false
	case word(before) && word(after):
		return true
	case after == '.' && unicode.IsDigit(before):
		r, _ := utf8.DecodeRuneInString(s[at+m:])
		return unicode.IsDigit(r)
	case before == '.' && unicode.IsDigit(after):
		r, _ := utf8.DecodeLastRuneInString(s[:at-n])
		return unicode.IsDigit(r)
	}
	return false
}

// line returns the line at an offset of flat, from 1.
func (t text) line(offset int) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset })
}

// distance returns how many lines p is away from line.
func (p passage) distance(line int) int { return max(p.first-line, line-p.last, 0) }

// excerpt returns the lines of p and around it, with their numbers.
func (t text) excerpt(p passage) string {
	last := min(p.last, p.first+mostLines-1)
	var out strings.Builder
	for i := max(p.first-around, 1); i <= min(last+around, len(t.lines)); i++ {
		line := t.lines[i-1]
		if len(line) > widest && i == p.first { // the quote may be far to the right
			squeezed, at := squeeze(line), p.offset-t.starts[i-1]
			if from := runeStart(squeezed, max(at-widest/4, 0)); from > 0 {
				squeezed = "…" + squeezed[from:]
			}
			line = squeezed
		}
		fmt.Fprintf(&out, "%6d\t%s\n", i, cut(line, widest))
	}
	return out.String()
}

// Recorded looks for the quote of evidence in the lines that were recorded with it, and returns the line at which it begins. whole
// means that the lines were not shortened: a quote they lack was never found there.
func Recorded(e verdict.Evidence, lines string) (line int, found, whole bool) {
	quote := e.Quote
	if e.Kind == "source" {
		quote = typeset.Replace(quote)
	}
	flat, err := wanted(quote)
	if err != nil {
		return 0, false, true
	}
	first, body := 0, ""
	for l := range strings.Lines(lines) {
		number, text, _ := strings.Cut(l, "\t")
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil && first == 0 {
			first = n
		}
		body += text
	}
	t := newText(body)
	p, found := t.find(flat, max(0, e.Line-first+1))
	return first + p.first - 1, found, !strings.Contains(lines, "…") && len(t.lines) < mostLines
}

// cut shortens s to at most size bytes and an ellipsis, never inside a character.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return s[:runeStart(s, size)] + "…"
}

// runeStart returns the last offset at or before i at which a character of s begins.
func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
