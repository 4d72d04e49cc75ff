package redact

import "bytes"

// A format string names what goes into each of its gaps, and the values are among the arguments after it:
// Sprintf("api_key=%s", v), "token: {}".format(v), Exec("SET password = ?", v).

// gap is a place for a value in a format string.
type gap struct {
	family byte // its first byte: % { ?
	number int  // of the argument; 0: not given
}

// longestText bounds how far a format string may continue after a gap.
const longestText = 200

var (
	verbText  = chars("0-9.+#-")
	braced    = chars("A-Za-z0-9_:.<>!?-")
	afterText = chars(" \t\r\n")
	method    = chars("A-Za-z")
)

// formatted is the argument for the gap that is assigned to the name: Sprintf("api_key=%s", v), "token: {}".format(v).
// It reads to the end of the format string and counts the gaps before the name's.
func (c *cursor) formatted(n name) (secret, bool) {
	c.run(blanks, 2)
	c.run(backslash, 3)
	c.one(quotes)
	g, ok := c.gap()
	if !ok {
		return secret{}, false
	}
	ahead, quote := c.opened()
	for from := c.at; ; c.at++ { // to the end of the format string
		c.run(inText, longestText)
		b := c.peek()
		if c.at >= len(c.text) || c.at-from >= longestText || newline[b] {
			return secret{}, false
		}
		if escaped := c.text[c.at-1] == '\\'; quote == b && !escaped || quote == 0 && !escaped {
			break
		}
	}
	c.at++
	if g.number == 0 && quote != 0 {
		g.number = gapsIn(ahead, g.family) + 1
	}
	return c.filled(n, g.number)
}

var inText = chars("\"'`\r\n").not()

// filled is an argument after the format string, by its number; 0: any that may be it.
func (c *cursor) filled(n name, number int) (secret, bool) {
	spaced := len(c.run(afterText, 40)) > 0
	switch b := c.peek(); {
	case b == ',':
		c.at++
		return c.argumentAt(n, number)
	case b == '%':
		c.at++
		c.run(blanks, 4)
		if c.one(openers) != 0 {
			return c.argumentAt(n, number)
		}
		s, ok, _ := c.literal(n, firm)
		return s, ok
	case b == '.':
		c.at++
		if !bytes.HasPrefix(bytes.ToLower(c.run(method, 12)), []byte("format")) || c.one(openers) == 0 {
			return secret{}, false
		}
		return c.argumentAt(n, number)
	case spaced && quotes[b] && bytes.Contains(c.back, []byte("printf ")): // the shell's printf
		for ; number > 1 && quotes[c.peek()]; number-- {
			body := quotedBy[c.peek()]
			c.at++
			c.run(body, longestText)
			c.one(quotes)
			c.run(blanks, 4)
		}
		s, ok, _ := c.literal(n, firm)
		return s, ok
	}
	return secret{}, false
}

// gap moves over a gap: %s, %-5v, %[2]q, %1$s, {}, {0}, {:?}, ?.
func (c *cursor) gap() (g gap, ok bool) {
	g.family = c.peek()
	switch g.family {
	case '?':
		c.at++
		return g, !wordUnder[c.peek()]
	case '{':
		c.at++
		from := c.at
		inner := c.run(braced, 16)
		if c.peek() != '}' {
			return g, false
		}
		c.at++
		if n := digits.prefix(inner); n > 0 {
			g.number = number(c.text[from:from+n]) + 1
		} else if len(inner) > 0 && inner[0] != ':' {
			return g, false // it has a name
		}
		return g, true
	case '%':
		c.at++
		if c.peek() == '[' {
			c.at++
			g.number = number(c.run(digits, 2))
			c.at++
		}
		flags := c.run(verbText, 8)
		if c.peek() == '$' {
			c.at++
			g.number = number(flags)
		}
		return g, letters[c.peek()]
	}
	return g, false
}

// number parses digits.
func number(text []byte) (n int) {
	for _, b := range text {
		if digits[b] && n < 100 {
			n = n*10 + int(b-'0')
		}
	}
	return n
}

// opened is the text between the opening quotes and the cursor, and the quotes; 0: they are too far back.
func (c *cursor) opened() (ahead []byte, quote byte) {
	line := c.back[bytes.LastIndexByte(c.back, '\n')+1:]
	for _, q := range []byte("\"`'") {
		if i := bytes.LastIndexByte(line, q); i >= 0 && (i == 0 || line[i-1] != '\\') {
			return line[i+1:], q
		}
	}
	return nil, 0
}

// gapsIn counts the gaps of a family.
func gapsIn(text []byte, family byte) (n int) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != family:
		case family == '%' && i+1 < len(text) && text[i+1] == '%':
			i++
		default:
			n++
		}
	}
	return n
}

// section is a value in a section with the name: [name], and value = v in a later line.
func (c *cursor) section(n name, closed bool, gap int) (secret, bool) {
	if n.before != '[' || c.text[c.at-gap-1] != ']' || !newline[c.peek()] {
		return secret{}, false
	}
	for from := c.at; c.at-from < longestText; {
		c.run(spaces, 20)
		if b := c.peek(); b == '#' || b == ';' {
			c.run(lineText, longestText)
			continue
		}
		key := c.run(identifierText, 24)
		c.run(blanks, 8)
		if len(key) == 0 || !c.operator() {
			return secret{}, false
		}
		c.run(blanks, 8)
		if valueWord(key) || string(key) == "key" {
			if s, ok, quoted := c.literal(n, firm); quoted {
				return s, ok
			}
			return c.plain(n, weak, bare)
		}
		c.run(lineText, longestText)
	}
	return secret{}, false
}
