// Package theme says what colours mean on the screen. Every colour is also told by a mark, a word or its place, so that
// nothing is lost without colour.
package theme

import (
	"hash/fnv"
	"strings"
)

// Ink is how a piece of plain text is drawn: the parameters of an SGR sequence, for example "1;38;5;208". The zero value
// draws as the terminal does. What is drawn holds no escapes yet: the sequence that ends one ends all.
type Ink string

// On draws text, which must hold no escapes and no line breaks.
func (i Ink) On(text string) string {
	if i == "" || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[m"
}

// Under draws a text that has inks of its own on this one, which a ground is: each of its pieces gets it.
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

// And draws with both.
func (i Ink) And(more Ink) Ink { return Ink(strings.Trim(string(i)+";"+string(more), ";")) }

// Decoration marks what we put beside a text, so that it is not copied with it: numbers of lines, bars, marks of rows that go on. It
// chooses the usual font, which is the one that is used.
const Decoration Ink = "10"

// Marks take no cell, and no terminal shows them: they say of a row what is copied of it.
const (
	Joined Ink = Decoration + ";0"     // a line goes on here that had no room, after a blank
	Glued  Ink = Decoration + ";0;0"   // the same, within a word
	Block  Ink = Decoration + ";0;0;0" // a block of code begins here
)

// Mark is the sign of a mark.
func (i Ink) Mark() string { return "\x1b[" + string(i) + "m\x1b[m" }

// Unmarked is what was drawn without its marks.
func Unmarked(text string) string {
	for _, m := range []Ink{Joined, Glued, Block} {
		text = strings.ReplaceAll(text, m.Mark(), "")
	}
	return text
}

// Inks that every terminal has.
const (
	Bold      Ink = "1"
	Faint     Ink = "2"
	Italic    Ink = "3"
	Underline Ink = "4"
	Reverse   Ink = "7"
	Struck    Ink = "9"
)

// Theme is what the parts of a screen are drawn with.
type Theme struct {
	Name string
	// Text that is less important than the rest; rules and boxes; the place the keys go to.
	Dim, Line, Focus Ink
	// The bars above and below a page, and the one entry of a list, or tab, that is chosen.
	Bar, Chosen Ink
	// Who speaks, where it is no seat.
	Person, Program Ink
	// What went well, what needs a look, what went wrong.
	Good, Warn, Bad Ink
	// Grounds: of what the person typed, of code, of rows that came and went and of the words in them that changed; of a mode that asks
	// little. Empty: the theme has none, and inks and marks say it.
	Band, Ground, AddedRow, RemovedRow, AddedWord, RemovedWord, Danger Ink
	// Changes of files; a place that was searched for.
	Added, Removed, Hunk, Found Ink
	// Markdown: headings, code in a line, links, quotes.
	Heading, Code, Link, Quote Ink
	// Code in blocks.
	Keyword, String, Number, Comment, Symbol Ink
	// Plain is for those who have the screen read to them: no boxes, no rules, words in place of signs.
	Plain bool
	// Seats are the colours that lineages are told apart by.
	Seats []Ink
}

// All are the themes there are; the first one is for dark terminals and the default.
var All = []Theme{dark, light, contrast, none}

// Find is the theme of a name.
func Find(name string) (Theme, bool) {
	for _, t := range All {
		if t.Name == name {
			return t, true
		}
	}
	return Theme{}, false
}

// Names are the names of all themes.
func Names() (out []string) {
	for _, t := range All {
		out = append(out, t.Name)
	}
	return out
}

// salt makes the lineages that meet most often differ in every theme of eight colours.
const salt = "31822"

// Seat is the colour of a lineage at a table: always the same one of a theme, unless a lineage that sat down before has it.
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
