package tui

import (
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// aside shows a side question and its answer: they hang beside the branch, so that the scene has none of them.
func (p *chatPage) aside(n tree.Node) {
	s, ok := talk.SayKind.Of(n)
	if ok && s.Aside {
		p.remark("❯ aside: "+s.Text, false)
	} else if !p.asides[n.Parent] {
		return
	}
	p.asides[n.ID] = true
	r, ok := talk.ReplyKind.Of(n)
	if !ok {
		return
	}
	if text := r.Message.Text(); text != "" {
		p.items = append(p.items, item{entry: -1, id: n.ID, remark: p.d.Clean(text), answer: true})
	}
	if r.State != talk.Done {
		p.remark("["+string(r.State)+": "+r.Reason+"]", true)
	}
}
