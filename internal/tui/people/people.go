// Package people manages which models can answer on the screen: those found, those chosen, and how to sign in.
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

// Candidate is a seat that could answer, or why it cannot.
type Candidate struct {
	Name                      string // of the vendor, the program or the server
	Spec, Model, Lineage, Why string
	Open                      string // the spec without a model; the same as Spec if that is impossible
	Source                    string // program, key, local, config; the rehearsal is a source of its own
	Tier                      string // set by the person for Name; empty: none
	Choices                   []Choice
	Ready                     bool
	Used                      bool   // it is in the default panel
	Second                    string // the second model of its vendor for the default panel, if it would be alone; empty: none
	// the command that signs in (if with a browser, one on another machine); nil: none
	SignIn  []string
	Browser bool   // a browser signs in, not a key
	Unsure  bool   // unknown whether it is signed in
	How     string // describes that in a few words
}

// byRule reports whether the seat is the rehearsal.
func (s Candidate) byRule() bool { return s.Source == s.Spec }

// open reports whether its spec can leave the model open, so that phases and settings choose it.
func (s Candidate) open() bool { return s.Source == "program" || s.Source == "key" && s.Open != s.Spec }

// adds says how to sign in to a vendor: on the screen, or with the variable that is not set yet.
func (s Candidate) adds() string {
	if name, ok := strings.CutSuffix(s.Why, " is not set"); ok {
		return s.How + ", or set " + name
	}
	return s.How + screen.Between + s.Why
}

// sitting describes the model of a seat in a debate, its price, and its lineage.
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

// People are the models that can answer, with the person's choices.
type People struct {
	*screen.Screen
	World
	desk Host

	Spec    string              // the default model; empty: not found yet
	Nobody  error               // why there is none
	Opening *Opening            // the offers of a new conversation; nil: not found yet
	Table   []string            // the seats of the next debates; nil: those of the settings
	names   map[[2]string]known // display names of models, by spec and phase
	limits  map[string]string   // modes of phases
}

// Host is what the setup needs from the desk.
type Host struct {
	// Here returns the conversation that is shown; ok is false if none is.
	Here func() (c Conversation, ok bool)
	// Renew discovers the models that commands offer again.
	Renew func()
	// Rehearsal shows a debate without a model: about this folder, or if question is empty about a sample.
	Rehearsal func(question string) tea.Cmd
	// Begins reports whether the current page offers ways to begin.
	Begins func() bool
}

// Conversation is a conversation whose model can be chosen.
type Conversation struct {
	Model  string                          // its model; empty: none was chosen
	Answer func(spec, said string) tea.Cmd // chooses the model from now on, and says so
	Type   func(text string)               // replaces the text in its input
	Add    func(text string)               // appends a line to the text in its input
}

// New returns those of a world.
func New(s *screen.Screen, w World, d Host) *People { return &People{Screen: s, World: w, desk: d} }

// Models lets the person choose models: in a conversation its model, elsewhere the seats of the next debates.
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

// offered is a model to choose, and its seat.
type offered struct {
	spec string
	seat Candidate
}

// PickModel asks which model does something, from all available ones.
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

// found discovers the seats, and calls then on the screen's own goroutine.
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

// PickSeats lets the person choose the seats of the next debates of this screen.
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

// each returns the seat with every other model that it could have.
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

// sits reports whether a seat was chosen, or is in the default panel if none were.
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

// sit remembers the seats of the next debates; nil: those of the settings.
func (ps *People) sit(specs []string) {
	ps.Table, ps.Seated = specs, specs
	if specs == nil {
		ps.Tell("the next debates use the seats from the settings, or those detected")
		return
	}
	ps.Tell("the next debates have " + spelling.Many(len(specs), "seat") + ": " + strings.Join(specs, ", "))
}
