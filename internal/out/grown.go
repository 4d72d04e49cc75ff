package out

import (
	"io"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
)

// Grown tells what somebody writes while it is written: pieces that are, one after the other, the beginning of the whole. Of a secret
// nothing is told before it is known to be none.
// Show is called with the whole text so far, in whatever states a watcher happens to see, some twice and some out of
// order. Somebody who joins all pieces and the rest that End returns has the whole, exactly once. A text that turns out
// not to continue what was told mutes the writer until End, which then returns all of it.
type Grown struct {
	o    *Out
	tell func(of, piece string)
	of   string
	sent string // cleaned
	told string // what of it was told
	mute bool   // what was sent is not the beginning of what there is now
	held string // the last whole, cleaned: what grew until then may still be shown
	out  io.WriteCloser
}

// Grown tells pieces of texts to tell, with what each is of.
func (o *Out) Grown(tell func(of, piece string)) *Grown { return &Grown{o: o, tell: tell} }

// Show tells what has come since.
func (g *Grown) Show(of, text string) {
	text = clean.Text(text)
	text = text[:strings.LastIndexAny(text, " \n")+1] // the last word may be half of a letter or of an escape
	if strings.HasPrefix(g.held, text) || strings.HasPrefix(g.sent, text) {
		return // an older one
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

// Write tells a piece that holds no secret.
func (g *Grown) Write(piece []byte) (int, error) {
	g.told += string(piece)
	g.tell(g.of, string(piece))
	return len(piece), nil
}

// End says what the whole is, and returns what was not told of it: all, if it does not begin with what was.
func (g *Grown) End(whole string) (rest string) {
	told := g.told
	*g = Grown{o: g.o, tell: g.tell, of: g.of, held: clean.Text(whole)}
	whole = g.o.Redactor().String(g.held)
	if rest, ok := strings.CutPrefix(whole, told); ok {
		return rest
	}
	return whole
}
