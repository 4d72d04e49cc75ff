package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

// flow cleans a text piece by piece: the concatenated output equals clean.Text of the whole.
type flow struct {
	pending string // input that decides how the next piece is read
	skip    int    // how much of pending's output was already emitted
}

// grow appends to done what is certain now.
func (f *flow) grow(done []byte, more string) []byte {
	raw := f.pending + more
	n := settled(raw)
	out := clean.Text(raw[:n])
	after := "" // represents the preceding text, as far as it matters
	if out != raw[:n] {
		// Two letters reveal the state: both are shown, or a sequence takes the first, or a string takes both.
		if len(clean.Text(raw[:n]+"aa")) == len(out)+1 {
			n = control(raw[:n])
			out = clean.Text(raw[:n])
		}
		if len(clean.Text(raw[:n]+"aa")) == len(out) {
			after = "\x1b]"
		}
	}
	done = append(done, out[f.skip:]...)
	if f.skip = sign(out); f.skip > 0 {
		after = out[len(out)-f.skip:] + after
	}
	f.pending = after + raw[n:]
	return done
}

// control returns where a sequence begins that s ends in the middle of.
func control(s string) int {
	n := len(s) - 1
	for s[n] != 0x1b && s[n] < utf8.RuneSelf {
		n--
	}
	if s[n] != 0x1b && n > 0 && s[n-1] == 0xc2 {
		n--
	}
	return n
}

// sign returns the length of the sign at the end of s, with its selector and what is joined to it before: clean
// allows one selector after a sign, and none after anything else, and joins only so many.
func sign(s string) int {
	n := lone(s)
	for before, joined := strings.CutSuffix(s[:len(s)-n], joiner); joined; before, joined = strings.CutSuffix(s[:len(s)-n], joiner) {
		n += len(joiner) + lone(before)
	}
	return n
}

const joiner = "\u200d"

func lone(s string) int {
	rest := s
	if selects(s) {
		_, n := utf8.DecodeLastRuneInString(s)
		rest = s[:len(s)-n]
	}
	r, n := utf8.DecodeLastRuneInString(rest)
	if r < utf8.RuneSelf && len(rest) == len(s) {
		return 0
	}
	if r >= '\U0001f3fb' && r <= '\U0001f3ff' { // the skin tone of the character before it
		_, of := utf8.DecodeLastRuneInString(rest[:len(rest)-n])
		n += of
	}
	return len(s) - len(rest) + n
}

func selects(s string) bool { return strings.HasSuffix(s, "\ufe0e") || strings.HasSuffix(s, "\ufe0f") }

// settled returns how much of s means the same whatever follows: not a carriage return or a joiner, not half a
// letter.
func settled(s string) int {
	n := len(s)
	for i := 1; i <= min(utf8.UTFMax-1, len(s)); i++ {
		if utf8.RuneStart(s[n-i]) {
			if !utf8.FullRuneInString(s[n-i:]) {
				n -= i
			}
			break
		}
	}
	return len(strings.TrimRight(s[:n], "\r"+joiner))
}
