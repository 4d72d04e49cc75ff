package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

// grown is a text of others that is drawn as Markdown while it grows. It is cleaned when it changes, not when it is drawn;
// of a long one only the end is. The zero value draws nothing yet.
type grown struct {
	raw, clean string
	text       *markdown.Text
	head, done int // so much of raw is cleaned for good, to so much of clean
	next       int // how long the rest is to be before more of it may be
}

// ahead is how much of a text is cleaned once more with what follows: far more than a secret or an escape is long.
const ahead = 16 << 10

func (g *grown) lines(d *Desk, raw string, w int) []string {
	if g.text == nil {
		g.text = markdown.New(d.Theme)
	}
	if raw != g.raw {
		g.set(d, raw)
	}
	g.text.Set(g.clean, w)
	return g.text.Lines()
}

// settled is how many of those lines stay as they are while the text grows on.
func (g *grown) settled() int { return min(g.text.Settled(), len(g.text.Lines())) }

func (g *grown) set(d *Desk, raw string) {
	if len(raw) < g.head || raw[:g.head] != g.raw[:g.head] {
		g.head, g.done, g.next = 0, 0, 0
	}
	rest := raw[g.head:]
	end := d.Clean(rest)
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
		if first := d.Clean(rest[:at]); first+d.Clean(rest[at:]) == end { // nothing reaches over the cut
			g.head, g.done, g.next = g.head+at, g.done+len(first), 0
		}
	}
}
