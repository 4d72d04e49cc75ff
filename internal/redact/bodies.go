package redact

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
)

// keys makes shapes of one kind that differ only in their prefix.
func keys(name string, after *set, find func(*cursor) (secret, bool), prefixes ...string) []shape {
	out := make([]shape, 0, len(prefixes))
	for _, p := range prefixes {
		out = append(out, shape{name: name, prefix: p, after: after, find: find})
	}
	return out
}

// folded makes shapes that begin with a word in any case, alone or as part of a longer name.
func folded(name string, find func(*cursor) (secret, bool), prefixes ...string) []shape {
	return anyCase(keys(name, nil, find, prefixes...))
}

// marked makes shapes whose prefix begins at the bar in a text, "cu|rl " at rl, and that must be preceded by the part before it. The
// look-up uses three bytes: if the first three begin many words, the prefix starts at rarer ones.
func marked(after *set, find func(*cursor) (secret, bool), texts ...string) (out []shape) {
	for _, text := range texts {
		ahead, prefix, found := strings.Cut(text, "|")
		if !found {
			ahead, prefix = "", text
		}
		out = append(out, shape{name: "assigned-secret", prefix: prefix, find: func(c *cursor) (secret, bool) {
			n := len(c.back) - len(ahead)
			if n < 0 || !bytes.EqualFold(c.back[n:], []byte(ahead)) || after != nil && follows(c.back[:n], after) {
				return secret{}, false
			}
			c.back = c.back[:n]
			return find(c)
		}})
	}
	return out
}

// anyCase makes shapes match in upper and lower case.
func anyCase(shapes []shape) []shape {
	for i := range shapes {
		shapes[i].fold = true
	}
	return shapes
}

// run matches a prefix with at least so many bytes of body, and continues as long as body does.
func run(body *set, least int) func(*cursor) (secret, bool) {
	most := max(judged, least)
	return func(c *cursor) (secret, bool) {
		from := c.at
		n := len(c.run(body, most))
		return secret{end: c.at, eat: body}, n >= least && varied(c.text[from:c.at])
	}
}

// random is run for prefixes that are also words: two digits, or letters that form no words, distinguish a key from prose or a CSS class.
func random(body *set, least int) func(*cursor) (secret, bool) {
	find := run(body, least)
	return func(c *cursor) (secret, bool) {
		from := c.at
		s, ok := find(c)
		text := c.text[from:c.at]
		return s, ok && (digits.count(text) >= 2 || worded(text)*5 < letters.count(text)*3)
	}
}

// exactly matches a prefix with exactly n bytes of body.
func exactly(body *set, n int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		text := c.run(body, n)
		t := study(text[:min(len(text), judged)])
		return secret{end: c.at}, len(text) == n && !body[c.peek()] && (t.digits > 0 || t.worded*2 < t.letters) && !filler(text, &t)
	}
}

// exactlyTwo matches two words of so many letters with an underscore between them.
func exactlyTwo(n, m int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		from := c.at
		if len(c.run(word, n)) < n || c.one(under) == 0 {
			return secret{}, false
		}
		got := len(c.run(word, m))
		return secret{end: c.at}, got == m && !word[c.peek()] && varied(c.text[from:c.at])
	}
}

// after applies find after at least and at most so many bytes of the set. Those stay: text that is already written cannot be changed.
func after(of *set, least, most int, find func(*cursor) (secret, bool)) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		if c.coded {
			return find(c)
		}
		n := 0
		for n < len(c.back) && n <= most && of[c.back[len(c.back)-1-n]] {
			n++
		}
		if n < least || n > most && least != most {
			return secret{}, false
		}
		return find(c)
	}
}

// varied reports whether the body of a token has the variety of one: it is neither filler nor made of words.
func varied(text []byte) bool {
	text = text[:min(len(text), judged)]
	t := study(text)
	return !t.identifier() && t.worded*5 < t.n*4 && !filler(text, &t)
}

// firebase matches a server's key: seven letters, a colon, and the rest.
func firebase(c *cursor) (secret, bool) {
	if len(c.run(wordDash, 7)) < 7 || c.peek() != ':' {
		return secret{}, false
	}
	c.at++
	return run(wordDash, 100)(c)
}

// jwtLike matches base64, a dot, and more.
func jwtLike(c *cursor) (secret, bool) {
	if len(c.run(base64URL, 300)) < 20 || c.one(dot) == 0 {
		return secret{}, false
	}
	return run(base64URL, 16)(c)
}

// putty matches the private part of a PuTTY key file.
func putty(c *cursor) (secret, bool) {
	if len(c.run(digits, 4)) == 0 || len(c.run(newline, 2)) == 0 {
		return secret{}, false
	}
	keep := c.at
	text := c.run(base64Text, judged)
	return secret{keep: keep, end: c.at, eat: puttyText}, len(text) >= 20
}

var puttyText = chars("A-Za-z0-9+/=\r\n")

// armoured reports whether a stretch of base64 is long enough for a key.
func armoured(body []byte) bool {
	long := 0
	for _, b := range body {
		if long++; !base64Text[b] {
			long = 0
		}
		if long == 16 {
			return true
		}
	}
	return false
}

// discordStarts are the possible beginnings of a bot's token: its number in base64, of which these encode two digits.
func discordStarts() (out []string) {
	for n := 10; n < 100; n++ {
		out = append(out, base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(n) + "0"))[:3])
	}
	return out
}

// discord matches a bot's number, a time and a signature, with dots between them.
func discord(c *cursor) (secret, bool) {
	if n := len(c.run(word, 30)); n < 18 || c.one(dot) == 0 {
		return secret{}, false
	}
	if n := len(c.run(wordDash, 8)); n < 6 || n > 7 || c.one(dot) == 0 {
		return secret{}, false
	}
	return run(wordDash, 27)(c)
}

// airtable matches a token's number, a dot and 64 hexadecimal digits.
func airtable(c *cursor) (secret, bool) {
	if len(c.run(word, 14)) < 14 || c.one(dot) == 0 {
		return secret{}, false
	}
	return run(hexadecimal, 64)(c)
}
