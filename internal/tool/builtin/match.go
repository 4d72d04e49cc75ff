package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

// tolerance is what is ignored when a text is looked for in a file. Each also ignores what those before it do.
type tolerance int

// The tolerances, the strictest first. None joins lines or changes their order, and none ignores different letters.
const (
	exact     tolerance = iota
	endings             // CRLF or LF
	lookalike           // typographic signs for plain ones, invisible letters, blanks at the end of a line
	blanks              // the indentation of lines and the width of blanks; only whole lines
)

// String continues a sentence that says how a text was found.
func (t tolerance) String() string {
	return [...]string{"exactly", "except for line endings", "except for look-alike or invisible characters", "except for whitespace"}[t]
}

// typeset maps signs to the plain ones that stand for them.
var typeset = map[rune]rune{'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'', '“': '"', '”': '"', '„': '"', '‟': '"',
	'″': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-', '\r': ' '}

// view is a text as a tolerance sees it; at maps each of its bytes, and its end, to the text itself.
type view struct {
	text string
	at   []int32
}

// see returns s as t sees it, with the origin of each byte. Lines stay lines: no tolerance joins or splits them.
func (t tolerance) see(s string) view {
	var out strings.Builder
	out.Grow(len(s))
	at := make([]int32, 0, len(s)+1)
	put := func(letters string, from, size int) {
		for i := range len(letters) {
			if len(letters) != size { // another sign replaces it
				i = 0
			}
			at = append(at, int32(from+i))
		}
		out.WriteString(letters)
	}
	started := false // something of this line was written
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		letters := s[i : i+size]
		if t >= lookalike {
			letters = plain(r, letters)
		}
		switch blank := blankRun(s[i:]); {
		case strings.HasPrefix(s[i:], "\r\n"):
			letters, size = "\n", 2
		case r == '\n':
		case t >= lookalike && blank > 0 && newline(s[i+blank:]):
			letters, size = "", blank
		case t == blanks && blank > 0 && (!started || i+blank == len(s)):
			letters, size = "", blank
		case t == blanks && blank > 0:
			letters, size = " ", blank
		}
		put(letters, i, size)
		started = letters != "\n" && (started || letters != "")
		i += size
	}
	return view{out.String(), append(at, int32(len(s)))}
}

// plain returns what the sign r, written as letters, stands for; empty if it is invisible.
func plain(r rune, letters string) string {
	switch p, ok := typeset[r]; {
	case ok:
		return string(p)
	case r < utf8.RuneSelf && (r >= ' ' || r == '\t' || r == '\n'):
		return letters
	case unicode.Is(unicode.Zs, r):
		return " "
	}
	return clean.Text(letters)
}

// blankRun returns the length of the blanks s begins with.
func blankRun(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r != '\t' && !unicode.Is(unicode.Zs, r) {
			break
		}
		n += size
	}
	return n
}

// newline reports whether a line ends where s begins.
func newline(s string) bool { return strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\r\n") }

// region is where a text was found: from one byte up to before another.
type region struct{ from, to int }

// find returns the places of old in body, with the least tolerance that finds any; whole: only whole lines. Without
// disjoint they may overlap, so that an ambiguous place counts as two.
func find(body, old string, disjoint, whole bool) ([]region, tolerance) {
	for t := exact; t <= blanks; t++ {
		if t == blanks && strings.TrimSpace(old) == "" {
			break
		}
		if regions := t.find(body, old, disjoint, whole || t == blanks); len(regions) > 0 {
			return regions, t
		}
	}
	return nil, exact
}

// find returns the places of old in body with this tolerance, as positions in body itself.
func (t tolerance) find(body, old string, disjoint, whole bool) []region {
	in, sought := view{text: body}, old
	if t > exact {
		in, sought = t.see(body), t.see(old).text
	}
	if sought == "" {
		return nil
	}
	var regions []region
	for at := 0; ; {
		i := strings.Index(in.text[at:], sought)
		if i < 0 {
			return regions
		}
		from, to := at+i, at+i+len(sought)
		at = from + 1
		if whole && !wholeLines(in.text, from, to) {
			continue
		}
		if disjoint {
			at = to
		}
		p := region{from, to}
		if t == exact && from > 0 && body[from-1:from+1] == "\r\n" && (len(regions) == 0 || regions[len(regions)-1].to < from) {
			p.from-- // the end of a line belongs to it
		}
		if t > exact {
			p = region{int(in.at[from]), int(in.at[to])}
		}
		if t == blanks { // the indentation belongs to the line
			p.from = strings.LastIndexByte(body[:p.from], '\n') + 1
			if p.from == 0 {
				p.from = len(bom(body))
			}
		}
		regions = append(regions, p)
	}
}

// wholeLines reports whether a range begins and ends at line boundaries.
func wholeLines(text string, from, to int) bool {
	return (from == 0 || text[from-1] == '\n') && (to == len(text) || text[to] == '\n' || text[to-1] == '\n')
}

// bom returns the byte order mark that some files begin with.
func bom(s string) string {
	if strings.HasPrefix(s, "\ufeff") {
		return "\ufeff"
	}
	return ""
}
