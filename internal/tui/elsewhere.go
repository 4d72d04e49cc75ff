package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
)

// Another process may move on what a page shows. Its nodes come by themselves; that it is at work is seen by its lock.

// look finds out whether another process moves the conversation on.
func (p *chatPage) look() tea.Cmd {
	if p.looking || p.ours() || !unanswered(p.scene) {
		p.theirs = p.theirs && unanswered(p.scene) && !p.ours()
		p.question()
		return nil
	}
	p.looking = true
	name, e := p.env.Tree, p.d.Engine
	return p.d.Elsewhere(func() bool { return e.AtWorkElsewhere(name) }, func(is bool) bool {
		p.theirs = is && p.env.Tree == name && unanswered(p.scene) && !p.ours()
		p.looking = p.theirs && p.cancel != nil
		p.question()
		return p.looking
	})
}

// ours says whether a turn is at work in this process.
func (p *chatPage) ours() bool {
	return p.scene.Tree.Root != "" && p.d.Engine.Running(p.scene.Tree.Root)
}

// unanswered says whether something was begun that has not come to its end.
func unanswered(s *scene.Chat) bool {
	n := len(s.Entries)
	return n > 0 && s.Entries[n-1].Sort != scene.Answered
}
