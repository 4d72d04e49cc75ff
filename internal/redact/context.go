package redact

import (
	"bytes"
	"strings"
)

// The shapes in this file are told by what stands around a secret.

var (
	quotes     = chars(`"'` + "`")
	blanks     = chars(" \t")
	backslash  = chars(`\`)
	separators = chars("=:")
	base64Text = chars("A-Za-z0-9+/=")
	base64URL  = chars("A-Za-z0-9_-")
	dot        = chars(".")
	armour     = chars("A-Za-z0-9+/=_\\:,.() \t\r\n-")
	kind       = chars("A-Z0-9 ")
	user       = chars(" \t\r\n\"'`<>@:/?#[]\\{}()|,;").not()
	pass       = chars(" \t\r\n\"'`<>/?#[]\\").not()
	nameGoesOn = chars("_0-9-")
	capitals   = chars("A-Z")
	small      = chars("a-z")
	quotedBy   = map[byte]*set{'"': chars("\"\r\n").not(), '\'': chars("'\r\n").not(), '`': chars("`\r\n").not()}
	bare       = chars(" \t\r\n\"'`,;&|<>)}]\\").not()
)

const (
	longestHeader = 2048 // bytes of a JWT's first part
	longestUser   = 256  // bytes of a URL's user, and of its password
)

// jwt is three parts of base64 with dots between; "eyJ" is how a JSON object begins in it. It must not follow what a
// header is made of: else a text of many beginnings would be read to the end from each of them.
func jwt(c *cursor) (secret, bool) {
	header := len(c.run(base64URL, longestHeader))
	if header < 13 || c.one(dot) == 0 {
		return secret{}, false
	}
	payload := len(c.run(base64URL, 8))
	return secret{end: c.at, eat: wordDot}, payload == 8
}

// privateKey is an armoured block. Its end line may be missing and is left standing; a marker without a key after
// it is prose.
func privateKey(c *cursor) (secret, bool) {
	title := string(c.run(kind, 40))
	for range 5 {
		if c.one(wordDash) != '-' {
			return secret{}, false
		}
	}
	if !strings.HasSuffix(title, "PRIVATE KEY") && !strings.HasSuffix(title, "PRIVATE KEY BLOCK") {
		return secret{}, false
	}
	from := c.at
	body := c.run(armour, 160)
	found := secret{end: from, eat: armour, fence: true}
	long := 0
	for _, b := range body {
		if long++; !base64Text[b] {
			long = 0
		}
		if long == 16 {
			return found, true
		}
	}
	return secret{}, false
}

// userinfo is user:password@ after a URL's scheme.
func userinfo(c *cursor) (secret, bool) {
	keep := c.at
	c.run(user, longestUser)
	if c.peek() != ':' {
		return secret{}, false
	}
	c.at++
	colon := c.at
	at := bytes.LastIndexByte(c.run(pass, longestUser), '@') // a careless password has one of its own
	return secret{keep: keep, end: colon + at}, at > 0
}

// bearer is a token after the word; a token has a digit, or capitals in its middle.
func bearer(c *cursor) (secret, bool) {
	c.run(blanks, 4)
	keep := c.at
	text := c.run(token68, judged)
	return secret{keep: keep, end: c.at, eat: token68}, len(text) >= 16 && mixed(text)
}

// authorization is that header, with a scheme or without, also as JSON.
func authorization(c *cursor) (secret, bool) {
	if !assigns(c) {
		return secret{}, false
	}
	keep := c.at
	if scheme := c.run(word, 16); len(scheme) > 0 && len(c.run(blanks, 4)) > 0 {
		keep = c.at
	} else {
		c.at = keep
	}
	text := c.run(token68, judged)
	return secret{keep: keep, end: c.at, eat: token68}, len(text) >= 8 && mixed(text)
}

// assignment is NAME=value, "name": "value" and their like, where a word of the name says it is secret. What is
// taken for a value depends on how sure the form is: a capital NAME= is, name = value in code is not.
func assignment(c *cursor) (secret, bool) {
	if nameGoesOn[c.peek()] && publicName(string(c.run(wordDash, 32))) {
		return secret{}, false
	}
	name := c.text[:c.at]
	if !assigns(c) {
		return secret{}, false
	}
	sure := small.count(name) == 0 && c.text[len(name)] == '='
	keep := c.at
	opened := quotes[c.text[c.at-1]]
	switch {
	case opened:
		return quoted(c, keep, sure)
	case sure:
		text := c.run(bare, judged)
		found := secret{keep: keep, end: c.at, eat: bare}
		return found, len(text) >= shortest && !reference(text) && digits.count(text) < len(text)
	}
	text := c.run(token68, judged)
	ok := len(text) >= 12 && digits.count(text) >= 2 && letters.count(text) >= 2 && c.peek() != '('
	return secret{keep: keep, end: c.at, eat: token68}, ok
}

// quoted is the value of an assignment that stands in the quotes just opened.
func quoted(c *cursor, keep int, sure bool) (secret, bool) {
	body := quotedBy[c.text[keep-1]]
	text := c.run(body, judged)
	found := secret{keep: keep, end: c.at, eat: body}
	if len(text) < shortest || reference(text) {
		return secret{}, false
	}
	if sure {
		return found, true
	}
	return found, blanks.count(text) == 0 && digits.count(text) > 0 && letters.count(text) > 0
}

// assigns moves over what stands between a name and its value: a closing quote, = or : or := or =>, an opening
// quote, each possibly escaped, and blanks. It is false if that is not what is there.
func assigns(c *cursor) bool {
	c.one(backslash)
	c.one(quotes)
	c.run(blanks, 4)
	switch c.one(separators) {
	case 0:
		return false
	case ':':
		if c.peek() == '=' {
			c.at++
		}
	case '=':
		switch c.peek() {
		case '=':
			return false
		case '>':
			c.at++
		}
	}
	c.run(blanks, 4)
	c.one(backslash)
	c.one(quotes)
	return true
}

// publicName says that the tail of a name makes it speak about a secret rather than be one.
func publicName(tail string) bool {
	last := tail[strings.LastIndexAny(tail, "_-")+1:]
	switch strings.ToLower(last) {
	case "name", "file", "path", "url", "uri", "id", "env", "dir", "type", "count", "limit", "length", "len", "size",
		"ttl", "expiry", "expires", "header", "field", "prefix", "ref", "version", "endpoint", "enabled", "policy":
		return true
	}
	return false
}

// reference says that a value stands for another, as $NAME, <your key>, {{name}} and *** do, or is a placeholder.
// An armoured block is not this shape's either: it goes on after the end of the line.
func reference(value []byte) bool {
	return strings.IndexByte("$<{([%*.", value[0]) >= 0 || bytes.HasPrefix(value, []byte("-----"))
}

// mixed says that text has a digit, or capitals and small letters in its middle.
func mixed(text []byte) bool {
	n := capitals.count(text[1:])
	return digits.count(text) > 0 || n > 0 && n < len(text)-1
}
