package roompage

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// goOn asks the seats of an ended debate the next question, in a tab of its own.
func (od *orders) goOn(question string) tea.Cmd {
	asked := rooms.Asked{Question: question, Flags: []string{"--follow=" + od.p.room}}
	for _, spec := range od.next {
		asked.Flags = append(asked.Flags, "--seat="+spec)
	}
	return od.p.d.Desk.Debate(asked, od.p.back)
}

// seats changes the seats: at once during the debate, else for the next question.
func (od *orders) seats() tea.Cmd {
	if od.p.room == "" {
		od.p.d.Refuse("the debate has not started yet")
		return nil
	}
	items := []picker.Item{{Title: "Add a seat", Value: ""}}
	for _, s := range od.sitting() {
		items = append(items, picker.Item{Title: od.p.d.Clean("Drop " + s.title), Note: od.p.d.Clean(s.note), Value: s.name})
	}
	title := "Seats"
	if od.p.scene.End != nil {
		title = "Seats of the next debate"
	}
	od.p.d.Push(dialog.NewPick(od.p.d, title, items, func(i picker.Item) tea.Cmd {
		if name := i.Value.(string); name != "" {
			return od.stand(name)
		}
		return od.p.d.Desk.PickModel("Add which seat?", od.sit)
	}))
	return nil
}

// sitter is a seat that can be dropped: name is its id during the debate, else its spec.
type sitter struct{ name, title, note string }

func (od *orders) sitting() (out []sitter) {
	if od.p.scene.End == nil {
		for _, s := range od.p.scene.Seats {
			if !s.Out {
				out = append(out, sitter{s.Info.ID, s.Info.Title(), s.Info.Model})
			}
		}
		return out
	}
	for _, spec := range od.later() {
		out = append(out, sitter{spec, spec, ""})
	}
	return out
}

// later returns the specs of the next debate's seats.
func (od *orders) later() []string {
	if od.next != nil {
		return od.next
	}
	var specs []string
	for _, s := range od.p.scene.Result().Seats {
		if !s.Dropped {
			specs = append(specs, s.Called())
		}
	}
	return specs
}

func (od *orders) sit(spec string) tea.Cmd {
	if od.p.scene.End == nil {
		return od.tell(people.Message{Verb: people.Join, Spec: spec})
	}
	od.next = append(slices.Clone(od.later()), spec)
	od.told()
	return nil
}

func (od *orders) stand(name string) tea.Cmd {
	if od.p.scene.End == nil {
		return od.tell(people.Message{Verb: people.Drop, Seat: name})
	}
	rest := slices.Clone(od.later())
	i := slices.Index(rest, name)
	if i < 0 || len(rest) < 3 {
		od.p.d.Refuse("a debate needs two seats; add another one first")
		return nil
	}
	od.next = slices.Delete(rest, i, i+1)
	od.told()
	return nil
}

func (od *orders) told() {
	od.p.d.Tell("the next question goes to " + od.p.d.Clean(strings.Join(od.next, ", ")))
}
