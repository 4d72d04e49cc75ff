package redact

import (
	"encoding/base64"
	"strings"
)

// Base64 packs three bytes at a time, so the same beginning has three spellings, depending on its position. Each is a separate prefix,
// after which as much as the shape may read is decoded.

// base64Any are the letters of both alphabets, without padding.
var base64Any = chars("A-Za-z0-9+/_-")

// shortestEncoded is the least number of base64 letters from the beginning of a secret.
const shortestEncoded = 24

// longRun reports whether text has that many base64 letters in a row. last: no more text follows, otherwise those at the end may continue.
func longRun[S string | []byte](text S, last bool) bool {
	n := len(text)
	if !last && n > 0 && base64Any[text[n-1]] {
		return true
	}
	for i := shortestEncoded - 1; i < n; i += shortestEncoded {
		if !base64Any[text[i]] {
			continue
		}
		from, to := i, i+1
		for from > 0 && base64Any[text[from-1]] && i-from < shortestEncoded {
			from--
		}
		for to < n && base64Any[text[to]] && to-from < shortestEncoded {
			to++
		}
		if to-from >= shortestEncoded {
			return true
		}
	}
	return false
}

// longestEncoded bounds how much of a run of base64 is decoded at one place.
const longestEncoded = 1400

// encoder adds the spellings of shapes within base64; see above. room must never be reallocated, since starts keeps pointers into it.
type encoder struct {
	to   *starts[*shape]
	room []shape
}

func (e *encoder) add(h *shape) {
	var padded, coded [64]byte
	for shift := range 3 {
		n := shift + copy(padded[shift:], h.prefix)
		from, to := (shift*8+5)/6, n*8/6
		base64.RawStdEncoding.Encode(coded[:], padded[:n])
		prefix := string(coded[from:to])
		e.enter(shape{name: h.name, prefix: prefix, plain: h, shift: shift, letter: from})
		if strings.ContainsAny(prefix, "+/") {
			e.enter(shape{name: h.name, prefix: inURLs.Replace(prefix), plain: h, shift: shift, letter: from})
		}
	}
}

// enter adds one spelling.
func (e *encoder) enter(h shape) {
	e.room = append(e.room, h)
	e.to.add(h.prefix, &e.room[len(e.room)-1], false)
}

// inURLs converts base64 to its form for URLs.
var inURLs = strings.NewReplacer("+", "-", "/", "_")

// within finds h.plain in base64, after c has moved over the spelling of its prefix.
func (h *shape) within(c *cursor) (secret, bool) {
	at := c.at
	for _, most := range [...]int{160, longestEncoded} { // usually the beginning is enough to decide
		c.at = at
		run := len(c.run(base64Any, most))
		if c.at < shortestEncoded {
			return secret{}, false
		}
		var small [400]byte
		room := small[:]
		if 2*c.at+8 > len(room) {
			room = make([]byte, 2*c.at+8)
		}
		text := decode(room, c.text[:c.at], h.letter)
		if len(text) < h.shift+len(h.plain.prefix) {
			return secret{}, false
		}
		text = text[h.shift:]
		text[0] = h.plain.prefix[0] // part of it is in the letter before
		if string(text[:len(h.plain.prefix)]) != h.plain.prefix {
			return secret{}, false
		}
		if b, ok := decodedBefore(c.back, h.letter); ok && h.plain.after != nil && h.plain.after[b] {
			return secret{}, false
		}
		inner := cursor{text: text, at: len(h.plain.prefix), coded: true}
		_, ok := h.plain.find(&inner)
		if ok || !inner.dry || run < most {
			return secret{end: c.at, eat: base64Text}, ok
		}
	}
	return secret{}, false
}

// decode returns the content of base64 whose first so many letters are not known. room must have twice as many bytes as text, plus eight.
func decode(room, text []byte, unknown int) []byte {
	coded := append(append(room[:0], "AAA"[:unknown]...), text...)
	for i, b := range coded {
		switch b {
		case '-':
			coded[i] = '+'
		case '_':
			coded[i] = '/'
		}
	}
	plain, whole := room[len(coded):], len(coded)&^3
	n, _ := base64.RawStdEncoding.Decode(plain, coded[:whole])
	m, _ := base64.RawStdEncoding.Decode(plain[n:], coded[whole:])
	return plain[:n+m]
}

// decodedBefore is the last complete byte in the base64 at the end of back, which ends with so many letters of a group.
func decodedBefore(back []byte, letters int) (b byte, ok bool) {
	n := letters
	if n == 0 {
		n = 4
	}
	for i := 1; i <= n; i++ {
		if i > len(back) || !base64Any[back[len(back)-i]] {
			return 0, false
		}
	}
	var room [16]byte
	// Two letters contain the first byte, three the first two, four all.
	got := decode(room[:], back[len(back)-n:], 0)
	if len(got) == 0 {
		return 0, false
	}
	return got[len(got)-1], true
}
