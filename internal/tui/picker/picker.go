// Package picker is a list to choose from: typed text filters it, keys move in it, and only visible rows are
// drawn.
package picker

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Item is a row. A mark of a character or two precedes the title, a note is at the right. Items of a group are
// adjacent; the group's name is above them as long as nothing is filtered.
type Item struct {
	Title, Note, Mark string
	Say               string // a sentence after the title
	Words             string // names that are searched, but not shown
	Also              string // those of Words shown after the title while something is typed, if Say is empty
	Group             string
	Now               bool // it is the current setting: marked, or said if signs are words
	Value             any
}

// Key is a keystroke for the owner, with a modifier, as letters filter: "ctrl+r" does "rename". One that does
// nothing now is not shown.
type Key struct{ Name, Does string }

// EventKind is the kind of an Event.
type EventKind int

const (
	None      EventKind = iota // nothing for the owner
	Moved                      // another item is the current one, or other items are shown
	Chosen                     // the items of Picked were chosen
	Cancelled                  // closed without choosing
	Pressed                    // one of the owner's keys, on the current item
)

// Event is the result of a message; Key is the owner's key.
type Event struct {
	Kind EventKind
	Key  string
}

// Picker is the list. Its fields may be set at any time.
type Picker struct {
	Title     string
	Nothing   string // shown for an empty list
	Keys      []Key
	Free      bool                                     // the typed text can be chosen if nothing matches it
	Unmatched string                                   // says what Enter does with it; empty: it uses it
	Multi     bool                                     // space marks items, and the filter takes no spaces
	Preview   func(i Item, width, height int) []string // drawn at the right if there is room
	Below     bool                                     // the preview is drawn below the list

	theme    theme.Theme
	filter   *editor.Editor
	items    []Item
	titles   []string
	full     []string // titles with notes, if any
	marks    int      // cells of the widest mark
	names    int      // cells of the widest title with a sentence after it
	shown    []editor.Match
	found    map[int]string // notes of items that contain the typed text elsewhere
	moved    bool           // since the last typing
	current  int            // index in shown
	marked   map[int]bool
	top      int // the first of shown that is drawn
	page     int // rows of the list as drawn last
	cursorX  int
	cursorY  int
	previews preview
}

// New returns a list of items in their order.
func New(t theme.Theme, title string, items []Item) *Picker {
	p := &Picker{Title: title, theme: t, filter: editor.New(t), page: 10}
	p.filter.OneLine = true
	p.SetItems(items)
	return p
}

// SetItems replaces the items. The filter and the row of the current item stay.
func (p *Picker) SetItems(items []Item) {
	p.items = make([]Item, len(items))
	p.titles, p.full, p.marked, p.marks, p.names = make([]string, len(items)), nil, map[int]bool{}, 0, 0
	noted := slices.ContainsFunc(items, func(i Item) bool { return i.Note+i.Words+i.Say != "" })
	for n, i := range items {
		i.Title, i.Note, i.Mark, i.Group = clean.Line(i.Title), clean.Line(i.Note), clean.Line(i.Mark), clean.Line(i.Group)
		if i.Now && p.theme.Plain {
			i.Note = strings.TrimSuffix("current, "+i.Note, ", ")
		} else if i.Now {
			i.Mark = "●"
		}
		if p.theme.Plain { // the note or the group's name gives its meaning
			i.Mark = ""
		}
		if i.Say = clean.Line(i.Say); i.Say+i.Also != "" {
			p.names = max(p.names, width(i.Title))
		}
		p.items[n], p.titles[n] = i, i.Title
		p.marks = max(p.marks, width(i.Mark))
		if noted {
			p.full = append(p.full, strings.TrimRight(i.Title+gap+i.Note+gap+i.Words+gap+i.Say, " "))
		}
	}
	current := p.current
	p.search()
	p.moveTo(current)
}

// gap separates title and note when both are searched.
const gap = "  "

// Select makes an item the current one, if it is shown.
func (p *Picker) Select(index int) {
	if i := slices.IndexFunc(p.shown, func(m editor.Match) bool { return m.Index == index }); i >= 0 {
		p.moveTo(i)
	}
}

// Mark marks an item, if Multi is set.
func (p *Picker) Mark(index int) { p.marked[index] = true }

// Redraw redraws the preview.
func (p *Picker) Redraw() { p.previews = preview{} }

// Typed returns the typed text.
func (p *Picker) Typed() string { return strings.TrimSpace(p.filter.Text()) }

// Filter sets the typed text.
func (p *Picker) Filter(query string) {
	p.filter.Set(query)
	p.search()
}

// Current returns the current item, if there is one.
func (p *Picker) Current() (Item, bool) {
	if len(p.shown) == 0 {
		return Item{}, false
	}
	return p.items[p.shown[p.current].Index], true
}

// Picked returns the marked items in their order, else the current one.
func (p *Picker) Picked() (out []Item) {
	for i := range p.items {
		if p.marked[i] {
			out = append(out, p.items[i])
		}
	}
	if i, ok := p.Current(); ok && len(out) == 0 {
		out = append(out, i)
	}
	return out
}

// search shows items with that name, then matches by title, the best first, and then matches by note.
func (p *Picker) search() {
	query := p.filter.Text()
	p.shown, p.current, p.top = editor.Sentences(query, p.titles), 0, 0
	p.found = nil
	p.previews = preview{}
	if name := strings.ToLower(strings.TrimPrefix(query, "/")); name != "" {
		called := make([][]editor.Match, len(calls))
		for i := range p.items {
			if how := p.items[i].called(name); how < len(calls) {
				called[how] = append(called[how], editor.Match{Index: i})
				p.shown = slices.DeleteFunc(p.shown, func(m editor.Match) bool { return m.Index == i })
			}
		}
		p.shown = append(slices.Concat(called...), p.shown...)
	}
	if p.full == nil || len(p.shown) == len(p.items) {
		return
	}
	known := make([]bool, len(p.items))
	for _, m := range p.shown {
		known[m.Index] = true
	}
	for _, m := range editor.Sentences(query, p.full) {
		if !known[m.Index] {
			p.shown = append(p.shown, m)
		}
	}
}

// calls are the ways to match a name, the surest first.
var calls = []func(is, typed string) bool{
	func(is, typed string) bool { return is == typed },
	strings.HasPrefix,
	func(is, typed string) bool { return strings.Contains(is, "-"+typed) },
}

// called returns how surely a text names an item; len(calls): not at all.
func (i *Item) called(typed string) int {
	best := len(calls)
	for name := range strings.FieldsSeq(i.Words) {
		if how := slices.IndexFunc(calls, func(is func(is, typed string) bool) bool {
			return is(strings.TrimPrefix(name, "/"),
				typed)
		}); how >= 0 {
			best = min(best, how)
		}
	}
	return best
}

// Update handles keys, pastes and the mouse wheel.
func (p *Picker) Update(msg tea.Msg) Event {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			return p.moveTo(p.current - 3)
		case tea.MouseWheelDown:
			return p.moveTo(p.current + 3)
		}
		return Event{}
	case tea.KeyPressMsg:
		if e, done := p.press(msg.Keystroke()); done {
			return e
		}
	}
	if p.filter.Update(msg) == editor.Changed {
		p.search()
		p.moved = false
		return Event{Kind: Moved}
	}
	return Event{}
}

// press handles a key of the list; other keys go to the filter.
func (p *Picker) press(key string) (e Event, done bool) {
	if slices.ContainsFunc(p.Keys, func(k Key) bool { return k.Name == key }) {
		return Event{Pressed, key}, true
	}
	switch key {
	case "enter":
		if len(p.Picked()) > 0 || p.Free && p.Typed() != "" {
			e.Kind = Chosen
		}
	case "esc", "ctrl+c":
		e.Kind = Cancelled
	case "up", "ctrl+p":
		e = p.moveTo(p.current - 1)
	case "down", "ctrl+n":
		e = p.moveTo(p.current + 1)
	case "pgup":
		e = p.moveTo(p.current - p.page)
	case "pgdown":
		e = p.moveTo(p.current + p.page)
	case "home":
		e = p.moveTo(0)
	case "end":
		e = p.moveTo(len(p.shown) - 1)
	case "space", "tab":
		if !p.Multi {
			return e, false
		}
		if len(p.shown) > 0 {
			i := p.shown[p.current].Index
			if p.marked[i] = !p.marked[i]; !p.marked[i] {
				delete(p.marked, i)
			}
			e.Kind = Moved
		}
	default:
		return e, false
	}
	return e, true
}

func (p *Picker) moveTo(i int) Event {
	if i = max(min(i, len(p.shown)-1), 0); i == p.current {
		return Event{}
	}
	p.current, p.moved = i, true
	return Event{Kind: Moved}
}
