package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// wordActions are what a person can say to a debate about one of its seats or claims, chosen from a list.
func wordActions() []action.Action[*debatePage] {
	return []action.Action[*debatePage]{
		{Name: "debate-drop", Doc: "ask a seat no more; a vote it cast stays", Also: "/drop SEAT", Do: (*debatePage).drop},
		{Name: "debate-add", Doc: "let another seat join", Also: "/add SPEC", Do: func(p *debatePage) tea.Cmd {
			return p.d.pickModel("Who shall join?", "", func(spec string) tea.Cmd { return p.tell(debate.Word{Verb: debate.Join, Spec: spec}) }, nil)
		}},
		{Name: "debate-veto", Doc: "take a claim out of the count", Also: "/veto CLAIM", Do: (*debatePage).veto},
		{Name: "debate-choose", Doc: "break a tie", Also: "/choose OPTION", Do: (*debatePage).choose},
	}
}

func (p *debatePage) drop() tea.Cmd {
	var items []picker.Item
	for _, s := range p.scene.Seats {
		items = append(items, picker.Item{Title: p.d.Clean(s.Info.ID + "  " + s.Info.Title()), Note: p.d.Clean(s.State), Value: s.Info.ID})
	}
	p.d.Push(dialog.NewPick(p.d.Screen, "Which seat shall be asked no more?", items, func(i picker.Item) tea.Cmd {
		return p.tell(debate.Word{Verb: debate.Drop, Seat: i.Value.(string)})
	}))
	return nil
}

// veto has the person say why before the claim is taken out.
func (p *debatePage) veto() tea.Cmd {
	var items []picker.Item
	for _, c := range p.scene.Result().Claims {
		if c.Vetoed == "" {
			items = append(items, picker.Item{Title: p.d.Clean(strings.ToUpper(c.ID) + "  " + c.Text), Note: p.d.Clean(c.Seat), Value: c.ID})
		}
	}
	list := dialog.NewPick(p.d.Screen, "Which claim shall not count?", items, func(i picker.Item) tea.Cmd {
		p.input.Set("/veto " + i.Value.(string) + " ")
		p.d.Tell("say why, or leave it at that; Enter sends it")
		return nil
	})
	list.List.Nothing = "there are no claims yet: they come with the blind ballots"
	p.d.Push(list)
	return nil
}

func (p *debatePage) choose() tea.Cmd {
	var items []picker.Item
	for _, o := range p.scene.Options() {
		items = append(items, picker.Item{Title: p.d.Clean(o.Key + "  " + o.Text), Value: o.Key})
	}
	p.d.Push(dialog.NewPick(p.d.Screen, "Which one, if the panel comes to none?", items, func(i picker.Item) tea.Cmd {
		return p.tell(debate.Word{Verb: debate.Choose, Option: i.Value.(string)})
	}))
	return nil
}

// letter is the option that is chosen by a letter alone, while the person is asked for one, and after an end without a decision.
func (p *debatePage) letter(text string) (debate.Word, bool) {
	if need := p.scene.Need; need != nil && len(need.Options) > 0 || p.scene.End != nil && p.canChoose() {
		for _, o := range p.scene.Options() {
			if strings.EqualFold(o.Key, strings.TrimSpace(text)) {
				return debate.Word{Verb: debate.Choose, Option: o.Key}, true
			}
		}
	}
	return debate.Word{}, false
}
