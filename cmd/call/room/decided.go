package room

import (
	"os"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/out"
)

// Screen returns the first screen of a decision: drawn in a terminal, Markdown elsewhere.
func Screen(o *out.Out, d document.Document) string {
	if !out.IsTerminal(os.Stdout) {
		return o.Clean(d.Short())
	}
	style := document.Style{Columns: out.Columns(os.Stdout), Clean: o.Clean}
	if o.Colored(os.Stdout) {
		style.Ink = document.ANSI
	}
	return d.Plain(style)
}

// Whole returns a decision in full: the first screen, then what it rests on.
func Whole(o *out.Out, d document.Document) string {
	if !out.IsTerminal(os.Stdout) {
		return o.Clean(d.Markdown())
	}
	return Screen(o, d) + "\n" + o.Page(o.Clean(d.Details()))
}
