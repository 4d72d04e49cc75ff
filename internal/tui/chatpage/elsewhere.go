package chatpage

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/scene"
)

// look finds out whether another process moves the conversation on. If none does, a turn that has no end was cut off by a crash, and gets
// one.
func (rs *reads) look() tea.Cmd {
	if rs.looking || rs.p.ours() || !unanswered(rs.p.scene) {
		rs.p.theirs = rs.p.theirs && unanswered(rs.p.scene) && !rs.p.ours()
		rs.p.question()
		return nil
	}
	rs.looking = true
	name, e, head := rs.p.env.Tree, rs.p.d.Engine, rs.p.scene.Tree.Head
	settled := rs.settled == head
	rs.settled = head
	atWork := func() bool {
		if conversation.In(e).AtWorkElsewhere(name) {
			return true
		}
		if !settled {
			e.Do(rs.p.d.Ctx, turns.Settle{Tree: name}) // refused where somebody begins just now, or where nothing can be written
		}
		return false
	}
	return rs.p.d.Elsewhere(atWork, func(is bool) bool {
		rs.p.theirs = is && rs.p.env.Tree == name && unanswered(rs.p.scene) && !rs.p.ours()
		rs.looking = rs.p.theirs && rs.cancel != nil
		rs.p.question()
		return rs.looking
	})
}

// ours reports whether a turn runs in this process.
func (st *standing) ours() bool {
	return st.scene.Tree.Root != "" && st.d.Engine.Running(st.scene.Tree.Root)
}

// unanswered reports whether the last turn has not ended.
func unanswered(s *scene.Chat) bool {
	n := len(s.Entries)
	return n > 0 && s.Entries[n-1].Sort != scene.Answered
}
