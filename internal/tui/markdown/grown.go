package markdown

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Grown is a text of others that is drawn as Markdown while it grows. It is cleaned when it changes, not when it is drawn;
// of a long one only the end is. The zero value draws nothing yet.
type Grown struct {
	raw, clean string
	text       *Text
	head, done int // so much of raw is cleaned for good, to so much of clean
	next       int // how long the rest is to be before more of it may be
}

// ahead is how much of a text is cleaned once more with what follows: far more than a secret or an escape is long.
const ahead = 16 << 10

// Lines are the lines of a text, cleaned, at a width.
func (g *Grown) Lines(t theme.Theme, clean func(string) string, raw string, w int) []string {
	if g.text == nil {
		g.text = New(t)
	}
	if raw != g.raw {
		g.set(clean, raw)
	}
	g.text.Set(g.clean, w)
	return g.text.Lines()
}

// Settled is how many of those lines stay as they are while the text grows on.
func (g *Grown) Settled() int { return min(g.text.Settled(), len(g.text.Lines())) }

func (g *Grown) set(clean func(string) string, raw string) {
	if len(raw) < g.head || raw[:g.head] != g.raw[:g.head] {
		g.head, g.done, g.next = 0, 0, 0
	}
	rest := raw[g.head:]
	end := clean(rest)
	g.raw, g.clean = raw, g.clean[:g.done]+end
	if len(rest) < max(2*ahead, g.next) {
		return
	}
	g.next = 2 * len(rest) // what cannot be parted is not tried again and again
	at := strings.LastIndexByte(rest[:len(rest)-ahead], '\n') + 1
	if at == 0 {
		at = strings.LastIndexByte(rest[:len(rest)-ahead], ' ') + 1
	}
	if at > 0 {
		if first := clean(rest[:at]); first+clean(rest[at:]) == end { // nothing reaches over the cut
			g.head, g.done, g.next = g.head+at, g.done+len(first), 0
		}
	}
}
