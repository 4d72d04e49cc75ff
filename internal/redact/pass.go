package redact

import (
	"bytes"
	"slices"
)

// secret is what a shape found: text[keep:end] is dropped, and after it whatever is in eat. keep is below 0 if it began ahead of text.
type secret struct {
	keep, end int
	eat       *set   // nil: nothing more
	fence     string // ends it, ahead of eat
	quote     byte   // it stands in these quotes, and may go on in the next ones
	list      bool   // what follows the quotes and a comma, in quotes, is as secret
	triple    bool   // there are three quotes at each end
	dashes    bool   // each line begins with one behind indent, as those of a list do
	indent    int    // it goes on as long as lines are indented so far; 0: lines do not matter
}

// lookBack is how much of what precedes a place its shape may look at.
const lookBack = 64

// shapePass is a text on its way through the shapes.
type shapePass struct {
	rest []byte // what is not decided yet, after seen bytes that are
	seen int
	base int     // where in the text rest begins
	owed []later // secrets that were found from what stands ahead of them, the nearest first
	eat  secret  // the rest of a secret whose placeholder is written
	on   bool    // eat is going on
	redo cursor  // of match; here so that it is made once
}

// later is a secret that begins further on in the text. What is between is still looked at.
type later struct {
	at int // in the text
	secret
	name string
}

// feed appends to dst what is decided once text has come. last: no more will. After it, rest begins with at most
// lookBack bytes that are written already and are kept because a shape may look back at them.
func (p *shapePass) feed(dst, text []byte, last bool) []byte {
	s, i := text, 0
	if len(p.rest) > 0 {
		p.rest = append(p.rest, text...)
		s, i = p.rest, p.seen
	}
	begins := startsIn(s[i:], last)
	bar, kept := 0, i // what precedes bar is not looked at; what follows kept, up to i, is still to be appended
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
		if name != "" && found.keep < 0 { // what is there already belongs to it
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
	for from := i; !last && i > kept && from-i <= hexKey && hexadecimal[s[i-1]]; { // it may belong to what comes
		i--
	}
	dst = append(dst, s[kept:i]...)
	from := max(bar, i-lookBack)
	p.base += from
	p.rest, p.seen = append(p.rest[:0], s[from:]...), i-from
	return dst
}

// owe remembers a secret that is further on, unless one is there already.
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

// passed drops the secrets whose beginning was part of another. What is left of the last of them goes with it.
func (p *shapePass) passed(at int) {
	for len(p.owed) > 0 && p.owed[0].at < at {
		if !p.on && p.owed[0].eat != nil {
			p.eat, p.on = p.owed[0].secret, true
		}
		p.owed = p.owed[1:]
	}
}

// swallow says how much of s belongs to the secret being eaten, and whether it ends there.
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

// joins says that behind the quotes just closed the same value goes on in others, and moves into them.
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

// match returns the name of the first shape s begins with, "" for none. more: it depends on what follows, and feed
// has to wait.
func (p *shapePass) match(begins *starts[*shape], back, s []byte, last bool) (name string, found secret, more bool) {
	for _, h := range begins.at(s) {
		if (s[0]^h.prefix[0])&^32 != 0 || (s[1]^h.prefix[1])&^32 != 0 {
			continue // others share the bucket
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

// follows says whether the byte before is in the set and is itself, not the end of an escape like \n or %3D.
func follows(back []byte, of *set) bool {
	n := len(back)
	if n == 0 || !of[back[n-1]] {
		return false
	}
	return !(n > 1 && back[n-2] == '\\' || n > 2 && back[n-3] == '%' && hexadecimal[back[n-2]] && hexadecimal[back[n-1]])
}
