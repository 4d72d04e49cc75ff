package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Another process may move on what a page shows. Its nodes come by themselves; that it is at work is seen by its lock.

// elsewhereTime is how often it is looked whether another process is still there.
const elsewhereTime = 2 * time.Second

// elsewhere finds out, beside the screen, whether another process is at work; then is told on the screen's own turn, and
// says whether to look again after a while.
func (d *Desk) elsewhere(locked func() bool, then func(bool) bool) tea.Cmd {
	return d.Away(func(context.Context) func() tea.Cmd {
		is := locked()
		return func() tea.Cmd {
			if !then(is) {
				return nil
			}
			return tea.Tick(elsewhereTime, func(time.Time) tea.Msg {
				return screen.Turn(func() tea.Cmd { return d.elsewhere(locked, then) })
			})
		}
	})
}

// look finds out whether another process moves the conversation on.
func (p *chatPage) look() tea.Cmd {
	if p.looking || p.ours() || !unanswered(p.scene) {
		p.theirs = p.theirs && unanswered(p.scene) && !p.ours()
		p.question()
		return nil
	}
	p.looking = true
	name, e := p.env.Tree, p.d.Engine
	return p.d.elsewhere(func() bool { return e.AtWorkElsewhere(name) }, func(is bool) bool {
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

// look finds out whether another process moves the debate on.
func (p *debatePage) look() tea.Cmd {
	over := func() bool {
		return p.room == "" || p.scene.End != nil || p.scene.Root != "" && p.d.Engine.Running(p.scene.Root)
	}
	if p.looking || over() {
		p.theirs = p.theirs && !over()
		return nil
	}
	p.looking = true
	name, e := p.room, p.d.Engine
	return p.d.elsewhere(func() bool { return e.DebatingElsewhere(name) }, func(is bool) bool {
		p.theirs = is && !over()
		p.looking = p.theirs && p.cancel != nil
		return p.looking
	})
}
