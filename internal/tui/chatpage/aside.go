package chatpage

import (
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// aside shows a side question and its answer: they are not on the branch, so the scene does not have them.
func (ml *list) aside(n tree.Node, body any) {
	if s, ok := body.(talk.Said); ok && s.Aside {
		ml.remark("aside: "+s.Text, "", false)
	} else if !ml.asides[n.Parent] {
		return
	}
	ml.asides[n.ID] = true
	r, ok := body.(talk.Reply)
	if !ok {
		return
	}
	if text := r.Message.Text(); text != "" {
		ml.items = append(ml.items, item{entry: -1, id: n.ID, remark: ml.d.Clean(text), answer: true})
	}
	if r.State != talk.Done {
		ml.remark(string(r.State)+": "+r.Reason, "", true)
	}
}
