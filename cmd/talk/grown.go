package talk

import (
	"io"
	"strings"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

// grown writes what a model says while it says it: lines of type delta, whose texts are the beginning of what the next node
// holds. Of a secret nothing is written before it is known to be none; what is held back is in the node.
type grown struct {
	of   tree.ID
	sent string // cleaned
	mute bool   // what was sent is not the beginning of what there is now
	held string // by the last node, cleaned: what grew until then may still be told
	out  io.WriteCloser
}

// show writes what has come since.
func (g *grown) show(a *Talk, s feed.Snapshot) {
	text := clean.Text(s.Text)
	text = text[:strings.LastIndexAny(text, " \n")+1] // the last word may be half of a letter or of an escape
	if strings.HasPrefix(g.held, text) || strings.HasPrefix(g.sent, text) {
		return // an older one
	}
	if s.Of != g.of {
		*g = grown{of: s.Of}
	}
	if g.mute = g.mute || !strings.HasPrefix(text, g.sent); g.mute {
		return
	}
	if g.out == nil {
		g.out = a.Out.Redactor().Writer(deltas{a, s.Of})
	}
	io.WriteString(g.out, text[len(g.sent):])
	g.sent = text
}

// end says that a node holds all of it.
func (g *grown) end(held string) { *g = grown{of: g.of, held: clean.Text(held)} }

// deltas writes pieces of a text as lines of a stream.
type deltas struct {
	a  *Talk
	of tree.ID
}

func (d deltas) Write(piece []byte) (int, error) {
	return len(piece), d.a.Out.Line(call.StreamLine{Head: d.a.Out.Head(), Type: "delta", Of: d.of, Text: string(piece)})
}
