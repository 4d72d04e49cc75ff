package cmd

import (
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/socrates-cli/socrates/internal/clean"
)

// flow writes a text as it grows, and only ever adds to it: cleaned, without secrets, and in a terminal broken at words.
type flow struct {
	to    io.WriteCloser // takes secrets out, and hands on to write
	out   func(string) error
	width int // 0: lines are not broken
	seen  string
	col   int
	word  []rune
	fence bool // inside a block of code, which is not broken
}

// newFlow writes to stdout.
func (a *app) newFlow() *flow {
	f := &flow{out: a.out.raw}
	if isTerminal(os.Stdout) {
		f.width = columns(os.Stdout) - 1
	}
	f.to = a.redactor().Writer(f)
	return f
}

// grow shows what has come since the last time; text is all there is. Ends of lines wait for what follows them.
func (f *flow) grow(text string) {
	f.show(clean.Settled(text))
}

// show writes what of text is not written yet.
func (f *flow) show(text string) {
	if more, ok := strings.CutPrefix(text, f.seen); ok && more != "" {
		f.seen = text
		io.WriteString(f.to, more)
	}
}

// end shows the rest of what text has become, and ends the line.
func (f *flow) end(text string) {
	f.show(strings.TrimRight(clean.Text(text), "\n"))
	f.to.Close()
	f.flush()
	if f.col > 0 {
		f.out("\n")
	}
	f.seen, f.col, f.fence = "", 0, false
}

// pause ends the line, for something else to be shown.
func (f *flow) pause() {
	if f.flush(); f.col > 0 {
		f.out("\n")
		f.col = 0
	}
}

// Write breaks lines; it is given text that is fit to be shown.
func (f *flow) Write(p []byte) (int, error) {
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

// flush writes the word, on the next line if this one has no room for it.
func (f *flow) flush() {
	if len(f.word) == 0 {
		return
	}
	text := string(f.word)
	bare := strings.TrimRight(text, " \t\n")
	if f.col == 0 && strings.HasPrefix(bare, "```") {
		f.fence = !f.fence
	}
	if n := wide([]rune(bare)); !f.fence && f.col > 0 && n > 0 && f.col+n > f.width {
		f.out("\n")
		f.col = 0
	}
	f.out(text)
	f.col += wide(f.word)
	if strings.HasSuffix(text, "\n") {
		f.col = 0
	}
	f.word = f.word[:0]
}
