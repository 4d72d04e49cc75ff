package chatpage

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
)

// look finds out whether another process moves the conversation on.
func (rs *reads) look() tea.Cmd {
	if rs.looking || rs.p.ours() || !unanswered(rs.p.scene) {
		rs.p.theirs = rs.p.theirs && unanswered(rs.p.scene) && !rs.p.ours()
		rs.p.question()
		return nil
	}
	rs.looking = true
	name, e := rs.p.env.Tree, rs.p.d.Engine
	return rs.p.d.Elsewhere(func() bool { return conversation.In(e).AtWorkElsewhere(name) }, func(is bool) bool {
		rs.p.theirs = is && rs.p.env.Tree == name && unanswered(rs.p.scene) && !rs.p.ours()
		rs.looking = rs.p.theirs && rs.cancel != nil
		rs.p.question()
		return rs.looking
	})
}

// ours says whether a turn is at work in this process.
func (st *standing) ours() bool {
	return st.scene.Tree.Root != "" && st.d.Engine.Running(st.scene.Tree.Root)
}

// unanswered says whether something was begun that has not come to its end.
func unanswered(s *scene.Chat) bool {
	n := len(s.Entries)
	return n > 0 && s.Entries[n-1].Sort != scene.Answered
}
