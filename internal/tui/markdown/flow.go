package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
)

// flow cleans a text piece by piece: what comes out together is what clean.Text makes of the whole.
type flow struct {
	pending string // what decides how the next piece is read
	skip    int    // how much of what comes of pending is out already
}

// grow appends to done what is certain now.
func (f *flow) grow(done []byte, more string) []byte {
	raw := f.pending + more
	n := settled(raw)
	out := clean.Text(raw[:n])
	after := "" // stands for what came before, as far as it matters
	if out != raw[:n] {
		// Two letters tell what is under way: both are shown, or a sequence takes the first, or a string takes both.
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

// control is where the sequence begins that s ends in the middle of.
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

// sign is the length of the sign s ends with, of its selector and of what is joined to it before: clean lets one selector follow
// a sign, and none anything else, and joins only so many.
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
	if r >= '\U0001f3fb' && r <= '\U0001f3ff' { // the tone of skin of what is before it
		_, of := utf8.DecodeLastRuneInString(rest[:len(rest)-n])
		n += of
	}
	return len(s) - len(rest) + n
}

func selects(s string) bool { return strings.HasSuffix(s, "\ufe0e") || strings.HasSuffix(s, "\ufe0f") }

// settled is how much of s means the same whatever follows: not a carriage return or a joiner, not half a letter.
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
