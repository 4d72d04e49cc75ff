package out

import (
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Grown reports a text while it is written, in pieces whose concatenation is the beginning of the whole. It
// holds back a possible secret until it is known to be none. Show is called with the whole text so far, in
// whatever states a watcher happens to see, some twice and some out of order. All pieces and the rest that End
// returns form the whole, exactly once. A text that does not continue what was reported mutes the writer until
// End, which then returns all of it.
type Grown struct {
	o    *Out
	tell func(of, piece string)
	of   string
	sent string // cleaned
	told string // the part that was reported
	mute bool   // the new text does not begin with what was sent
	held string // the last whole, cleaned: what grew up to it may still be shown
	out  io.WriteCloser
}

// Grown reports pieces of texts to tell, with the text each belongs to.
func (o *Out) Grown(tell func(of, piece string)) *Grown { return &Grown{o: o, tell: tell} }

// Show reports what is new.
func (g *Grown) Show(of, text string) {
	text = clean.Text(text)
	text = text[:strings.LastIndexAny(text, " \n")+1] // the last word may be half a letter or an escape
	if strings.HasPrefix(g.held, text) || strings.HasPrefix(g.sent, text) {
		return // an older state
	}
	if of != g.of {
		*g = Grown{o: g.o, tell: g.tell, of: of}
	}
	if g.mute = g.mute || !strings.HasPrefix(text, g.sent); g.mute {
		return
	}
	if g.out == nil {
		g.out = g.o.Redactor().Writer(g)
	}
	io.WriteString(g.out, text[len(g.sent):])
	g.sent = text
}

// Write reports a piece without secrets.
func (g *Grown) Write(piece []byte) (int, error) {
	g.told += string(piece)
	g.tell(g.of, string(piece))
	return len(piece), nil
}

// End takes the whole, and returns the part that was not reported: all, if it does not begin with what was.
func (g *Grown) End(whole string) (rest string) {
	told := g.told
	*g = Grown{o: g.o, tell: g.tell, of: g.of, held: clean.Text(whole)}
	whole = g.o.Redactor().String(g.held)
	if rest, ok := strings.CutPrefix(whole, told); ok {
		return rest
	}
	return whole
}
