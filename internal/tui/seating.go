package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// Seat is somebody who could answer, or why they cannot.
type Seat struct {
	Spec, Model, Lineage, Why string
	Source                    string // program, key, local, config; the rehearsal is a source of its own
	Ready                     bool
	Used                      bool     // it sits in a debate when nothing else is said
	SignIn                    []string // the command that signs in; nil: there is none
	How                       string   // what that does, in a few words
}

// models chooses who answers: in a conversation the model, elsewhere the seats of the next debates.
func (d *Desk) models() tea.Cmd {
	p, ok := d.current().(*chatPage)
	if !ok {
		return d.pickSeats()
	}
	return d.pickModel("Who answers from now on?", func(spec string) tea.Cmd {
		if p.env.Tree == "" {
			p.env.Begin["model"] = spec
			d.tell(spec + " answers from now on")
			return nil
		}
		return d.do(engine.Set{Tree: p.env.Tree, Key: "model", Value: spec}, func(err error) tea.Cmd {
			if err == nil {
				d.tell(spec + " answers from now on")
			}
			return p.recheck()
		})
	})
}

// found looks who is there, and goes on with them on the screen's own turn.
func (d *Desk) found(then func(all []Seat) tea.Cmd) tea.Cmd {
	if d.Seats == nil {
		d.tell("nobody can be looked for here")
		return nil
	}
	d.tell("looking who is there…")
	return d.away(func(ctx context.Context) func() tea.Cmd {
		all, err := d.Seats(ctx)
		return func() tea.Cmd {
			d.note = note{}
			if err != nil {
				d.fail(err)
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
			items = append(items, picker.Item{Title: s.Spec, Note: oneLine(d.Clean(s.Model + " · " + s.Lineage)), Value: s})
		}
		p := newPick(d, "Who sits in the next debates?", items, nil)
		p.list.Multi = true
		p.list.Keys = []picker.Key{{Name: "ctrl+o", Does: "those of the settings"}}
		p.keys = map[string]func(picker.Item) tea.Cmd{"ctrl+o": func(picker.Item) tea.Cmd {
			d.pop(p)
			d.sit(nil)
			return nil
		}}
		p.several = func(chosen []picker.Item) tea.Cmd {
			var specs []string
			for _, i := range chosen {
				s := i.Value.(Seat)
				if s.Source == s.Spec && len(chosen) > 1 {
					d.tell("the " + s.Spec + " sits alone: it works by rule and would pose as a model")
					d.push(p)
					return nil
				}
				specs = append(specs, s.Spec)
			}
			d.sit(specs)
			return nil
		}
		for _, i := range marked {
			p.list.Mark(i)
		}
		d.push(p)
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
		d.tell("the next debates have the seats that the settings name, or that are found")
		return
	}
	d.tell(fmt.Sprintf("the next debates have %d seats: %s", len(specs), strings.Join(specs, ", ")))
}
