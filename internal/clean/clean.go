// Package clean makes text of models, tools and files safe to show: what a terminal would obey and what an eye
// cannot see is gone, and newline and tab are the only controls left.
//
// [Text] is for texts of several lines, [Line] for names and titles, [Settled] for a text that still grows. They
// drop what is not safe. [Reveal] is for what a person has to approve: it drops nothing, but writes it out. [Short]
// and [OneLine] shorten what is clean already.
//
// All are pure; Text, Line and Reveal are idempotent, and return s itself if there is nothing to do. Everything
// that is printed, stored or shown to a model goes through here first and through package redact second: an escape
// within a secret would hide it.
package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s without terminal escapes (also as C1 bytes and C1 letters), control characters, bidi controls,
// zero-width and tag characters, and s itself when there are none. A joiner stays where it is seen, between two emoji. A carriage
// return becomes a newline, so that
// nothing is written over; bytes that are not UTF-8 become U+FFFD. Text(Text(s)) is Text(s).
//
// A sequence of a terminal that has no end is dropped up to the end of its line only: it cannot hide what follows.
func Text(s string) string {
	plain := harmless(s)
	if plain == len(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	last := rune(none) // written
	for {
		out.WriteString(s[:plain])
		if plain > 0 {
			last, _ = utf8.DecodeLastRuneInString(s[:plain])
		}
		if s = s[plain:]; s == "" {
			return out.String()
		}
		r, size := decode(s)
		switch {
		case r == '\r':
			size = carriage(s)
			r = '\n'
		case r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == escape || r >= 0x80 && r < 0xa0:
			size += sequence(s[size:], r)
			r = none
		case r == joiner && joins(out.String(), s[size:]):
		case !visible(r) || unicode.Is(unicode.Variation_Selector, r) && !variable(last):
			r = none
		}
		if r != none {
			out.WriteRune(r)
			last = r
		}
		s = s[size:]
		plain = harmless(s)
	}
}

// Settled is Text of a text that still grows, as far as nothing that follows can change it: a letter that has not wholly
// come, and the ends of lines before it, wait. Settled(a) is a beginning of Text(a + b).
func Settled(s string) string {
	for back := 1; back < utf8.UTFMax && back <= len(s); back++ {
		if last := s[len(s)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				s = s[:len(s)-back]
			}
			break
		}
	}
	return strings.TrimRight(Text(s), "\n")
}

// Line is Text on one line: newlines and tabs become spaces. It is for names and titles.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s))
}

const (
	escape = 0x1b
	none   = -1 // nothing is written
)

// harmless returns the length of the longest beginning of s that is plain: ASCII and what is certain to stay.
func harmless(s string) int {
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if b < ' ' && b != '\n' && b != '\t' || b == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r < 0xa0 || r == '\u2028' || r == '\u2029' || !visible(r) ||
			unicode.Is(unicode.Variation_Selector, r) {
			return i
		}
		i += size
	}
	return len(s)
}

// decode is utf8.DecodeRuneInString, but a stray byte that an eight-bit terminal takes for a C1 control is one.
func decode(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && s[0] < 0xa0 {
		r = rune(s[0])
	}
	return r, size
}

// visible says whether r is shown or is white space we keep. Of the selectors of a variant only the two that choose
// between text and emoji count: the others can carry a hidden message.
func visible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\ufe0e' || r == '\ufe0f':
		return true
	case r == placeholder:
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return true // Arabic and Syriac signs: format characters that are seen
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// placeholder is the letter that kitty draws a part of a picture in place of: a text could show one that is not its own.
const placeholder = '\U0010eeee'

// variable says whether a selector after r chooses anything. After letters and digits it is not seen, but makes terminals
// and us differ about how wide they are.
func variable(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsSymbol(r) || unicode.IsPunct(r))
}

// carriage is the length of the carriage returns s begins with, and of the newline they belong to.
func carriage(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "\r"))
	if strings.HasPrefix(s[n:], "\n") {
		n++
	}
	return n
}

// sequence returns the length of what belongs to the control just read: ESC or a C1 letter.
func sequence(s string, control rune) int {
	n := 0
	if control == escape {
		n = span(s, 0x20, 0x2f)
		if n == len(s) || s[n] < 0x30 || s[n] > 0x7e {
			return n
		}
		if n > 0 || s[n] < 0x40 || s[n] > 0x5f {
			return n + 1
		}
		control = rune(s[n]) + 0x40 // ESC and a letter is the C1 control of that letter
		n++
	}
	switch control {
	case 0x9b: // CSI: parameters, intermediates, one final
		n += span(s[n:], 0x30, 0x3f)
		n += span(s[n:], 0x20, 0x2f)
		if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e {
			n++
		}
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // DCS, SOS, OSC, PM, APC: a string
		n += stringEnd(s[n:])
	}
	return n
}

// span is how many bytes of s from its start lie between from and to.
func span(s string, from, to byte) int {
	n := 0
	for n < len(s) && s[n] >= from && s[n] <= to {
		n++
	}
	return n
}

// stringEnd is the length of a control string with its terminator: BEL or ST. A line end ends it too and stays.
func stringEnd(s string) int {
	for i := 0; i < len(s); {
		r, size := decode(s[i:])
		switch {
		case r == '\n' || r == '\r':
			return i
		case r == '\a' || r == 0x9c:
			return i + size
		case r == escape:
			if strings.HasPrefix(s[i+1:], `\`) {
				return i + 2
			}
			return i // another sequence begins: this one was broken off
		}
		i += size
	}
	return len(s)
}
