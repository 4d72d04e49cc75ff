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

// grow appends to done what is certain now. The rest is what would follow if nothing more came.
func (f *flow) grow(done []byte, more string) (all []byte, rest string) {
	raw := f.pending + more
	n := settled(raw)
	head, tail := raw[:n], raw[n:]
	out := clean.Text(head)
	if out == head && !selects(out) {
		f.pending = tail
		out, f.skip = out[f.skip:], 0
		return append(done, out...), ""
	}
	// Two letters tell what is under way: both are shown, or a sequence takes the first, or a string takes both.
	after := ""
	switch len(clean.Text(head+"aa")) - len(out) {
	case 0:
		after = "\x1b]"
	case 1:
		f.pending = raw
		return done, out[f.skip:]
	}
	done = append(done, out[f.skip:]...)
	f.skip = 0
	if selects(out) { // clean lets one selector follow a letter
		_, size := utf8.DecodeLastRuneInString(out)
		after = out[len(out)-size:] + after
		f.skip = size
	}
	f.pending = after + tail
	return done, ""
}

func selects(s string) bool { return strings.HasSuffix(s, "\ufe0e") || strings.HasSuffix(s, "\ufe0f") }

// settled is how much of s means the same whatever follows: not a carriage return, not half a letter.
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
	return len(strings.TrimRight(s[:n], "\r"))
}
