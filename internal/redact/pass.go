package redact

import (
	"bytes"
	"slices"
)

// secret is what a shape found: text[keep:end] is dropped, and after it everything in eat. keep is negative if it began before text.
type secret struct {
	keep, end int
	eat       *set   // nil: nothing more
	fence     string // ends it, before eat
	quote     byte   // it is in these quotes, and may continue in the next ones
	list      bool   // after the quotes and a comma, what follows in quotes is also secret
	triple    bool   // there are three quotes at each end
	dashes    bool   // each line begins with a dash after indent, as in a list
	indent    int    // it continues as long as lines are indented this far; 0: lines do not matter
}

// lookBack is how many bytes before a place its shape may read.
const lookBack = 64

// shapePass is the state of a text that passes through the shapes.
type shapePass struct {
	rest []byte // the part that is not decided yet, after seen bytes that are
	seen int
	base int     // position of rest in the text
	owed []later // secrets that were found from the text before them, the nearest first
	eat  secret  // the rest of a secret whose placeholder is written
	on   bool    // eat is in progress
	redo cursor  // for match; here so that it is allocated once
}

// later is a secret that begins further on in the text. The text before it is still checked.
type later struct {
	at int // position in the text
	secret
	name string
}

// feed appends to dst what is decided with text added. last: no more follows. Afterwards rest begins with at most
// lookBack bytes that are already written and are kept because a shape may read them.
func (p *shapePass) feed(dst, text []byte, last bool) []byte {
	s, i := text, 0
	if len(p.rest) > 0 {
		p.rest = append(p.rest, text...)
		s, i = p.rest, p.seen
	}
	begins := startsIn(s[i:], last)
	bar, kept := 0, i // bytes before bar are not checked; those from kept to i are still to be appended
	for {
		if p.on {
			n, done := p.swallow(s[i:], last)
			i += n
			bar, kept = i, i
			if !done {
				break
			}
			p.on = false
			p.passed(p.base + i)
			continue
		}
		if len(p.owed) > 0 && p.owed[0].at == p.base+i {
			dst = placeholder(append(dst, s[kept:i]...), p.owed[0].name)
			i += p.owed[0].end - p.owed[0].keep
			bar, kept = i, i
			p.eat, p.on = p.owed[0].secret, p.owed[0].eat != nil
			p.owed = p.owed[1:]
			p.passed(p.base + i)
			continue
		}
		start := next(begins, s, i)
		if start == len(s) && !last {
			start = max(i, len(s)-2)
		}
		due := len(p.owed) > 0 && p.owed[0].at <= p.base+start
		if due {
			start = p.owed[0].at - p.base
		}
		i = start
		if due {
			continue
		}
		if len(s)-i < 3 {
			break
		}
		name, found, more := p.match(begins, s[max(bar, i-lookBack):i], s[i:], last)
		if more {
			break
		}
		if name != "" && found.keep < 0 { // it includes bytes before this place
			dst = placeholder(append(dst, s[kept:i+found.keep]...), name)
			i += found.end
			bar, kept = i, i
			p.passed(p.base + i)
			continue
		}
		if name != "" && found.keep == 0 {
			p.owe(later{p.base + i, found, name})
			continue
		}
		if name != "" {
			p.owe(later{p.base + i + found.keep, found, name})
		}
		i++
	}
	for from := i; !last && i > kept && from-i <= hexKey && hexadecimal[s[i-1]]; { // it may belong to what follows
		i--
	}
	dst = append(dst, s[kept:i]...)
	from := max(bar, i-lookBack)
	p.base += from
	p.rest, p.seen = append(p.rest[:0], s[from:]...), i-from
	return dst
}

// owe records a secret further on, unless there is one already at that place.
func (p *shapePass) owe(l later) {
	for i := range p.owed {
		if p.owed[i].at == l.at {
			return
		}
		if p.owed[i].at > l.at {
			p.owed = slices.Insert(p.owed, i, l)
			return
		}
	}
	p.owed = append(p.owed, l)
}

// passed drops the secrets whose beginning was part of another secret. What is left of the last one is dropped from the text, too.
func (p *shapePass) passed(at int) {
	for len(p.owed) > 0 && p.owed[0].at < at {
		if !p.on && p.owed[0].eat != nil {
			p.eat, p.on = p.owed[0].secret, true
		}
		p.owed = p.owed[1:]
	}
}

// swallow returns how much of s belongs to the secret being eaten, and whether it ends there.
func (p *shapePass) swallow(s []byte, last bool) (n int, done bool) {
	e := &p.eat
	for n < len(s) {
		b := s[n]
		if e.fence != "" && b == e.fence[0] {
			if ahead := s[n:min(len(s), n+len(e.fence))]; string(ahead) == e.fence[:len(ahead)] && (len(ahead) == len(e.fence) || !last) {
				return n, len(ahead) == len(e.fence)
			}
		}
		c := cursor{text: s, at: n + 1}
		switch {
		case e.quote != 0 && b == e.quote:
			goesOn := !e.triple && c.joins(b, e.list)
			if c.dry && !last {
				return n, false
			}
			if !goesOn {
				return n, true
			}
			n = c.at
			continue
		case e.quote != 0 && b == '\\':
			if c.one(quotes); c.dry && !last {
				return n, false
			}
			n = c.at
			continue
		case !e.eat[b]:
			return n, true
		case (e.indent > 0 || e.dashes) && b == '\n':
			deep := len(c.run(blanks, e.indent)) == e.indent && (!e.dashes || c.fixed("- ")) || newline[c.peek()] && !e.dashes
			if c.dry && !last {
				return n, false
			}
			if !deep {
				return n, true
			}
		}
		n++
	}
	return n, last
}

var joints = chars("+.&\\")

// joins reports whether, after the quotes that just closed, the same value continues in others, and moves into them.
func (c *cursor) joins(quote byte, list bool) bool {
	c.run(blanks, 8)
	operator := c.one(joints) != 0 || list && c.one(comma) != 0
	c.run(blanks, 8)
	broken := len(c.run(newline, 2)) > 0
	if broken && len(c.run(blanks, 40)) == 0 && !operator {
		return false
	}
	if !operator && c.one(joints) != 0 {
		operator = true
		c.run(blanks, 8)
	}
	if !operator && !broken || c.peek() != quote {
		return false
	}
	c.at++
	if operator {
		return true
	}
	at := c.at
	c.run(quotedBy[quote], 200)
	if c.peek() != quote {
		return false
	}
	c.at++
	c.run(blanks, 4)
	b := c.peek()
	c.at = at
	return b != ':' && b != '=' && b != '-'
}

// match returns the name of the first shape that s begins with, "" for none. more: it depends on what follows, and feed has to wait.
func (p *shapePass) match(begins *starts[*shape], back, s []byte, last bool) (name string, found secret, more bool) {
	for _, h := range begins.at(s) {
		if (s[0]^h.prefix[0])&^32 != 0 || (s[1]^h.prefix[1])&^32 != 0 {
			continue // a different prefix in the same bucket
		}
		n := min(len(h.prefix), len(s))
		begins := string(s[:n]) == h.prefix[:n] || h.fold && bytes.EqualFold(s[:n], []byte(h.prefix[:n]))
		if !begins || n < len(h.prefix) && last || h.after != nil && follows(back, h.after) {
			continue
		}
		if n < len(h.prefix) {
			return "", secret{}, true
		}
		p.redo = cursor{text: s, at: n, back: back}
		var found secret
		var ok bool
		if h.plain == nil {
			found, ok = h.find(&p.redo)
		} else {
			found, ok = h.within(&p.redo)
		}
		if p.redo.dry && !last {
			return "", secret{}, true
		}
		if ok {
			return h.name, found, false
		}
	}
	return "", secret{}, false
}

// follows reports whether the byte before is in the set and is literal, not the end of an escape like \n or %3D.
func follows(back []byte, of *set) bool {
	n := len(back)
	if n == 0 || !of[back[n-1]] {
		return false
	}
	return !(n > 1 && back[n-2] == '\\' || n > 2 && back[n-3] == '%' && hexadecimal[back[n-2]] && hexadecimal[back[n-1]])
}
