package roompage

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// Compare offers the seats' answers, the newest first.
func (p *Page) Compare() tea.Cmd {
	var items []picker.Item
	var turns []*scene.Turn
	for _, s := range p.scene.Seats {
		turns = append(turns, s.Turns...)
	}
	slices.SortStableFunc(turns, func(a, b *scene.Turn) int { return b.Asked.Round - a.Asked.Round })
	for _, t := range turns {
		if t.Reply == nil || t.Text == "" {
			continue
		}
		text := p.scene.Read(t)
		items = append(items, picker.Item{Title: line.One(p.d.Clean(t.Asked.Seat + ": " + text)), Group: scene.Stage(t.Asked),
			Value: dialog.Answer{Who: t.Asked.Seat + " · " + scene.Stage(t.Asked), Text: text}})
	}
	dialog.Compare(p.d, items, nil)
	return nil
}
