package redact

// set is a set of bytes.
type set [256]bool

// chars makes a set of ranges ("a-z") and single bytes; a dash at the end is literal.
func chars(spec string) *set {
	var s set
	for i := 0; i < len(spec); i++ {
		from, to := spec[i], spec[i]
		if i+2 < len(spec) && spec[i+1] == '-' {
			to = spec[i+2]
			i += 2
		}
		for b := int(from); b <= int(to); b++ {
			s[b] = true
		}
	}
	return &s
}

// not returns the set of all other bytes.
func (s *set) not() *set {
	var out set
	for b := range s {
		out[b] = !s[b]
	}
	return &out
}

// count returns how many bytes of text are in the set.
func (s *set) count(text []byte) int {
	n := 0
	for _, b := range text {
		if s[b] {
			n++
		}
	}
	return n
}

// prefix is the length of the prefix of text that is in the set.
func (s *set) prefix(text []byte) (n int) {
	for n < len(text) && s[text[n]] {
		n++
	}
	return n
}

// cursor reads ahead and records whether it needed more than there was. A shape that did not run dry finds the same
// however the text continues: this makes a stream come out like the whole. So every byte must be read through its
// methods.
type cursor struct {
	text  []byte
	at    int
	dry   bool
	back  []byte // what precedes text and belongs to no secret: up to 64 bytes
	coded bool   // text was decoded, and what precedes it was not
}

// peek returns the byte at the cursor, 0 at the end.
func (c *cursor) peek() byte {
	if c.at >= len(c.text) {
		c.dry = true
		return 0
	}
	return c.text[c.at]
}

// run moves over at most so many bytes of the set and returns them.
func (c *cursor) run(of *set, most int) []byte {
	from, end := c.at, min(len(c.text), c.at+most)
	i := from
	for i < end && of[c.text[i]] {
		i++
	}
	if c.at = i; i == len(c.text) && i-from < most {
		c.dry = true
	}
	return c.text[from:c.at]
}

// one moves over a byte of the set and returns it, or stays and returns 0.
func (c *cursor) one(of *set) byte {
	b := c.peek()
	if c.at < len(c.text) && of[b] {
		c.at++
		return b
	}
	return 0
}

// fixed moves over text if it comes next.
func (c *cursor) fixed(text string) bool {
	n := min(len(text), len(c.text)-c.at)
	if string(c.text[c.at:c.at+n]) != text[:n] {
		return false
	}
	if n < len(text) {
		c.dry = true
		return false
	}
	c.at += n
	return true
}
