package keyboard

import "os"

// Ahead reads a terminal that something was typed at before it gave every key at once. Whoever makes whole lines of keys makes a line
// feed of Enter; the last of those lines ends with Enter again, so that what was typed is sent. Those before it stay one text with it.
type Ahead struct {
	*os.File
	left int // bytes up to the end of the last line
}

// NewAhead looks up what was typed so far. It must be called before the terminal is changed; nil: no line waits there.
func NewAhead(f *os.File) *Ahead {
	if n := typedLines(f); n > 0 {
		return &Ahead{f, n}
	}
	return nil
}

// Read reads from the terminal.
func (a *Ahead) Read(into []byte) (int, error) {
	n, err := a.File.Read(into)
	if last := a.left - 1; last >= 0 && last < n && into[last] == '\n' {
		into[last] = '\r'
	}
	a.left = max(0, a.left-n)
	return n, err
}
