package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

const (
	shortest    = 8 // bytes of the shortest secret that is searched for
	knownSecret = "known-secret"
)

// known finds exact secrets.
type known struct {
	starts *starts[[]byte] // spellings, the longest first
}

// newKnown returns nil if there is nothing to search for. Longer spellings come first, so that a secret which is the
// prefix of another does not leave the rest of that visible.
func newKnown(secrets []string) *known {
	var forms []string
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortest && !inPlaceholder(s) {
			forms = append(forms, spellings(s)...)
		}
	}
	if len(forms) == 0 {
		return nil
	}
	slices.SortFunc(forms, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	k := &known{&starts[[]byte]{}}
	for _, f := range slices.Compact(forms) {
		k.starts.add(f, []byte(f), false)
	}
	k.starts.sort()
	return k
}

// spellings returns s and its spellings in URLs, in JSON and within base64, except those that are too short to search for.
func spellings(s string) []string {
	quoted, _ := json.Marshal(s) // a string can always be encoded
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s), strings.Trim(string(quoted), `"`)}
	// Base64 packs three bytes at a time, so a secret has three spellings, depending on its position. The letters at
	// both ends depend on its neighbours and are omitted.
	for shift := range 3 {
		padded := make([]byte, shift, shift+len(s))
		padded = append(padded, s...)
		from, to := (shift*8+5)/6, len(padded)*8/6
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, e.EncodeToString(padded)[from:to])
		}
	}
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < shortest || inPlaceholder(f) })
}

// inPlaceholder prevents secrets that would be found again in their own replacement.
func inPlaceholder(s string) bool {
	return strings.Contains(placeholders(), s)
}

// placeholders are all placeholders, separated by NUL.
var placeholders = sync.OnceValue(func() string {
	out, last := placeholder(nil, knownSecret), ""
	for _, h := range slices.Concat(vendors(), contexts()) {
		if h.name != last {
			out, last = placeholder(append(out, 0), h.name), h.name
		}
	}
	return string(out)
})

// match returns the length of the longest secret at the beginning of text, 0 for none. more: it depends on what follows.
func (k *known) match(text []byte, last bool) (n int, more bool) {
	for _, f := range k.starts.at(text) {
		if bytes.HasPrefix(text, f) {
			return len(f), false
		}
		if !last && len(text) < len(f) && bytes.HasPrefix(f, text) {
			return 0, true
		}
	}
	return 0, false
}

// knownPass is the state of a text that passes through known.
type knownPass struct {
	known   *known
	rest    []byte // the part that is not decided yet
	covered int    // number of bytes at the start of rest that belong to a secret whose placeholder is written
}

// feed appends to dst what is decided with text added. Overlapping secrets share one placeholder.
func (p *knownPass) feed(dst, text []byte, last bool) []byte {
	s, i := text, 0
	if len(p.rest) > 0 {
		p.rest = append(p.rest, text...)
		s = p.rest
	}
	pass := func(to int) {
		hidden := min(p.covered, to-i)
		p.covered -= hidden
		dst = append(dst, s[i+hidden:to]...)
		i = to
	}
	for {
		start := next(p.known.starts, s, i)
		if start == len(s) {
			if !last {
				start = max(i, len(s)-2)
			}
			pass(start)
			break
		}
		pass(start)
		n, more := p.known.match(s[i:], last)
		if more {
			break
		}
		if n > 0 && p.covered == 0 {
			dst = placeholder(dst, knownSecret)
		}
		p.covered = max(p.covered, n)
		pass(i + 1)
	}
	p.rest = append(p.rest[:0], s[i:]...)
	return dst
}
