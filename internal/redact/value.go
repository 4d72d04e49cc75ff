package redact

import (
	"bytes"
	"strings"
)

// traits describe the first bytes of a value: enough to distinguish random text from words and fillers.
type traits struct {
	n, letters, digits, symbols int
	distinct                    int // different letters and digits, case folded
	same                        int // the longest run of one byte
	worded                      int // letters that belong to pronounceable words
	mixed                       int // the longest stretch of letters and digits that has both
	flips                       int // how often a digit follows a letter, or a letter a digit
	number                      int // the longest stretch of digits
	capitals                    int
	upper, lower                bool
	odd                         bool // it has a byte that neither identifiers, paths nor base64 contain
}

// followers lists, for each letter, those that often follow it in English words and in identifiers. In random text two pairs of five are
// common ones, in words nine of ten. Counted over the words of Go's library and of these pages.
var followers = func() (out [26]uint32) {
	for i, s := range [26]string{
		"abcdefgiklmnprstuvxy", "aeilorsu", "acdeghiklmoprstuv", "acdeilorsu", "abcdefgilmnpqrstvwx", "acdefilorsu", "aehinors",
		"aeiort", "abcdefglmnoprstvz", "", "eis", "adeilostuy", "abeimopsu", "acdefgiklnostuv",
		"abcdfgilmnoprstuvw", "acehilmoprstu", "u", "acdefgiklmnoprstuvy", "acdehiklmoprstuwy", "acdefhilmoprstuy", "abcefilmnprst",
		"aeip", "aeir", "acept", "mps", "e",
	} {
		for j := range len(s) {
			out[i] |= 1 << (s[j] - 'a')
		}
	}
	return out
}()

var plainSymbols = chars("_.:/+=-")

// study computes the traits of one value.
func study(v []byte) (t traits) {
	var seen uint64
	t.n = len(v)
	same, stretch, stretchKinds, number := 0, 0, 0, 0
	for i := 0; i < len(v); i++ {
		b := v[i]
		if same++; i > 0 && v[i-1] != b {
			same = 1
		}
		t.same = max(t.same, same)
		kind := 0
		if !digits[b] {
			number = 0
		}
		switch {
		case digits[b]:
			t.digits++
			number++
			t.number = max(t.number, number)
			seen |= 1 << (b - '0')
			kind = 1
		case letters[b]:
			t.letters++
			seen |= 1 << (10 + b&31)
			if capitals[b] {
				t.capitals++
			}
			t.lower = t.lower || small[b]
			kind = 2
		default:
			t.symbols++
			t.odd = t.odd || !plainSymbols[b]
			stretch, stretchKinds = 0, 0
			continue
		}
		if i > 0 && (digits[b] && letters[v[i-1]] || letters[b] && digits[v[i-1]]) {
			t.flips++
		}
		stretch++
		stretchKinds |= kind
		if stretchKinds == 3 {
			t.mixed = max(t.mixed, stretch)
		}
	}
	t.upper = t.capitals > 0
	for ; seen != 0; seen &= seen - 1 {
		t.distinct++
	}
	t.worded = worded(v)
	return t
}

// worded counts the letters of v that belong to words: stretches of three letters or more, split at humps, most of whose pairs are common.
func worded(v []byte) (total int) {
	for i := 0; i < len(v); {
		n := hump(v[i:])
		if n == 0 {
			i++
			continue
		}
		rare := 0
		for j := i + 1; j < i+n; j++ {
			if followers[v[j-1]&31-1]&(1<<(v[j]&31-1)) == 0 {
				rare++
			}
		}
		if n >= 3 && rare*4 < n {
			total += n
		}
		i += n
	}
	return total
}

// hump is the length of the word v begins with: capitals, small letters, or a capital and small letters.
func hump(v []byte) (n int) {
	for n < len(v) && capitals[v[n]] {
		n++
	}
	if n > 1 {
		if n < len(v) && small[v[n]] {
			n-- // HTTPServer
		}
		return n
	}
	for n < len(v) && small[v[n]] {
		n++
	}
	return n
}

// identifier reports whether it consists of words, like names in code, paths and prose.
func (t *traits) identifier() bool {
	if t.letters == 0 || t.odd {
		return false
	}
	return t.worded*10 >= t.letters*7 && t.digits*4 <= t.n || t.worded*10 >= t.letters*9 && t.digits*2 <= t.n && t.number <= 4 ||
		t.digits == 0 && t.symbols > 0 && (!t.lower || !t.upper && t.letters <= 8*t.symbols)
}

// filler reports whether the value has too little variety to be a secret, or says itself that it is none.
func filler(v []byte, t *traits) bool {
	if t.distinct < 5 || t.same >= 8 && t.same*4 >= t.n || t.same >= 5 && t.same*3 >= t.n {
		return true
	}
	var room [judged]byte
	low := lower(room[:0], v[:min(len(v), judged)])
	if bytes.Contains(v, []byte("xxxxx")) || bytes.Contains(v, []byte("XXXXX")) {
		return true
	}
	for _, w := range fillers() {
		if bytes.Contains(low, w) {
			return true
		}
	}
	return false
}

var fillers = wordList("example your changeme change-me change_me changeit placeholder redacted replace dummy insert- insert_ " +
	"todo- fixme goes-here goes_here _here -here keyvault secretref op:// vault: not-a-real")

// reference reports whether a value stands for another, like $NAME, <your key>, {{name}} and ***. An armoured block does not belong to
// this shape either: it continues after the end of the line.
func reference(v []byte) bool {
	end := v[len(v)-1]
	switch v[0] {
	case '$':
		if dir := upperUnder.prefix(v[1:]); dir >= 3 && dir+1 < len(v) && v[dir+1] == '/' { // $HOME/file
			return true
		}
		return len(v) < 2 || v[1] == '{' || v[1] == '(' || v[1] == '$' || letters[v[1]] && word.count(v)+under.count(v) >= len(v)-2
	case '<', '[', '{', '(':
		return v[0] == '{' || bytes.HasPrefix(v, []byte("[redacted:")) || end == v[0]+1 || end == v[0]+2 || len(v) == judged ||
			blanks.count(v) > 0 || v[0] == '<'
	case '#', '%', '@', '!':
		return len(v) > 1 && v[1] == '{' || v[0] == end || v[0] == '%' && len(v) > 1 && v[1] == '('
	case '*', '.', '\\':
		return true
	case '~':
		return len(v) > 1 && v[1] == '/'
	case '_':
		return bytes.HasPrefix(v, []byte("__")) && bytes.HasSuffix(v, []byte("__"))
	case '-':
		return bytes.HasPrefix(v, []byte("-----"))
	}
	if bytes.HasPrefix(v, []byte("urn:")) || bytes.HasPrefix(v, []byte("file:")) {
		return true
	}
	if len(v) > 3 && v[1] == ':' && v[2] == '/' && letters[v[0]] { // C:/
		return true
	}
	if v[0] == '/' && len(v) > 4 { // a file
		dir := 1
		if capitals[v[1]] { // /Users
			dir++
		}
		n := small.prefix(v[dir:])
		if dir += n; n >= 3 && (dir == len(v) || v[dir] == '/') {
			return true
		}
	}
	open := bytes.IndexByte(v, '{') // a template
	return open >= 0 && bytes.IndexByte(v[open:], '}') > 0 || bytes.Contains(v, []byte("${"))
}

var (
	under      = chars("_")
	upperUnder = chars("A-Z_")
)

// sureness is how clearly the form of a value says that it is one. The surer it is, the less random the value has to be.
type sureness int

const (
	loose sureness = iota // after a name, with words between
	weak                  // name: value, which also occurs in code
	firm                  // in quotes
	sure                  // NAME=value
)

// secretLooking judges a value by how sure its form is.
func secretLooking(v []byte, how sureness, k secretKind) bool {
	if len(v) < shortest || reference(v) {
		return false
	}
	t := study(v)
	return likely(v, &t, how, k) && !filler(v, &t) && !bytes.Contains(v, []byte("://")) && !notSecret(string(v))
}

// likely makes the judgement: its thresholds were tuned on a corpus of code, settings, logs and prose, and checked on
// one that was held back. Change none without running both.
func likely(v []byte, t *traits, how sureness, k secretKind) bool {
	if t.digits+t.symbols == t.n && t.digits < 20 {
		return false
	}
	if how == sure {
		return !(t.identifier() && (bytes.Count(v, []byte("/")) > 1 || bytes.IndexByte(v, '(') > 0 ||
			(t.digits == 0 || v[0] == '/') && path(v)))
	}
	if blanks.count(v) > 0 || dated(v) || k == session && uuid(v) {
		return false
	}
	if file(v) || v[0] == '/' && bytes.Count(v, []byte("/")) > 1 && t.worded*5 > t.letters*2 || bytes.IndexByte(v, '"') >= 0 {
		return false
	}
	if how == firm {
		if t.digits > 0 && t.letters > 0 {
			return !t.identifier() || k == password && !path(v) && !says(v)
		}
		return t.random() || k != session && t.jumbled(k == key)
	}
	if k == password && how == weak && !path(v) && !bytes.ContainsAny(v, "([{") &&
		(t.odd && t.digits > 0 && t.upper && t.lower || t.symbols > 0 && t.letters >= 4 && t.number >= 4 && !says(v)) {
		return true
	}
	if how == weak && k != session && t.jumbled(k == key) {
		return true
	}
	if k == short && t.mixed < 8 && !t.outright() && !t.scrambled() {
		return false
	}
	if !t.random() || bytes.ContainsAny(v, "([{") || bytes.HasPrefix(v, []byte("0x")) && len(v) < 34 {
		return false
	}
	if t.digits == 0 && bytes.IndexByte(v, '.') > 0 { // a.b
		return false
	}
	return how == weak || t.outright() && !gives(v)
}

// outright reports whether the value is random enough for a place where any word may occur.
func (t *traits) outright() bool {
	return t.n >= 16 && (t.mixed >= 12 || t.flips >= 6 || t.worded*5 < t.letters*2 && (t.flips >= 4 || t.n >= 20 && t.upper && t.lower)) ||
		t.n >= 20 && t.digits == t.n
}

// gives reports whether a value assigns to another name: a=b.
func gives(v []byte) bool {
	i := bytes.IndexByte(v, '=')
	return i > 0 && i < len(v)-3
}

// random reports whether the value is too random for a name.
func (t *traits) random() bool {
	switch {
	case t.letters == 0:
		return t.digits >= 20
	case t.identifier():
		return false
	case t.n >= 12 && t.digits >= 2 && t.letters >= 3 && (t.mixed >= 6 || t.flips >= 4):
		return t.worded*5 < t.letters*3 || t.digits*3 > t.n
	case t.n >= 10 && t.odd && t.digits > 0 && t.upper && t.lower:
		return t.worded*10 < t.letters*9
	case t.scrambled():
		return true
	}
	return t.n >= 16 && t.letters >= 12 && t.worded*5 < t.letters*3
}

// scrambled reports whether the value mixes all kinds of letters in an order that neither words nor humps of names have, as generators do.
func (t *traits) scrambled() bool {
	return t.n >= 12 && t.digits > 0 && t.capitals*4 >= t.letters && t.capitals*4 <= t.letters*3 && t.worded*5 < t.letters*2
}

// jumbled reports whether a short value without symbols contains no words, like generated passwords. strict: it must have each kind of
// letter.
func (t *traits) jumbled(strict bool) bool {
	if t.n < shortest || t.symbols > 0 || t.letters < 3 || t.identifier() {
		return false
	}
	cases := t.upper && t.lower && t.capitals > 1
	few := t.worded*5 < t.letters*2 // few of its letters are in words
	switch {
	case t.digits == 0:
		return !strict && cases && few
	case cases:
		return t.worded*2 <= t.letters || t.flips > 2
	}
	return !strict && (t.flips > 2 || few || t.flips > 1 && t.worded*2 <= t.letters)
}

// path reports whether v is a file, or names separated by dots.
func path(v []byte) bool {
	return strings.IndexByte("/.~", v[0]) >= 0 || bytes.IndexByte(v, '.') > 0 || bytes.Count(v, []byte("/")) > 1
}

// file reports whether v ends like a file name.
func file(v []byte) bool {
	i := bytes.LastIndexByte(v, '.')
	ending := len(v) - i - 1
	return i > 0 && ending >= 2 && ending <= 4 && small.count(v[i:]) == ending && bytes.ContainsAny(v, "/-_")
}

// says reports whether a value only names what it would be, like "password-field-2".
func says(v []byte) bool {
	low := bytes.ToLower(v)
	for _, w := range []string{"password", "passwd", "secret", "token", "input", "field"} {
		if bytes.Contains(low, []byte(w)) && bytes.ContainsAny(v, "_-. ") {
			return true
		}
	}
	return false
}

// dated reports whether a value is a time, or a version that ends in one.
func dated(v []byte) bool {
	if len(v) >= 10 && v[4] == '-' && v[7] == '-' && digits.count(v[:4]) == 4 {
		return true
	}
	return v[0] == 'v' && digits[v[1]] && bytes.IndexByte(v[:4], '.') > 0
}

// uuid reports whether v is written as a UUID (RFC 9562), which names sessions and is then no secret.
func uuid(v []byte) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-' && hexadecimal.count(v) == 32
}
