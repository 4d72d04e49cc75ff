package redact

import "bytes"

// The forms of a value: in quotes, bare, in a block of lines.

// literal is a value in quotes, if quotes open here.
func (c *cursor) literal(n name, how sureness) (s secret, ok, is bool) {
	at := c.at
	c.one(literalMark)
	s.list = c.one(openBracket) != 0
	escapes := c.run(backslash, 3)
	quote := c.one(quotes)
	if quote == 0 {
		c.at = at
		return secret{}, false, false
	}
	s.fence = string(escapes)
	if len(escapes) > 0 {
		s.fence += string(quote)
	}
	if len(escapes) == 0 && c.peek() == quote {
		c.at++
		if c.peek() != quote {
			return secret{}, false, true // an empty string
		}
		c.at++
		s.triple = true
		c.run(newline, 2)
	}
	if c.peek() == '\\' && len(escapes) == 0 { // the value is on the next line
		from := c.at
		c.at++
		if len(c.run(newline, 2)) > 0 {
			c.run(blanks, 32)
		} else {
			c.at = from
		}
	}
	s.keep = c.at
	s.eat = quotedBy[quote]
	text := c.run(s.eat, judged)
	if s.triple {
		s.eat = over[quote]
	}
	if s.end = s.keep; s.fence != "" {
		text = bytes.TrimRight(text, `\`)
	} else {
		s.quote = quote
	}
	if len(text) == 0 || quote == '`' && blanks.count(text) > 0 { // empty, or a command
		return secret{}, false, true
	}
	if i := bytes.IndexByte(text, '='); i > 0 && n.kind != password && says(append([]byte("-"), text[:i]...)) {
		return secret{}, false, true // it names another secret, which is handled by itself
	}
	return s, secretLooking(text, how, n.kind), true
}

var openBracket = chars("[")

// plain is a value without quotes.
func (c *cursor) plain(n name, how sureness, of *set) (secret, bool) {
	s := secret{keep: c.at, eat: of}
	text := c.run(of, judged)
	s.end = c.at
	if c.peek() == '(' || len(text) == 0 {
		return secret{}, false
	}
	return s, secretLooking(text, how, n.kind)
}

// hereDocument is <<WORD, with the value in the lines after it.
func (c *cursor) hereDocument(n name) (secret, bool) {
	if !c.fixed("<<") {
		return secret{}, false
	}
	c.run(heredocMark, 3)
	c.run(wordUnder, 20)
	c.one(quotes)
	if len(c.run(newline, 2)) == 0 {
		return secret{}, false
	}
	c.run(blanks, 40)
	return c.plain(n, weak, bare)
}

// marks are spellings of quotes in HTML, URLs and nested JSON.
var marks = [...]string{"&quot;", "&#34;", "&#39;", "&apos;", `\u0022`, `\u0027`, "%22", "%27"}

// mark moves over one of marks.
func (c *cursor) mark() bool {
	if b := c.peek(); b != '&' && b != '\\' && b != '%' {
		return false
	}
	for _, m := range marks {
		if c.fixed(m) {
			return true
		}
	}
	return false
}

// block is a YAML block scalar.
func (c *cursor) block(n name) (secret, bool) {
	c.at++
	c.run(blockMark, 3)
	if len(c.run(newline, 2)) == 0 {
		return secret{}, false
	}
	indent := len(c.run(blanks, 40))
	if indent == 0 {
		return secret{}, false
	}
	s, ok := c.plain(n, weak, lineText)
	s.eat, s.indent = every, indent
	return s, ok
}

var (
	heredocMark = chars("-~\"'")
	unmarked    = chars(" \t\r\n\"'`,;&|<>)}]\\%").not()
	over        = map[byte]*set{'"': chars("\"").not(), '\'': chars("'").not(), '`': chars("`").not()}
	blockMark   = chars("0-9+-")
	every       = (&set{}).not()
)
