package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Seat is somebody who could answer, or why they cannot.
type Seat struct {
	Name                      string // of the vendor, the program or the server
	Spec, Model, Lineage, Why string
	Open                      string // the spec that leaves the model open; the same as Spec if there is none
	Source                    string // program, key, local, config; the rehearsal is a source of its own
	Tier                      string // that the person set for the name; empty: none
	Choices                   []Choice
	Ready                     bool
	Used                      bool     // it sits in a debate when nothing else is said
	SignIn                    []string // the command that signs in, where a browser does, one that is on another machine; nil: there is none
	Browser                   bool     // a browser signs in, not a key
	Unsure                    bool     // it cannot be seen whether it is signed in
	How                       string   // what that does, in a few words
}

// by rule says whether the seat is the rehearsal, which works by rule.
func (s Seat) byRule() bool { return s.Source == s.Spec }

// open says whether its model can be left open, so that phases and settings say which it is.
func (s Seat) open() bool { return s.Source == "program" || s.Source == "key" && s.Open != s.Spec }

// sitting says which model sits in a debate, at what price, and of which lineage.
func (s Seat) sitting() string {
	parts := []string{s.Model, "", s.Lineage}
	for _, c := range s.Choices {
		if c.Spec == s.Spec {
			parts[0], parts[1] = c.Model, c.Price
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), screen.Between)
}

// models chooses who answers: in a conversation the model, elsewhere the seats of the next debates.
func (d *Desk) models() tea.Cmd {
	p, ok := d.current().(*chatPage)
	if !ok {
		return d.pickSeats()
	}
	return d.pickModel("Who answers in this conversation?", p.setting("model"), func(spec string) tea.Cmd { return p.answer(spec, spec+" answers from now on") }, func(list *dialog.Pick) {
		list.List.Keys = []picker.Key{{Name: "ctrl+s", Does: "in all new ones"}, {Name: "ctrl+t", Does: "its tier"}}
		list.Keys = map[string]func(picker.Item) tea.Cmd{
			"ctrl+s": func(i picker.Item) tea.Cmd {
				d.Pop(list)
				spec := i.Value.(offered).spec
				file, ok := d.keep("chat.model", spec)
				if !ok {
					return nil
				}
				return tea.Batch(p.answer(spec, spec+" answers here and in new conversations; kept in "+file), d.lookModel(dialog.Nothing))
			},
			"ctrl+t": func(i picker.Item) tea.Cmd {
				return d.keepTier(i.Value.(offered).seat, func() tea.Cmd { d.Pop(list); return d.models() })
			},
		}
	})
}

// offered is a model to choose, and whose it is.
type offered struct {
	spec string
	seat Seat
}

// pickModel asks who shall do something, of all models of those who are there.
func (d *Desk) pickModel(title, now string, then func(spec string) tea.Cmd, with func(list *dialog.Pick)) tea.Cmd {
	return d.found(func(all []Seat) tea.Cmd {
		var items []picker.Item
		current, taken := 0, map[string]bool{}
		add := func(s Seat, spec, note string) {
			if taken[spec] {
				return
			}
			taken[spec] = true
			i := picker.Item{Title: spec, Note: line.One(d.Clean(note)), Group: line.One(d.Clean(s.Name+screen.Between+s.Why)) + prices(s.Choices), Value: offered{spec, s}}
			if spec == now {
				current = len(items)
				i.Mark = "●"
			}
			items = append(items, i)
		}
		for _, s := range all {
			if !s.Ready || s.byRule() {
				continue
			}
			if len(s.Choices) == 0 {
				add(s, s.Spec, s.Model)
			} else if s.open() {
				add(s, s.Open, d.usual(s))
			}
			for _, c := range s.Choices {
				add(s, c.Spec, c.note())
			}
		}
		if len(items) == 0 && with != nil { // what can be done about it
			return d.setup()
		}
		p := dialog.NewPick(d.Screen, title, items, func(i picker.Item) tea.Cmd { return then(i.Value.(offered).spec) })
		p.List.Nothing = "nobody was found; /login shows what can be done, or type who it is"
		p.List.Free, p.Typed = true, then
		p.List.Select(current)
		if with != nil {
			with(p)
		}
		d.Push(p)
		return nil
	})
}

// found looks who is there, and goes on with them on the screen's own turn.
func (d *Desk) found(then func(all []Seat) tea.Cmd) tea.Cmd {
	if d.Seats == nil {
		d.Tell("nobody can be looked for here")
		return nil
	}
	was := d.Note
	d.Tell("looking who is there…")
	return d.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := d.Seats(ctx)
		return func() tea.Cmd {
			d.Note = was
			if err != nil {
				d.Fail(err)
				return nil
			}
			return then(all)
		}
	})
}

// pickSeats chooses who sits in the next debates of this screen.
func (d *Desk) pickSeats() tea.Cmd {
	return d.found(func(all []Seat) tea.Cmd {
		var items []picker.Item
		var marked []int
		for _, s := range all {
			if !s.Ready {
				continue
			}
			if sits(d.seats, s) {
				marked = append(marked, len(items))
			}
			items = append(items, picker.Item{Title: s.Spec, Note: line.One(d.Clean(s.sitting())), Value: s})
		}
		p := dialog.NewPick(d.Screen, "Who sits in the next debates?", items, nil)
		p.List.Multi = true
		p.List.Keys = []picker.Key{{Name: "ctrl+o", Does: "as set"}, {Name: "ctrl+t", Does: "its tier"}}
		p.Keys = map[string]func(picker.Item) tea.Cmd{
			"ctrl+o": func(picker.Item) tea.Cmd {
				d.Pop(p)
				d.sit(nil)
				return nil
			},
			"ctrl+t": func(i picker.Item) tea.Cmd {
				return d.keepTier(i.Value.(Seat), func() tea.Cmd { d.Pop(p); return d.pickSeats() })
			},
		}
		p.Several = func(chosen []picker.Item) tea.Cmd {
			var specs []string
			for _, i := range chosen {
				s := i.Value.(Seat)
				if s.byRule() && len(chosen) > 1 {
					d.Tell("the " + s.Spec + " sits alone: it works by rule and would pose as a model")
					d.Push(p)
					return nil
				}
				specs = append(specs, s.Spec)
			}
			d.sit(specs)
			return nil
		}
		for _, i := range marked {
			p.List.Mark(i)
		}
		d.Push(p)
		return nil
	})
}

// sits says whether a seat is among those chosen, or sits by itself if none were.
func sits(chosen []string, s Seat) bool {
	if chosen == nil {
		return s.Used
	}
	for _, spec := range chosen {
		if spec == s.Spec {
			return true
		}
	}
	return false
}

// sit remembers who sits in the next debates; nil: whom the settings name.
func (d *Desk) sit(specs []string) {
	d.seats = specs
	if d.Sit != nil {
		d.Sit(specs)
	}
	if specs == nil {
		d.Tell("the next debates have the seats that the settings name, or that are found")
		return
	}
	d.Tell("the next debates have " + spelling.Many(len(specs), "seat") + ": " + strings.Join(specs, ", "))
}
