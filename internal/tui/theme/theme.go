// Package theme defines the meaning of colours on the screen. Every colour is accompanied by a mark, a word or
// a position, so that nothing is lost without colour.
package theme

import (
	"hash/fnv"
	"strings"
)

// Ink is the style of a piece of plain text: the parameters of an SGR sequence, for example "1;38;5;208". The
// zero value is the terminal's default. The text must not contain escapes: the sequence that ends one ends all.
type Ink string

// On draws text, which must contain no escapes and no line breaks.
func (i Ink) On(text string) string {
	if i == "" || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[m"
}

// Under draws a text that has inks of its own on this background: each of its pieces gets it.
func (i Ink) Under(text string) string {
	if i == "" || text == "" {
		return text
	}
	var out strings.Builder
	for text != "" {
		plain, rest, more := strings.Cut(text, "\x1b[")
		out.WriteString(i.On(plain))
		if !more {
			break
		}
		ink, rest, _ := strings.Cut(rest, "m")
		piece, rest, _ := strings.Cut(rest, "\x1b[m")
		if piece == "" { // a mark
			out.WriteString(Ink(ink).Mark())
		}
		out.WriteString(i.And(Ink(ink)).On(piece))
		text = rest
	}
	return out.String()
}

// And returns the combination of both.
func (i Ink) And(more Ink) Ink { return Ink(strings.Trim(string(i)+";"+string(more), ";")) }

// Decoration marks what we put beside a text, so that it is not copied with it: line numbers, bars,
// continuation marks. It selects the default font, which changes nothing.
const Decoration Ink = "10"

// Marks take no cell, and no terminal shows them: they tell how to copy a row.
const (
	Joined Ink = Decoration + ";0"     // the line before continues here, after a blank
	Glued  Ink = Decoration + ";0;0"   // the same, within a word
	Block  Ink = Decoration + ";0;0;0" // a block of code begins here
)

// Mark returns the sequence of a mark.
func (i Ink) Mark() string { return "\x1b[" + string(i) + "m\x1b[m" }

// Unmarked removes the marks from drawn text.
func Unmarked(text string) string {
	for _, m := range []Ink{Joined, Glued, Block} {
		text = strings.ReplaceAll(text, m.Mark(), "")
	}
	return text
}

// Inks that every terminal supports.
const (
	Bold      Ink = "1"
	Faint     Ink = "2"
	Italic    Ink = "3"
	Underline Ink = "4"
	Reverse   Ink = "7"
	Struck    Ink = "9"
)

// Theme is the inks of the parts of a screen.
type Theme struct {
	Name string
	// Less important text; rules and boxes; the focused place.
	Dim, Line, Focus Ink
	// The bars above and below a page, and the chosen entry of a list or tab.
	Bar, Chosen Ink
	// Speakers that are not seats.
	Person, Program Ink
	// Success, warning, failure.
	Good, Warn, Bad Ink
	// Backgrounds: of the person's text, of code, of added and removed rows and changed words in them; of a
	// permissive mode. Empty: the theme has none, and inks and marks replace it.
	Band, Ground, AddedRow, RemovedRow, AddedWord, RemovedWord, Danger Ink
	// Changes of files; a search match.
	Added, Removed, Hunk, Found Ink
	// Markdown: headings, code in a line, links, quotes.
	Heading, Code, Link, Quote Ink
	// Code in blocks.
	Keyword, String, Number, Comment, Symbol Ink
	// Plain is for screen readers: no boxes, no rules, words instead of signs.
	Plain bool
	// Seats are the colours that distinguish lineages.
	Seats []Ink
}

// All are all themes; the first one is for dark terminals and the default.
var All = []Theme{dark, light, contrast, none}

// Find returns the theme of a name.
func Find(name string) (Theme, bool) {
	for _, t := range All {
		if t.Name == name {
			return t, true
		}
	}
	return Theme{}, false
}

// Names returns the names of all themes.
func Names() (out []string) {
	for _, t := range All {
		out = append(out, t.Name)
	}
	return out
}

// salt makes the most common lineages differ in every theme of eight colours.
const salt = "31822"

// Seat returns the colour of a lineage in a panel: always the same in a theme, unless an earlier lineage of the
// panel has it.
func (t Theme) Seat(lineage string, table []string) Ink {
	n := len(t.Seats)
	if n == 0 {
		return Bold
	}
	taken := map[int]string{}
	for _, l := range append(table[:len(table):len(table)], lineage) {
		h := fnv.New32a()
		h.Write([]byte(salt + strings.ToLower(l)))
		at := int(h.Sum32()>>16) % n
		for by, is := taken[at]; is && by != l && len(taken) < n; by, is = taken[at] {
			at = (at + 1) % n
		}
		if taken[at] = l; l == lineage {
			return t.Seats[at]
		}
	}
	return Bold // not reached: the last of them is the lineage
}
