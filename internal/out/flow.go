package out

import (
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Flow writes a text as it grows, and only ever adds to it: cleaned, without secrets, and in a terminal broken
// at words. A Flow belongs to one goroutine. It writes one text after the other: Show or Grow any number of
// times, then End. It never takes back a letter of a text, because output in a pipe or scrollback cannot be
// changed.
type Flow struct {
	to    io.WriteCloser // removes secrets, and forwards to write
	out   func(string) error
	width int // 0: lines are not broken
	seen  string
	col   int
	word  []rune
	fence bool // inside a code block, which is not broken
}

// NewFlow writes to stdout.
func (o *Out) NewFlow() *Flow {
	f := &Flow{out: o.Raw}
	if IsTerminal(os.Stdout) {
		f.width = Columns(os.Stdout) - 1
	}
	f.to = o.Redactor().Writer(f)
	return f
}

// Grow shows what is new; text is the whole so far. Line ends wait for the text after them.
func (f *Flow) Grow(text string) {
	f.Show(clean.Settled(text))
}

// Show writes what of text is not written yet. A text that does not begin with what was written is ignored: it
// is an older state, or another text. The redactor holds back what may be the beginning of a secret.
func (f *Flow) Show(text string) {
	if more, ok := strings.CutPrefix(text, f.seen); ok && more != "" {
		f.seen = text
		io.WriteString(f.to, more)
	}
}

// End shows the rest of the final text, and ends the line.
func (f *Flow) End(text string) {
	f.Show(strings.TrimRight(clean.Text(text), "\n"))
	f.to.Close()
	f.flush()
	if f.col > 0 {
		f.out("\n")
	}
	f.seen, f.col, f.fence = "", 0, false
}

// Pause ends the line, for something else to be shown.
func (f *Flow) Pause() {
	if f.flush(); f.col > 0 {
		f.out("\n")
		f.col = 0
	}
}

// Write breaks lines of text that is already clean.
func (f *Flow) Write(p []byte) (int, error) {
	if f.width == 0 {
		f.col = 1
		if p[len(p)-1] == '\n' {
			f.col = 0
		}
		return len(p), f.out(string(p))
	}
	for _, r := range string(p) {
		f.word = append(f.word, r)
		if r == '\n' || unicode.IsSpace(r) {
			f.flush()
		}
	}
	return len(p), nil
}

// Open reports whether a line has begun and not ended.
func (f *Flow) Open() bool { return f.col > 0 }

// flush writes the word, on the next line if this one has no room for it.
// Lines of a block of code are left alone: breaking one changes what it means when it is copied.
func (f *Flow) flush() {
	if len(f.word) == 0 {
		return
	}
	text := string(f.word)
	bare := strings.TrimRight(text, " \t\n")
	if f.col == 0 && strings.HasPrefix(bare, "```") {
		f.fence = !f.fence
	}
	if n := Wide([]rune(bare)); !f.fence && f.col > 0 && n > 0 && f.col+n > f.width {
		f.out("\n")
		f.col = 0
	}
	f.out(text)
	f.col += Wide(f.word)
	if strings.HasSuffix(text, "\n") {
		f.col = 0
	}
	f.word = f.word[:0]
}
