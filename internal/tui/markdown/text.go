// Package markdown draws texts as lines of a terminal: Markdown that may still grow, code in colour, diffs of
// files and of two texts. It cleans its input, and its output has no escapes but the inks of the theme.
package markdown

import (
	"bytes"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// least is the smallest width; a smaller one is replaced by it.
const least = 10

// Text is a Markdown text as lines. Complete parts are drawn once: as the text grows, only its last block is
// redrawn.
type Text struct {
	theme theme.Theme
	width int
	raw   string
	flow  flow
	text  []byte   // cleaned, from the beginning of the current block
	lines []string // drawn
	done  int      // lines[:done] no longer change
	reader
}

// New returns an empty text.
func New(t theme.Theme) *Text { return &Text{theme: t} }

// Set draws text in width columns. It is cheap if text extends the previous one.
func (x *Text) Set(text string, width int) {
	width = max(width, least)
	if text == x.raw && width == x.width {
		return
	}
	if width != x.width || !strings.HasPrefix(text, x.raw) {
		*x = Text{theme: x.theme, width: width}
	}
	more := text[len(x.raw):]
	x.raw = text
	x.text = x.flow.grow(x.text, more)
	x.lines = x.lines[:x.done]
	x.read()
	x.done = len(x.lines)
	x.preview()
}

// Lines returns the drawn lines, none wider than the width and each ending without an ink. They are valid until
// the next Set.
func (x *Text) Lines() []string { return x.lines }

// Settled returns how many of the lines no longer change, whatever follows.
func (x *Text) Settled() int { return x.done }

// read reads all complete lines, and of a very long one what is certain.
func (x *Text) read() {
	for {
		n := bytes.IndexByte(x.text[x.pos:], '\n')
		if n < 0 {
			break
		}
		x.line(string(x.text[x.pos : x.pos+n]))
	}
	x.part(x.text[x.pos:])
	keep := x.pos
	if x.kind == prose {
		keep = x.from
	}
	x.text = x.text[keep:]
	x.pos, x.from = x.pos-keep, 0
}

// preview draws the incomplete rest as if it were complete, without keeping the state.
func (x *Text) preview() {
	before := x.reader
	if x.mid || len(x.text) > x.pos {
		x.line(string(x.text[x.pos:]))
	}
	x.flush(min(x.pos, len(x.text)))
	x.reader = before
}
