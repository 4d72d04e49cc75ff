package markdown

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Grown is untrusted text that is drawn as Markdown while it grows. It is cleaned when it changes, not when it
// is drawn; of a long text only the end is cleaned. The zero value draws nothing yet.
type Grown struct {
	raw, clean string
	text       *Text
	head, done int // the first head bytes of raw are cleaned for good, and are the first done bytes of clean
	next       int // how long the rest must be before it is tried again
}

// ahead is how much of a text is cleaned once more with what follows: far longer than any secret or escape.
const ahead = 16 << 10

// Lines returns the lines of a text, cleaned, at a width.
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

// Settled returns how many of those lines no longer change while the text grows.
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
	g.next = 2 * len(rest) // do not retry at every step what cannot be split
	at := strings.LastIndexByte(rest[:len(rest)-ahead], '\n') + 1
	if at == 0 {
		at = strings.LastIndexByte(rest[:len(rest)-ahead], ' ') + 1
	}
	if at > 0 {
		if first := clean(rest[:at]); first+clean(rest[at:]) == end { // nothing extends over the cut
			g.head, g.done, g.next = g.head+at, g.done+len(first), 0
		}
	}
}
