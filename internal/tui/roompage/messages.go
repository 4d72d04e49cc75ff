package roompage

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/tui/action"
)

// messageActions are the messages about a seat or claim, chosen from a list.
func messageActions() []action.Action[*Page] {
	return []action.Action[*Page]{
		{Name: "debate-drop", Doc: "Drop a seat (its vote stays)", Also: "/drop SEAT",
			Do: func(p *Page) tea.Cmd { return p.orders.drop() }},
		{Name: "debate-add", Doc: "Add a seat", Also: "/add SPEC", Do: func(p *Page) tea.Cmd {
			return p.d.Desk.PickModel("Add which seat?", func(spec string) tea.Cmd {
				return p.orders.tell(people.Message{Verb: people.Join,
					Spec: spec})
			})
		}},
		{Name: "debate-veto", Doc: "Veto a claim", Also: "/veto CLAIM",
			Do: func(p *Page) tea.Cmd { return p.orders.veto() }},
		{Name: "debate-choose", Doc: "Break a tie", Also: "/choose OPTION", Do: func(p *Page) tea.Cmd { return p.orders.choose() }},
	}
}
