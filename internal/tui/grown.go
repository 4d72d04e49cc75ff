package tui

import "github.com/socrates-cli/socrates/internal/tui/markdown"

// grown is a text of others that is drawn as Markdown while it grows. It is cleaned when it changes, not when it is drawn.
// The zero value draws nothing yet.
type grown struct {
	raw, clean string
	text       *markdown.Text
}

func (g *grown) lines(d *Desk, raw string, w int) []string {
	if g.text == nil {
		g.text = markdown.New(d.Theme)
	}
	if raw != g.raw {
		g.raw, g.clean = raw, d.Clean(raw)
	}
	g.text.Set(g.clean, w)
	return g.text.Lines()
}
