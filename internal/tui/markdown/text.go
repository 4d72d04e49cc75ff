// Package markdown draws texts as lines of a terminal: Markdown that may still grow, code in colour, differences of files and
// of two texts. It cleans what it is given, and no escapes leave it but the inks of the theme.
package markdown

import (
	"bytes"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// least is the smallest width there is; a smaller one is taken for it.
const least = 10

// Text is a Markdown text as lines. Whatever is complete is drawn once: as the text grows, only its last block is redrawn.
type Text struct {
	theme theme.Theme
	width int
	raw   string
	flow  flow
	text  []byte   // clean, from the beginning of the block that is read
	lines []string // drawn
	done  int      // lines[:done] stay as they are
	reader
}

// New is an empty text.
func New(t theme.Theme) *Text { return &Text{theme: t} }

// Set draws text in width columns. It costs little if text is the one before with something added.
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

// Lines are the drawn lines, none wider than the width and each ending without an ink. They hold until the next Set.
func (x *Text) Lines() []string { return x.lines }

// Settled is how many of the lines stay as they are, whatever follows.
func (x *Text) Settled() int { return x.done }

// read takes all lines that are complete, and of a very long one what is certain.
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

// preview draws what is not complete yet as if it were, and forgets that it did.
func (x *Text) preview() {
	before := x.reader
	if x.mid || len(x.text) > x.pos {
		x.line(string(x.text[x.pos:]))
	}
	x.flush(min(x.pos, len(x.text)))
	x.reader = before
}
