package redact

import "bytes"

// An annotation gives a value to the declaration after it: @Value("v") String apiKey, [DefaultValue("v")] string ApiKey.

// annotations are annotations that give values.
func annotations() []shape {
	return marked(nil, annotated, "@Value(", "@DefaultValue(", "@Default(", "@ConfigProperty(", "@ConfigValue(", "@Property(", "@Named(",
		"@Param(", "@Parameter(", "@Option(", "@Setting(", "@Env(", "@Inject(", "[DefaultValue(", "[Default(", "[Value(", "[Option(")
}

const (
	longestNotes  = 300 // bytes of annotations before a declaration
	mostArguments = 4   // of an annotation
)

var (
	noteText  = chars("A-Za-z0-9_.:={}, \t\r\n")
	noteRest  = chars("()\r\n").not()
	typeWord  = chars("A-Za-z0-9_$.")
	typeMarks = chars("?*&[]!")
	generics  = chars("A-Za-z0-9_.,?< ")
	angles    = chars(">")
	declared  = chars(";=,):{(\r\n")
)

// annotated is the first argument that is a secret, if the declaration has the name of one.
func annotated(c *cursor) (secret, bool) {
	from := c.at
	var values []int
	for c.run(noteText, 60); quotes[c.peek()]; c.run(noteText, 60) {
		if len(values) == mostArguments || c.at-from > longestNotes {
			return secret{}, false
		}
		values = append(values, c.at)
		body := unbroken[c.peek()]
		c.at++
		c.run(body, longestText)
		if c.one(quotes) == 0 {
			return secret{}, false
		}
	}
	if len(values) == 0 || c.peek() != ')' {
		return secret{}, false
	}
	c.at++
	c.run(closers, 1)
	n, ok := c.declares()
	if !ok {
		return secret{}, false
	}
	for _, at := range values {
		c.at = at
		if s, ok, _ := c.literal(n, firm); ok {
			return s, true
		}
	}
	return secret{}, false
}

// declares reads a declaration, whose last word is the name, and reports whether it is that of a secret. It knows no
// language: words, generics and marks in any order, up to what ends a declaration.
func (c *cursor) declares() (name, bool) {
	from := c.at
	for c.run(spaces, 40); c.peek() == '@'; c.run(spaces, 40) { // further annotations
		if c.at-from > longestNotes {
			return name{}, false
		}
		c.at++
		c.run(typeWord, 40)
		if c.peek() == '(' {
			c.at++
			c.run(noteRest, 80)
			c.one(closers)
		}
	}
	var last []byte
	for range 8 {
		w := c.run(typeWord, 40)
		if len(w) == 0 {
			break
		}
		last = w
		if c.peek() == '<' {
			c.run(generics, 60)
			c.run(angles, 4)
		}
		c.run(typeMarks, 4)
		c.run(blanks, 8)
	}
	if len(last) == 0 || !declared[c.peek()] && c.at < len(c.text) {
		return name{}, false
	}
	return nameOf(last)
}

// nameOf returns the kind of secret that an identifier names, and false if it names none.
func nameOf(word []byte) (name, bool) {
	var room [judged]byte
	low := lower(room[:0], word)
	for k := ordinary; k < session; k++ {
		for _, w := range nameKinds[k] {
			i := bytes.LastIndex(low, []byte(w))
			if i < 0 {
				continue
			}
			if n, ok := called(&cursor{text: word[i:], at: len(w), back: word[:i]}, k); ok {
				return n, true
			}
		}
	}
	return name{}, false
}
