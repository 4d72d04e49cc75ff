package redact

import (
	"bytes"
	"strings"
	"sync"
)

// secretKind is the kind of secret that a name means.
type secretKind int

const (
	ordinary secretKind = iota // token, secret, credential: any name that ends with one
	password
	key     // only after a word such as api, private, signing
	short   // pass, pwd, auth, jwt: only as a separate word
	session // session, sid, cookie
)

// nameKinds are the words that make a name that of a secret, by kind: the kinds differ in how much else must support it.
var nameKinds = map[secretKind][]string{
	ordinary: {"secret", "token", "credential", "apikey", "securestring"},
	password: {"password", "passwd", "passphrase", "passwort", "passcode"},
	key:      {"key"},
	short:    {"pass", "pwd", "auth", "jwt", "pat", "psk"},
	session:  {"session", "sessid", ".sid"},
}

// name is the name that a value may be assigned to.
type name struct {
	kind   secretKind
	caps   bool // in capitals
	before byte // the byte before the whole name
	dashes bool // it is an option: --name
	unsure bool // it may also mean something else: FOO_KEY
}

var (
	identifierText = chars("A-Za-z0-9_-")
	nameHead       = chars("A-Za-z0-9_.:$@-")
)

// unplaced returns the head of a name without a position in a file before it, as grep -n and compilers print it: config.py:12: or
// config.py:12:5:.
func unplaced(head []byte) []byte {
	for i := len(head) - 1; i >= 0; i-- {
		if head[i] != ':' {
			continue
		}
		rest := bytes.TrimLeft(head[i+1:], "0123456789")
		if n := len(head) - i - 1 - len(rest); n > 0 && n < 8 && len(rest) > 0 && rest[0] == ':' {
			return rest[1:]
		}
	}
	return head
}

// called reads the rest of a name after its secret word, at c, and judges what precedes the word. It returns false if the name is about a
// secret rather than that of one, or if the word is part of another word.
func called(c *cursor, k secretKind) (name, bool) {
	n := name{kind: k}
	said := c.text[:c.at]
	c.one(plural)
	tail := c.run(identifierText, 32)
	if identifier(c) {
		return n, false
	}
	if k == session {
		tail = bytes.TrimLeft(bytes.ToLower(tail), "_-")
		return n, len(tail) == 0 || string(tail) == "id" || string(tail) == "key" || string(tail) == "token"
	}
	if len(tail) > 0 && letters[tail[0]] && !(small[said[len(said)-1]] && capitals[tail[0]]) {
		return n, false
	}
	if len(tail) > 0 && publicName(tail) {
		return n, false
	}
	n.caps = capitals[said[0]] && small.count(c.text[:c.at]) == 0
	whole := len(said) == c.at // nothing follows the word
	head := c.head()
	if at := len(c.back) - len(head) - 1; at >= 0 {
		n.before = c.back[at]
	}
	if bytes.HasPrefix(head, []byte("redacted:")) { // this is a placeholder
		return n, false
	}
	if k == short && len(bytes.Trim(tail, "_-0123456789")) > 0 || string(c.text[:c.at]) == "PWD" && len(head) == 0 {
		return n, false
	}
	head = unplaced(head)
	n.dashes = bytes.HasPrefix(head, []byte("--")) || len(head) > 1 && head[0] == '-'
	if bytes.Count(head, []byte(":")) > 1 { // part of a path: arn:aws:secretsmanager:…:secret:name
		return n, false
	}
	if k == key && len(head) == 0 { // "api key"
		head = c.wordBefore()
	}
	if k == short && n.caps && c.peek() == ':' { // as tests print it
		return n, false
	}
	fit, unsure := fits(k, head, said, n.caps && whole && len(c.head()) > 0)
	n.unsure = unsure
	if k == key && !unsure { // as sure as a token
		n.kind = ordinary
	}
	return n, fit
}

// identifier reports whether a word is in a run where letters and digits alternate, and not in a name. If something is assigned to it, it
// is a name nevertheless.
func identifier(c *cursor) bool {
	if c.peek() == '=' {
		return false
	}
	back, rest := c.back, c.text[:c.at]
	from, to := len(back), 0
	for from > 0 && word[back[from-1]] {
		from--
	}
	for to < len(rest) && word[rest[to]] {
		to++
	}
	if len(back)-from+to < 20 {
		return false
	}
	turns, digit := -1, false
	for _, text := range [][]byte{back[from:], rest[:to]} {
		for _, b := range text {
			if turns < 0 || digits[b] != digit {
				turns++
				digit = digits[b]
			}
		}
	}
	return turns > 4
}

var plural = chars("sS")

// head is the part of the name before the cursor's text.
func (c *cursor) head() []byte {
	i := len(c.back)
	for i > 0 && nameHead[c.back[i-1]] && len(c.back)-i < 40 {
		i--
	}
	return c.back[i:]
}

// wordBefore is the word before the cursor's text, separated by a blank.
func (c *cursor) wordBefore() []byte {
	n := len(c.back)
	if n < 2 || c.back[n-1] != ' ' {
		return nil
	}
	i := n - 1
	for i > 0 && letters[c.back[i-1]] && n-i < 20 {
		i--
	}
	return c.back[i : n-1]
}

// fits reports whether what precedes a secret word makes it the name of a secret. unsure: it may mean something else.
func fits(k secretKind, head, said []byte, caps bool) (fit, unsure bool) {
	own := len(head) == 0 || !letters[head[len(head)-1]] || small[head[len(head)-1]] && capitals[said[0]]
	var room [lookBack]byte
	low := lower(room[:0], bytes.TrimRight(head, "_-.:"))
	last := low[bytes.LastIndexAny(low, "_-.:$@")+1:]
	switch k {
	case ordinary, password:
		switch string(last) {
		case "max", "min", "num", "total", "public", "publickey", "invalid", "forgot", "is", "has", "no":
			return false, false
		}
		return true, false
	case session:
		return true, false
	case short:
		if strings.EqualFold(string(said), "pat") {
			return caps && own && len(last) > 0, false
		}
		return own, false
	}
	for _, w := range keyHeads() {
		if bytes.HasSuffix(low, w) {
			return true, false
		}
	}
	return caps && own && len(last) > 0 && !publicKeys()[string(last)], true
}

// wordList splits a text into words on first use.
func wordList(text string) func() [][]byte {
	return sync.OnceValue(func() [][]byte { return bytes.Fields([]byte(text)) })
}

// keyHeads are words that, before KEY, mean a secret key.
var keyHeads = wordList("api access secret private account encryption encrypt signing signature master auth license app application " +
	"consumer client storage " +
	"shared service deploy session crypt crypto cipher aes hmac rsa ssh webhook admin subscription function functions host root " +
	"recovery wrapping jwt token " +
	"openai anthropic stripe gemini google maps datadog sendgrid mailgun twilio azure openrouter mistral groq cohere deepseek")

// wordSet makes a set of the words of a text on first use.
func wordSet(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(text) {
			out[w] = true
		}
		return out
	})
}

// publicKeys are words that, before KEY, mean something other than a secret.
var publicKeys = wordSet("public cache primary foreign sort partition row idempotency object map hash dedupe lookup group routing index " +
	"unique " +
	"hot short config context event meta type state store query search pub h")

// publicWords are last words that make a name be about a secret rather than that of one.
var publicWords = wordSet("name file path url uri id ids env dir type types count limit length len size ttl expiry expires expiration " +
	"header field prefix suffix " +
	"ref reference version endpoint enabled policy label placeholder hint help text title message msg error errors format pattern regex " +
	"rule rules validator " +
	"min max budget usage used total provider service store manager factory class input button form page route view screen handler " +
	"callback func fn test mock " +
	"event action state status scope scopes algorithm alg issuer audience index idx pos position start end kind mode required visible " +
	"exists valid age period timeout " +
	"lifetime interval date at time created updated rotation strategy table column row source location template description desc arn " +
	"namespace " +
	"encryption encoding hashing engine backend bucket span word line stream list set map")

// publicName checks the last word of the tail of a name, with dashes or in camel case.
func publicName(tail []byte) bool {
	tail = bytes.TrimRight(tail, "_-")
	from := len(tail)
	for from > 0 && letters[tail[from-1]] {
		from--
		if capitals[tail[from]] && from+1 < len(tail) && small[tail[from+1]] {
			break
		}
	}
	var room [32]byte
	return publicWords()[string(lower(room[:0], tail[from:]))]
}

// lower appends text in lower case to dst.
func lower(dst, text []byte) []byte {
	for _, b := range text {
		if capitals[b] {
			b |= 32
		}
		dst = append(dst, b)
	}
	return dst
}

// notSecret reports whether the value of a secret's name is a word that reveals nothing.
func notSecret(v string) bool {
	switch strings.ToLower(v) {
	case "anonymous", "automatic", "changeme", "credential", "credentials", "default", "development", "disabled", "enabled",
		"example", "keychain", "keyring", "lm-studio", "localhost", "not-needed", "optional", "password", "placeholder",
		"production", "required", "secretservice", "undefined", "password1", "password123", "no-password", "passw0rd", "test1234":
		return true
	}
	return false
}
