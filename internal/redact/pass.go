package redact

import "bytes"

// secret is what a shape found: text[keep:end] is dropped, and after it whatever is in eat, up to a "--" if fence.
type secret struct {
	keep, end int
	eat       *set // nil: nothing more
	fence     bool
}

// shapePass is a text on its way through the shapes.
type shapePass struct {
	rest   []byte  // what is not decided yet
	before [3]byte // what came ahead of rest, nearest last; zeros at the start
	eat    *set    // the rest of a secret whose placeholder is written; nil: none
	fence  bool
	ahead  cursor // of match; here so that it is made once
}

// feed appends to dst what is decided once text has come. last: no more will.
func (p *shapePass) feed(dst, text []byte, last bool) []byte {
	s, i := text, 0
	if len(p.rest) > 0 {
		p.rest = append(p.rest, text...)
		s = p.rest
	}
	pass := func(to int) {
		dst = append(dst, s[i:to]...)
		p.look(s[max(i, to-3):to])
		i = to
	}
	for {
		if p.eat != nil {
			n, done := p.swallow(s[i:], last)
			i += n
			if !done {
				break
			}
			p.eat, p.before = nil, [3]byte{2: ']'}
		}
		start := next(standard, s, i)
		if start == len(s) {
			if !last {
				start = max(i, len(s)-2)
			}
			pass(start)
			break
		}
		pass(start)
		name, found, more := p.match(s[i:], last)
		if more {
			break
		}
		if name == "" {
			pass(i + 1)
			continue
		}
		dst = append(dst, s[i:i+found.keep]...)
		dst = placeholder(dst, name)
		i += found.end
		p.before, p.eat, p.fence = [3]byte{2: ']'}, found.eat, found.fence
	}
	p.rest = append(p.rest[:0], s[i:]...)
	return dst
}

// look remembers text, three bytes at most, as what comes before.
func (p *shapePass) look(text []byte) {
	for _, b := range text {
		p.before = [3]byte{p.before[1], p.before[2], b}
	}
}

// swallow says how much of s belongs to the secret being eaten, and whether it ends there.
func (p *shapePass) swallow(s []byte, last bool) (n int, done bool) {
	for n < len(s) && p.eat[s[n]] {
		if p.fence && s[n] == '-' {
			if n+1 == len(s) && !last {
				return n, false
			}
			if n+1 < len(s) && s[n+1] == '-' {
				return n, true
			}
		}
		n++
	}
	return n, n < len(s)
}

// match returns the name of the first shape s begins with, "" for none. more: it depends on what follows.
func (p *shapePass) match(s []byte, last bool) (name string, found secret, more bool) {
	for _, h := range standard.at(s) {
		if h.apart != nil && p.follows(h.apart) {
			continue
		}
		n := min(len(h.prefix), len(s))
		begins := string(s[:n]) == h.prefix[:n] || h.fold && bytes.EqualFold(s[:n], []byte(h.prefix[:n]))
		if !begins || n < len(h.prefix) && last {
			continue
		}
		if n < len(h.prefix) {
			return "", secret{}, true
		}
		p.ahead = cursor{text: s, at: n}
		found, ok := h.find(&p.ahead)
		if p.ahead.dry && !last {
			return "", secret{}, true
		}
		if ok {
			return h.name, found, false
		}
	}
	return "", secret{}, false
}

// follows says whether the byte before is in the set and is itself, not the end of an escape like \n or %3D.
func (p *shapePass) follows(of *set) bool {
	far, mid, near := p.before[0], p.before[1], p.before[2]
	return of[near] && mid != '\\' && !(far == '%' && hexadecimal[mid] && hexadecimal[near])
}
