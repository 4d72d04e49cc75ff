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
	shortest  = 6        // letters and signs in the shortest quote that shows anything
	longest   = 16 << 10 // bytes of the longest quote
	around    = 6        // lines shown on either side of a passage
	mostLines = 40       // of a passage that are shown
	widest    = 400      // bytes shown of a line
)

// text is a document in which passages are looked for. All white space counts as one blank, line ends included, so
// that neither indentation nor wrapping decides whether a quote is there.
type text struct {
	lines  []string // as they are shown
	flat   string   // their words, one blank apart
	starts []int    // where each line begins in flat
}

// newText prepares a document for any number of searches.
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

// squeeze is a text with every run of white space as one blank.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// wanted is a quote as it is looked for. The error says why it is no use to look.
func wanted(quote string) (string, error) {
	if len(quote) > longest {
		return "", fmt.Errorf("the quote is longer than %d KB", longest>>10)
	}
	quote = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(quote), "…"), "...") // left where it was shortened
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

// passage is where a quote was found; lines count from 1.
type passage struct{ first, last, offset int }

// find looks for the passage nearest to a line; 0: the first one.
func (t text) find(flat string, line int) (passage, bool) {
	return t.nearest(flat, line, func(int, int) bool { return true })
}

// nearest is find among those whose offsets in flat fit.
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

// Text is a document in which many quotes are looked for. The zero value has none.
type Text struct{ text text }

// NewText is the text of a document.
func NewText(body string) Text { return Text{newText(body)} }

// Find returns the line at which a quote begins that lies nearest to a line; 0: the first. It is found by the same rules as evidence
// is checked by, but for one: where it would end or begin within a word or a number, the text says something else by now, as
// "retries = 30" does not say "retries = 3". It is false if the text does not have it, or it is no quote that can be looked for.
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

// joined says whether what stands before an offset and what stands at it are one word or one number.
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

// line is the line at an offset of flat, from 1.
func (t text) line(offset int) int {
	return sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset })
}

// distance is how many lines p lies from line.
func (p passage) distance(line int) int { return max(p.first-line, line-p.last, 0) }

// excerpt shows p and the lines around it, with their numbers.
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

// Recorded looks for the quote of evidence in lines that were recorded when it was found, and returns the line it begins at. whole:
// the lines were not shortened, so that a quote they lack was not found there.
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

// cut shortens s to at most size bytes and an ellipsis, never within a letter.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return s[:runeStart(s, size)] + "…"
}

// runeStart is the last place at or before i where a letter of s begins.
func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
