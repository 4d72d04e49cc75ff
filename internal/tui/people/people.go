// Package people is who can answer on the screen: who was found, whom the person chose, how they are signed in.
package people

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

// Candidate is somebody who could answer, or why they cannot.
type Candidate struct {
	Name                      string // of the vendor, the program or the server
	Spec, Model, Lineage, Why string
	Open                      string // the spec that leaves the model open; the same as Spec if there is none
	Source                    string // program, key, local, config; the rehearsal is a source of its own
	Tier                      string // that the person set for the name; empty: none
	Choices                   []Choice
	Ready                     bool
	Used                      bool   // it sits in a debate when nothing else is said
	Second                    string // the spec of its vendor that sits beside it then, where it would sit alone; empty: none
	// the command that signs in, where a browser does, one that is on another machine; nil: there is none
	SignIn  []string
	Browser bool   // a browser signs in, not a key
	Unsure  bool   // it cannot be seen whether it is signed in
	How     string // what that does, in a few words
}

// byRule says whether the seat is the rehearsal, which works by rule.
func (s Candidate) byRule() bool { return s.Source == s.Spec }

// open says whether its model can be left open, so that phases and settings say which it is.
func (s Candidate) open() bool { return s.Source == "program" || s.Source == "key" && s.Open != s.Spec }

// adds says how a vendor is signed in to: on the screen, or by the variable that is not set yet.
func (s Candidate) adds() string {
	if name, ok := strings.CutSuffix(s.Why, " is not set"); ok {
		return s.How + ", or set " + name
	}
	return s.How + screen.Between + s.Why
}

// sitting says which model sits in a debate, at what price, and of which lineage.
func (s Candidate) sitting() string {
	if s.byRule() {
		return "offline, rule-based; no model"
	}
	parts := []string{s.Model, "", s.Lineage}
	for _, c := range s.Choices {
		if c.Spec == s.Spec {
			parts[0], parts[1] = c.Model, c.Price
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), screen.Between)
}

// People are those who can answer, as the person settled it.
type People struct {
	*screen.Screen
	World
	desk Host

	Spec    string              // who answers where nobody was named; empty: not found yet
	Nobody  error               // why nobody is
	Opening *Opening            // what a conversation begins with; nil: nobody looked yet
	Table   []string            // the seats of the next debates; nil: whom the settings name
	names   map[[2]string]known // how models are called, by spec and phase
	limits  map[string]string   // modes of phases
}

// Host is what setting up asks of the desk.
type Host struct {
	// Here is the conversation that is shown; ok is false if none is.
	Here func() (c Conversation, ok bool)
	// Renew has the models that commands offer looked up again.
	Renew func()
	// Rehearsal shows how a debate goes, without a model: about this folder, or where question is empty about a sample.
	Rehearsal func(question string) tea.Cmd
	// Begins says whether the page that is shown offers what to begin with.
	Begins func() bool
}

// Conversation is one that somebody answers in.
type Conversation struct {
	Model  string                          // who does; empty: nobody was named
	Answer func(spec, said string) tea.Cmd // has somebody answer from now on, and says so
	Type   func(text string)               // puts a text into its input, in place of what is there
	Add    func(text string)               // puts a text behind what is in its input, as a line
}

// New are those of a world.
func New(s *screen.Screen, w World, d Host) *People { return &People{Screen: s, World: w, desk: d} }

// Models chooses who answers: in a conversation the model, elsewhere the seats of the next debates.
func (ps *People) Models() tea.Cmd {
	c, ok := ps.desk.Here()
	if !ok {
		return ps.PickSeats()
	}
	return ps.PickModel("Choose a model", c.Model, func(spec string) tea.Cmd { return c.Answer(spec, spec+" is now the model") },
		func(list *dialog.Pick) {
			list.List.Keys = []picker.Key{{Name: "ctrl+s", Does: "make default"}, {Name: "ctrl+t", Does: "set tier"},
				{Name: "alt+s", Does: "panel of debates"}}
			list.Keys = map[string]func(picker.Item) tea.Cmd{
				"ctrl+s": func(i picker.Item) tea.Cmd {
					ps.Pop(list)
					spec := i.Value.(offered).spec
					file, ok := ps.keep("chat.model", spec)
					if !ok {
						return nil
					}
					said := spec + " is the model here and in new conversations; saved in " + file
					return tea.Batch(c.Answer(spec, said), ps.Look(dialog.Nothing))
				},
				"alt+s": func(picker.Item) tea.Cmd { ps.Pop(list); return ps.PickSeats() },
				"ctrl+t": func(i picker.Item) tea.Cmd {
					return ps.keepTier(i.Value.(offered).seat, func() tea.Cmd { ps.Pop(list); return ps.Models() })
				},
			}
		})
}

// offered is a model to choose, and whose it is.
type offered struct {
	spec string
	seat Candidate
}

// PickModel asks who shall do something, of all models of those who are there.
func (ps *People) PickModel(title, now string, then func(spec string) tea.Cmd, with func(list *dialog.Pick)) tea.Cmd {
	return ps.found(func(all []Candidate) tea.Cmd {
		var items []picker.Item
		current, taken := 0, map[string]bool{}
		add := func(s Candidate, spec, note string) {
			if taken[spec] {
				return
			}
			taken[spec] = true
			i := picker.Item{Title: spec, Note: line.One(ps.Clean(note)),
				Group: line.One(ps.Clean(s.Name+screen.Between+s.Why)) + prices(s.Choices), Value: offered{spec, s}}
			if spec == now {
				current = len(items)
				i.Now = true
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
				add(s, s.Open, ps.usual(s))
			}
			for _, c := range s.Choices {
				add(s, c.Spec, c.note())
			}
		}
		if len(items) == 0 && with != nil { // what can be done about it
			return ps.Setup()
		}
		p := dialog.NewPick(ps.Screen, title, items, func(i picker.Item) tea.Cmd { return then(i.Value.(offered).spec) })
		p.List.Nothing = "no models found; see /login, or type a model's name"
		p.List.Free, p.Typed = true, then
		p.List.Select(current)
		if with != nil {
			with(p)
		}
		ps.Push(p)
		return nil
	})
}

// found looks who is there, and goes on with them on the screen's own turn.
func (ps *People) found(then func(all []Candidate) tea.Cmd) tea.Cmd {
	if ps.Seats == nil {
		ps.Tell("models cannot be detected here")
		return nil
	}
	over := ps.Meanwhile("looking for models…")
	return ps.Away(func(ctx context.Context) func() tea.Cmd {
		all, err := ps.Seats(ctx)
		return func() tea.Cmd {
			over()
			if err != nil {
				ps.Fail(err)
				return nil
			}
			return then(all)
		}
	})
}

// PickSeats chooses who sits in the next debates of this screen.
func (ps *People) PickSeats() tea.Cmd {
	return ps.found(func(all []Candidate) tea.Cmd {
		var items []picker.Item
		var marked []int
		for _, s := range all {
			if !s.Ready {
				continue
			}
			for _, s := range s.each() {
				if sits(ps.Table, s) {
					marked = append(marked, len(items))
				}
				items = append(items, picker.Item{Title: s.Spec, Note: line.One(ps.Clean(s.sitting())), Value: s})
			}
		}
		p := dialog.NewPick(ps.Screen, "Choose the panel", items, nil)
		p.List.Multi = true
		p.List.Keys = []picker.Key{{Name: "ctrl+o", Does: "use the settings"}, {Name: "ctrl+t", Does: "set tier"}}
		p.Keys = map[string]func(picker.Item) tea.Cmd{
			"ctrl+o": func(picker.Item) tea.Cmd {
				ps.Pop(p)
				ps.sit(nil)
				return nil
			},
			"ctrl+t": func(i picker.Item) tea.Cmd {
				return ps.keepTier(i.Value.(Candidate), func() tea.Cmd { ps.Pop(p); return ps.PickSeats() })
			},
		}
		p.Several = func(chosen []picker.Item) tea.Cmd {
			var specs []string
			rehearsal := false
			for _, i := range chosen {
				s := i.Value.(Candidate)
				if s.byRule() && len(chosen) > 1 {
					ps.Tell(s.Spec + " cannot be combined with models: it is rule-based")
					ps.Push(p)
					return nil
				}
				specs, rehearsal = append(specs, s.Spec), s.byRule()
			}
			if ps.sit(specs); rehearsal {
				ps.Tell("the next debates are rehearsals with three rule-based seats")
			}
			return nil
		}
		for _, i := range marked {
			p.List.Mark(i)
		}
		ps.Push(p)
		return nil
	})
}

// each are the seat and every other model that it could sit with.
func (s Candidate) each() []Candidate {
	all := []Candidate{s}
	for _, c := range s.Choices {
		if c.Spec != s.Spec {
			other := s
			other.Spec, other.Used = c.Spec, c.Spec == s.Second
			all = append(all, other)
		}
	}
	return all
}

// sits says whether a seat is among those chosen, or sits by itself if none were.
func sits(chosen []string, s Candidate) bool {
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
func (ps *People) sit(specs []string) {
	ps.Table, ps.Seated = specs, specs
	if specs == nil {
		ps.Tell("the next debates use the seats from the settings, or those detected")
		return
	}
	ps.Tell("the next debates have " + spelling.Many(len(specs), "seat") + ": " + strings.Join(specs, ", "))
}
