package redact

import "bytes"

// The value of a name is searched for where languages put it: after an operator, as the next argument, between tags, under the key
// "value", after blanks. The surer the place, the less the value itself must look like a secret.

var (
	operators  = chars(":=?.+|<>!~^*/&%-")
	openers    = chars("([{")
	typeText   = chars("A-Za-z0-9_<>&'*[]?.:{};| ")
	chained    = chars("A-Za-z0-9_.()")
	callee     = chars("A-Za-z0-9_.:![]")
	attributes = chars("<>\n").not()
	newline    = chars("\r\n")
	spaces     = chars(" \t\r\n")
	separating = chars(" \t|,;:=*`\"'()>-")
	giving     = chars(":=|")
	bare       = chars(" \t\r\n\"'`,;&|<>)}]\\").not()
	content    = chars(" \t\r\n<]").not()
	lineText   = chars("\r\n").not()
	unbroken   = map[byte]*set{'"': chars("\" \t\r\n\\").not(), '\'': chars("' \t\r\n\\").not(), '`': chars("` \t\r\n\\").not()}
	quotedBy   = map[byte]*set{'"': chars("\"\r\n").not(), '\'': chars("'\r\n").not(), '`': chars("`\r\n").not()}
)

// assigned finds the value given to a name of this kind.
func assigned(k secretKind) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		n, ok := called(c, k)
		if !ok {
			return secret{}, false
		}
		return c.valueOf(n)
	}
}

// valueOf continues from the end of a name. It tries each place where a value can be, the surest first, and goes back
// to the name before the next try.
func (c *cursor) valueOf(n name) (secret, bool) {
	named := c.at
	closed := c.mark()
	if !closed {
		escaped := len(c.run(backslash, 3)) > 0
		if closed = c.one(quotes) != 0; escaped && !closed {
			return secret{}, false
		}
	}
	for c.one(closers) != 0 {
	}
	direct := c.at == named
	gap := c.run(blanks, 32)
	at := c.at
	if n.kind == session && (len(gap) > 0 || c.peek() != '=') {
		return secret{}, false
	}
	tries := elsewhere[:]
	assigns := c.operator()
	if assigns || len(gap) > 0 {
		from := c.at
		if s, ok := c.formatted(n); ok {
			return s, true
		}
		c.at = from
	}
	if assigns {
		if s, ok := c.after(n, n.caps && direct && len(gap) == 0 && c.text[c.at-1] == '='); ok {
			return s, true
		}
		tries = behindOperator[:]
	}
	for _, try := range tries {
		c.at = at
		if s, ok := try(c, n, closed, len(gap)); ok {
			return s, true
		}
	}
	return secret{}, false
}

// Where a value may be if there is no operator, and after an operator that is not followed by one.
var (
	elsewhere = [...]func(*cursor, name, bool, int) (secret, bool){(*cursor).typed, (*cursor).argument, (*cursor).tagged,
		(*cursor).paired, (*cursor).section, (*cursor).spaced}
	behindOperator = [...]func(*cursor, name, bool, int) (secret, bool){(*cursor).typed, (*cursor).tagged, (*cursor).paired}
)

var closers = chars("])}")

// operator moves over an assignment, in any language: it contains = or :, or is an arrow, and does not compare.
func (c *cursor) operator() bool {
	from := c.at
	if c.fixed("%3D") || c.fixed("%3A") {
		return true
	}
	if b := c.peek(); b == 0xE2 || b == 0xEF {
		return c.fixed("→") || c.fixed("➜") || c.fixed("⇒") || c.fixed("：") || c.fixed("＝")
	}
	for c.at-from < 5 && operators[c.peek()] && c.at < len(c.text) {
		c.at++
	}
	op := c.text[from:c.at]
	// What a value may begin with belongs to the value.
	if i := bytes.LastIndexAny(op, "=:"); i >= 0 && !bytes.HasSuffix(op, []byte("=>")) {
		op = op[:i+1]
	}
	c.at = from + len(op)
	switch string(op) {
	case "", "==", "===", "!=", "!==", "<=", ">=", "!", "<", ">", "?", ".", "-", "+", "*", "/", "%", "&", "::", "?.", "?:", "--",
		"++", "//", "://":
		c.at = from
		return false
	case "<-", "->", "||", "??", "=>":
		return true
	}
	if bytes.IndexByte(op, '=') >= 0 || bytes.IndexByte(op, ':') >= 0 {
		return true
	}
	c.at = from
	return false
}

// after is the value after an operator. certain: it is written NAME=value, as in an environment file, where nearly anything is a value.
func (c *cursor) after(n name, certain bool) (secret, bool) {
	how := weak
	if certain {
		how = sure
	}
	if len(c.run(blanks, 32)) > 0 && certain { // NAME= other
		how = weak
	}
	if n.unsure {
		how = weak
	}
	switch c.peek() {
	case '|', '>':
		return c.block(n)
	case '<':
		return c.hereDocument(n)
	case '\\': // continues on the next line
		at := c.at
		if c.at++; !newline[c.peek()] {
			c.at = at
		}
	}
	if len(c.run(newline, 2)) > 0 {
		indent := len(c.run(blanks, 40))
		if c.fixed("- ") { // the first item of a list
			s, ok := c.plain(n, weak, bare)
			s.eat, s.indent, s.dashes = every, indent, true
			return s, ok
		}
		if indent == 0 {
			return secret{}, false
		}
		how = weak
	}
	if c.mark() {
		return c.plain(n, weak, unmarked)
	}
	if b := c.peek(); b == '!' || b == '&' { // YAML: a tag, an anchor
		at := c.at
		c.run(callee, 20)
		c.one(ampersand)
		c.run(word, 20)
		if len(c.run(blanks, 4)) == 0 {
			c.at = at
		}
	}
	inQuotes := max(how, firm)
	if n.unsure {
		inQuotes = weak
	}
	if s, ok, quoted := c.literal(n, inQuotes); quoted {
		return s, ok
	}
	at := c.at
	if len(c.run(callee, 30)) > 0 && c.one(parenthesis) != 0 { // SecretStr("…"), []byte("…")
		s, ok, quoted := c.literal(n, weak)
		if quoted && !ok && c.one(quotes) != 0 && c.one(comma) != 0 { // fetch("NAME", "…")
			c.run(blanks, 4)
			s, ok, _ = c.literal(n, weak)
		}
		if quoted {
			return s, ok
		}
	}
	c.at = at
	if bytes.HasSuffix(c.run(chained, 60), []byte("default(")) { // string().default("…")
		if s, ok, quoted := c.literal(n, weak); quoted {
			return s, ok
		}
	}
	c.at = at
	if c.one(parenthesis) != 0 { // ("name", "value")
		if _, _, quoted := c.literal(n, weak); quoted && quotes[c.peek()] {
			c.at++
			if c.one(comma) != 0 {
				c.run(blanks, 4)
				s, ok, _ := c.literal(n, weak)
				return s, ok
			}
		}
	}
	c.at = at
	of := bare
	if body := quotedBy[n.before]; body != nil { // "NAME=value"
		of = unbroken[n.before]
	}
	return c.plain(n, how, of)
}

var (
	ampersand   = chars("&")
	parenthesis = chars("({")
	literalMark = chars("@bBuUrRfFL$")
	bars        = chars("<![CDAT")
)

// typed is a declaration: a type is between the name and =, or the value follows in braces.
func (c *cursor) typed(n name, closed bool, gap int) (secret, bool) {
	if closed {
		return secret{}, false
	}
	if s, ok := c.call(n); ok {
		return s, true
	}
	if at := c.at; c.one(exclamation) != 0 && c.peek() != ':' { // name!: Type, not name != other
		c.at = at
		return secret{}, false
	}
	if len(c.run(typeText, 44)) == 0 || c.peek() != '=' || !c.operator() {
		return secret{}, false
	}
	c.run(blanks, 4)
	s, ok, _ := c.literal(n, firm)
	return s, ok
}

// call is name("value"), name::new("value") and the like.
func (c *cursor) call(n name) (secret, bool) {
	at := c.at
	if len(c.run(dots, 2)) > 0 {
		c.run(wordUnder, 24)
	}
	if c.one(openers) == 0 {
		c.at = at
		return secret{}, false
	}
	s, ok, _ := c.literal(n, weak)
	if !ok {
		c.at = at
	}
	return s, ok
}

var (
	dots        = chars(":.")
	exclamation = chars("!")
)

// argument is the next argument in a list: ("name", "value").
func (c *cursor) argument(n name, closed bool, gap int) (secret, bool) {
	if c.one(comma) == 0 {
		return secret{}, false
	}
	c.run(blanks, 4)
	if binary := c.fixed("<<"); binary == closed { // {name, <<"value">>}
		return secret{}, false
	}
	s, ok, quoted := c.literal(n, firm)
	if quoted && ok && c.at-s.keep < 10 {
		return secret{}, false
	}
	if !quoted {
		from := c.at
		c.run(identifierText, 20) // ("name", new("value"))
		if c.one(openers) == 0 {
			c.at = from
			return secret{}, false
		}
		s, ok, _ = c.literal(n, weak)
	}
	return s, ok
}

var comma = chars(",;")

// tagged is a value between tags, or in an attribute after the name, as in XML settings.
func (c *cursor) tagged(n name, closed bool, gap int) (secret, bool) {
	if n.before != '<' && n.before != '>' && !closed {
		return secret{}, false
	}
	if c.peek() != '<' { // the rest of a tag
		from := c.at
		c.run(attributes, 80)
		if c.peek() != '>' {
			return secret{}, false
		}
		if i := attribute(c.text[from:c.at]); i >= 0 {
			c.at = from + i
			s, ok, _ := c.literal(n, firm)
			return s, ok
		}
		c.at++
	}
	for range 4 {
		c.run(spaces, 60)
		if c.peek() != '<' {
			break
		}
		c.at++
		if c.peek() == '!' {
			c.run(bars, 8)
			break
		}
		c.run(attributes, 40)
		if c.peek() != '>' {
			return secret{}, false
		}
		c.at++
	}
	s, ok := c.plain(n, weak, content)
	return s, ok
}

// attribute returns the position of the opening quotes of value= or content=, or -1.
func attribute(text []byte) int {
	for _, w := range []string{"value=", "content=", "Value=", "val="} {
		if i := bytes.Index(text, []byte(w)); i >= 0 {
			return i + len(w)
		}
	}
	return -1
}

// paired is a value under a separate key: name: X, value: v. The name is in quotes or ends its line.
func (c *cursor) paired(n name, closed bool, gap int) (secret, bool) {
	if !closed && !(newline[c.peek()] && c.isValue()) {
		return secret{}, false
	}
	if b := c.peek(); b != ',' && b != ';' && b != '{' && !newline[b] {
		return secret{}, false
	}
	from := c.at
	for c.at-from < 160 {
		b := c.peek()
		switch {
		case c.at >= len(c.text) || b == '}' || b == ';' || b == ')' || c.fixed("=="):
			return secret{}, false
		case !letters[b]:
			c.at++
			continue
		}
		w := c.run(letters, 24)
		if !valueWord(w) {
			continue
		}
		c.one(quotes)
		c.run(blanks, 8)
		if !c.operator() {
			continue
		}
		how := weak
		if n.caps {
			how = firm
		}
		c.run(blanks, 8)
		if s, ok, quoted := c.literal(n, firm); quoted {
			return s, ok
		}
		return c.plain(n, how, bare)
	}
	return secret{}, false
}

// isValue reports whether the name is itself a value: key: NAME.
func (c *cursor) isValue() bool {
	ahead := bytes.TrimRight(bytes.TrimSuffix(c.back, c.head()), " \t")
	return len(ahead) > 0 && (ahead[len(ahead)-1] == ':' || ahead[len(ahead)-1] == '=')
}

// valueWord reports whether a key usually contains values.
func valueWord(w []byte) bool {
	switch string(w) {
	case "value", "Value", "default", "val", "data", "content", "stringValue", "VALUE":
		return true
	}
	return false
}

// told judges what follows a sentence such as "the password is": it is the secret, unless it is a word about it, which
// is unlikely after a colon.
func told(text []byte, colon bool, k secretKind) bool {
	t := study(text)
	worded := t.letters // how many of its letters may belong to words
	if !colon {
		worded = t.letters * 3 / 5
	}
	if k == password && t.letters > 0 && (t.digits > 0 || t.upper && t.lower) && t.worded <= worded && secretLooking(text, firm, k) {
		return true
	}
	return len(text) >= 12 && secretLooking(text, weak, k) && (t.scrambled() || t.odd && t.upper && t.lower && t.digits > 0)
}

// spaced is a value after blanks, or some words: --name value, NAME value, "the name is value". It is the least sure
// place, and requires the most random value.
func (c *cursor) spaced(n name, closed bool, gap int) (secret, bool) {
	how := weak
	if gap > 0 {
		if n.caps || n.dashes {
			how = firm
		}
		if s, ok, quoted := c.literal(n, how); quoted {
			if ok {
				return s, ok
			}
			return secret{}, false
		}
		at := c.at
		if s, ok := c.plain(n, weak, bare); ok && !closed {
			return s, ok
		}
		c.at = at
	}
	given, colon := false, false // the text said that the value comes next, and how
	for range 7 {
		between := c.run(separating, 8)
		given = given || giving.count(between) > 0
		at := c.at
		text := c.run(bare, judged)
		if len(text) == 0 {
			return secret{}, false
		}
		if word := bytes.TrimSuffix(text, []byte(":")); len(word) <= 10 && letters.count(word) == len(word) {
			colon = len(word) < len(text)
			given = colon || string(word) == "is" || string(word) == "was" || string(word) == "to"
			continue
		}
		if len(between) == 0 {
			if gap > 0 && !closed && len(text) == 1 && digits[text[0]] { // secret 5 VALUE: routers write the encoding like this
				continue
			}
			return secret{}, false
		}
		s := secret{keep: at, end: c.at, eat: bare}
		if given && told(text, colon, n.kind) {
			return s, true
		}
		hash := hexadecimal.count(text) == len(text) && (len(text) == 40 || len(text) == judged)
		return s, secretLooking(text, loose, n.kind) && (given || !hash)
	}
	return secret{}, false
}
