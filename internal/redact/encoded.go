package redact

import (
	"encoding/base64"
	"strings"
)

// Base64 packs three bytes at a time, so what begins in the same way has three spellings there, by where it begins. Each is
// a prefix of its own, behind which as much as the shape may look at is decoded.

// base64Any are the letters of both alphabets, without padding.
var base64Any = chars("A-Za-z0-9+/_-")

// shortestEncoded is how many letters of base64 there are from where a secret begins, at least.
const shortestEncoded = 24

// longRun says that text has so many letters of base64 in a row. last: no more comes, else those at the end may go on.
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

// encoder enters shapes as they look within base64. Base64 packs three bytes at a time, so what begins in the same
// way has three spellings there, by where it begins. Each is a prefix of its own, behind which as much as the shape
// may look at is decoded. room must never be reallocated, since starts keeps pointers into it.
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

// enter enters one spelling.
func (e *encoder) enter(h shape) {
	e.room = append(e.room, h)
	e.to.add(h.prefix, &e.room[len(e.room)-1], false)
}

// inURLs turns base64 into its form for URLs.
var inURLs = strings.NewReplacer("+", "-", "/", "_")

// within finds h.plain in base64, where c has moved over the spelling of its prefix.
func (h *shape) within(c *cursor) (secret, bool) {
	at := c.at
	for _, most := range [...]int{160, longestEncoded} { // most often the beginning is enough to tell
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

// decode returns what base64 says whose first so many letters are not known. room has twice as many bytes as text, and eight.
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

// decodedBefore is the last byte that the base64 at the end of back has, where that many letters of a group are there already.
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
	// Of two letters the first byte is whole, of three the first two are, of four all.
	got := decode(room[:], back[len(back)-n:], 0)
	if len(got) == 0 {
		return 0, false
	}
	return got[len(got)-1], true
}
