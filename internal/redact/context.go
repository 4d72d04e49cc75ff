package redact

import (
	"bytes"
	"strings"
)

// The shapes in this file are recognized by the text around a secret.

var (
	quotes     = chars(`"'` + "`")
	blanks     = chars(" \t")
	backslash  = chars(`\`)
	base64Text = chars("A-Za-z0-9+/=")
	base64URL  = chars("A-Za-z0-9_-")
	dot        = chars(".")
	armour     = chars("A-Za-z0-9+/=_\\:,.()[]>*#;|%! \t\r\n-") // also what comments, quotations and logs put before each line
	titleText  = chars("A-Z0-9 ")
	user       = chars(" \t\r\n\"'`<>@:/?#[]\\{}()|,;").not()
	pass       = chars(" \t\r\n\"'`<>/?#[]\\").not()
	passAny    = chars(" \t\r\n\"'`<>\\").not()
	armourSaid = chars("A-Za-z0-9+/=_\\:,.()[]>*#;|%! \t\r\n\"'-")
	capitals   = chars("A-Z")
	small      = chars("a-z")
)

// Bounds on how far a shape reads; a longer text is not matched.
const (
	longestHeader = 2048 // bytes of a JWT's first part
	longestUser   = 256  // bytes of a URL's user, and of its password
)

// jwt matches three parts of base64 with dots between them (RFC 7519); "eyJ" is how a JSON object begins in base64. It
// must not follow characters of a header: otherwise a text with many beginnings would be read to the end from each of
// them.
func jwt(c *cursor) (secret, bool) {
	header := len(c.run(base64URL, longestHeader))
	if header < 13 || c.one(dot) == 0 {
		return secret{}, false
	}
	payload := len(c.run(base64URL, 8))
	return secret{end: c.at, eat: wordDot}, payload == 8
}

// privateKey matches an armoured block. Its end line may be missing and is left in place; a marker without a key after it is prose.
func privateKey(c *cursor) (secret, bool) {
	title := string(c.run(titleText, 40))
	for range 5 {
		if c.one(wordDash) != '-' {
			return secret{}, false
		}
	}
	if !strings.HasSuffix(title, "PRIVATE KEY") && !strings.HasSuffix(title, "PRIVATE KEY BLOCK") {
		return secret{}, false
	}
	from, of := c.at, armour
	c.run(escaped, 4)
	if c.one(quotes) != 0 { // each line is a separate string
		of = armourSaid
	}
	c.at = from
	body := c.run(of, 160)
	found := secret{end: from, eat: of, fence: "---"}
	return found, armoured(body)
}

// userinfo matches user:password@ after a URL's scheme, or a token@ (RFC 3986, 3.2.1). The user name stays, because it is often needed.
func userinfo(c *cursor) (secret, bool) {
	keep := c.at
	name := c.run(user, longestUser)
	switch c.peek() {
	case '@':
		t := study(name[:min(len(name), judged)])
		return secret{keep: keep, end: c.at}, len(name) >= 20 && t.random() && !filler(name, &t)
	case ':':
	default:
		return secret{}, false
	}
	c.at++
	colon := c.at
	from := c.at
	text := c.run(pass, longestUser)
	if bytes.IndexByte(text, '@') < 0 && digits.count(text) < len(text) { // a carelessly written one contains a slash
		c.at = from
		more := c.run(passAny, longestUser)
		t := study(more[:max(0, min(bytes.IndexByte(more, '@'), judged))])
		if t.random() {
			text = more
		}
	}
	at := bytes.LastIndexByte(text, '@') // a carelessly written password contains an @
	if at <= 0 {
		return secret{}, false
	}
	return secret{keep: keep, end: colon + at}, !stand(text[:at])
}

// stand reports whether a password in a URL is only a placeholder.
func stand(text []byte) bool {
	switch strings.ToLower(string(text)) {
	case "password", "passwd", "pass", "pwd", "secret", "token":
		return true
	}
	t := study(text[:min(len(text), judged)])
	return reference(text) || t.n >= shortest && filler(text[:min(len(text), judged)], &t)
}

// bearer matches a token after the word; a token has a digit, or capitals inside.
func bearer(c *cursor) (secret, bool) {
	c.run(blanks, 4)
	keep := c.at
	text, of := credential(c)
	t := study(text)
	return secret{keep: keep, end: c.at, eat: of}, (len(text) >= 16 || of != token68 || t.scrambled()) && mixed(text) && varied(text)
}

var (
	strange   = chars("!#%*?@^")
	tokenText = chars("A-Za-z0-9._~+/=!#%*?@^-")
)

// credential is what follows a scheme: a token, or a password with other symbols, too.
func credential(c *cursor) (text []byte, of *set) {
	at := c.at
	text = c.run(token68, judged)
	end := c.at
	if len(text) == judged || !strange[c.peek()] {
		return text, token68
	}
	c.at = at
	if more := c.run(tokenText, judged); secretLooking(more, weak, ordinary) {
		return more, tokenText
	}
	c.at = end
	return text, token68
}

// authorization matches that header, with or without a scheme, also as JSON, an argument, an assignment or a server's setting.
func authorization(c *cursor) (secret, bool) {
	if bytes.HasSuffix(c.back, []byte("[redacted:")) {
		return secret{}, false
	}
	c.run(closing, 4)
	c.run(blanks, 4)
	if c.one(separators) == 0 && c.peek() != '"' && c.peek() != '\'' { // in server settings: set_header Authorization "Basic …"
		return secret{}, false
	}
	c.run(opening, 8)
	keep := c.at
	if scheme := c.run(wordDash, 24); len(scheme) > 0 && len(c.run(blanks, 4)) > 0 {
		keep = c.at
	} else {
		c.at = keep
	}
	text, of := credential(c)
	return secret{keep: keep, end: c.at, eat: of}, len(text) >= 8 && mixed(text) && varied(text)
}

var (
	separators = chars("=:,")
	closing    = chars("\\\"'`]")
	opening    = chars(" \t\\\"'`=>")
	escaped    = chars("\\n ")
)

// cookies matches the values that a browser gets or sends; the first one that looks random hides the rest.
func cookies(c *cursor) (secret, bool) {
	c.run(closing, 2)
	c.run(separators, 1)
	c.run(opening, 4)
	for range 8 {
		if len(c.run(wordDot, 64)) == 0 || c.peek() != '=' {
			return secret{}, false
		}
		c.at++
		keep := c.at
		text := c.run(bare, judged)
		if len(text) > 0 && secretLooking(text, weak, ordinary) {
			return secret{keep: keep, end: c.at, eat: bare}, true
		}
		if len(text) == judged || c.peek() != ';' {
			return secret{}, false
		}
		c.at++
		c.run(blanks, 2)
	}
	return secret{}, false
}

// behind matches a value after a fixed text.
func behind(of *set, how sureness) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		c.run(blanks, 4)
		if s, ok, quoted := c.literal(name{kind: password}, firm); quoted {
			return s, ok
		}
		return c.plain(name{kind: password}, how, of)
	}
}

// userOption matches -u name:password, as for curl.
func userOption(c *cursor) (secret, bool) {
	c.run(blanks, 4)
	c.one(quotes)
	c.run(user, 64)
	if c.peek() != ':' {
		return secret{}, false
	}
	c.at++
	return c.plain(name{kind: password}, weak, bare)
}

// passwordFile is a line of .pgpass: host:port:database:user:password.
func passwordFile(c *cursor) (secret, bool) {
	for range 2 {
		if len(c.run(user, 64)) == 0 || c.peek() != ':' {
			return secret{}, false
		}
		c.at++
	}
	return c.plain(name{kind: password}, weak, bare)
}

// shortOption matches -pPASSWORD for programs that accept it.
func shortOption(c *cursor) (secret, bool) {
	line := c.back[bytes.LastIndexAny(c.back, "\n]")+1:]
	if !bytes.Contains(line, []byte("mysql")) && !bytes.Contains(line, []byte("mariadb")) && !bytes.Contains(line, []byte("sshpass")) &&
		!bytes.Contains(line, []byte("docker login")) && !bytes.Contains(line, []byte("redis-cli")) &&
		!bytes.Contains(line, []byte("ssh-keygen")) {
		return secret{}, false
	}
	c.run(blanks, 2)
	if s, ok, quoted := c.literal(name{kind: password}, weak); quoted {
		return s, ok
	}
	return c.plain(name{kind: password}, weak, bare)
}

// behindSlash matches user/password@host, as for Oracle.
func behindSlash(c *cursor) (secret, bool) {
	c.run(user, 40)
	if c.peek() != '/' {
		return secret{}, false
	}
	c.at++
	s, ok := c.plain(name{kind: password}, weak, user)
	return s, ok && c.peek() == '@'
}

// signature matches the last part of a URL that grants access.
func signature(least int) func(*cursor) (secret, bool) {
	return func(c *cursor) (secret, bool) {
		keep := c.at
		text := c.run(percent, judged)
		return secret{keep: keep, end: c.at, eat: percent}, len(text) >= least && varied(text)
	}
}

// mailchimp matches a key by its end: 32 hexadecimal digits, a dash, and a data centre.
func mailchimp(c *cursor) (secret, bool) {
	n := 0
	for n < len(c.back) && hexadecimal[c.back[len(c.back)-1-n]] {
		n++
	}
	if n != hexKey || len(c.run(digits, 2)) == 0 || wordDash[c.peek()] {
		return secret{}, false
	}
	key := c.back[len(c.back)-n:]
	return secret{keep: -n, end: c.at}, varied(key)
}

// hexKey is the length of a key that is recognized by what follows it. That much of one is held back at the end of a piece.
const hexKey = 32

var percent = chars("A-Za-z0-9%+/=_-")

// mixed reports whether text has a digit, or capitals and small letters inside.
func mixed(text []byte) bool {
	n := capitals.count(text[1:])
	return digits.count(text) > 0 || n > 0 && n < len(text)-1
}
