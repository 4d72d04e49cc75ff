package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Pick is a list in a box to choose from.
type Pick struct {
	s      *screen.Screen
	List   *picker.Picker
	chosen func(i picker.Item) tea.Cmd
	// Keys act on the current item; the list stays.
	Keys map[string]func(i picker.Item) tea.Cmd
	// Moved is called with the new current item; nil: not needed.
	Moved func(i picker.Item) tea.Cmd
	// Several receives the marked items, instead of chosen.
	Several func(all []picker.Item) tea.Cmd
	// Typed receives the typed text if nothing matches it.
	Typed func(text string) tea.Cmd
	// Sought receives the typed text at each change; nil: not needed.
	Sought func(text string) tea.Cmd
	was    string // typed before
	// Stays keeps the list open when something is chosen.
	Stays bool
	// Always are keys that need no item.
	Always map[string]func() tea.Cmd
}

// NewPick returns a list of items; chosen is called with the one that Enter takes.
func NewPick(s *screen.Screen, title string, items []picker.Item, chosen func(i picker.Item) tea.Cmd) *Pick {
	return &Pick{s: s, List: picker.New(s.Theme, title, items), chosen: chosen}
}

// Draw is narrow and low, unless the list has a preview.
func (p *Pick) Draw(w, h int) ([]string, *tea.Cursor) {
	h = min(h-2, 30)
	if p.List.Preview == nil {
		w = min(w, box.Handy)
		h = min(h, max(8, p.List.Rows()+5))
	}
	lines := p.List.Lines(w-4, h-2)
	x, y := p.List.Cursor()
	return box.Around(p.s.Theme, "", box.Fill(lines, w-4, h-2), w), tea.NewCursor(x+2, y+1)
}

// Update closes the list before it calls chosen, unless the list stays.
func (p *Pick) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "ctrl+c" {
		p.s.Pop(p)
		return nil
	}
	switch e := p.List.Update(msg); e.Kind {
	case picker.Moved:
		var cmds []tea.Cmd
		if text := p.List.Typed(); p.Sought != nil && text != p.was {
			p.was = text
			cmds = append(cmds, p.Sought(text))
		}
		if i, ok := p.List.Current(); ok && p.Moved != nil {
			cmds = append(cmds, p.Moved(i))
		}
		return tea.Batch(cmds...)
	case picker.Chosen:
		if !p.Stays {
			p.s.Pop(p)
		}
		if p.Several != nil {
			return p.Several(p.List.Picked())
		}
		if i, ok := p.List.Current(); ok {
			return p.chosen(i)
		}
		return p.Typed(p.List.Typed())
	case picker.Cancelled:
		p.s.Pop(p)
	case picker.Pressed:
		if do := p.Always[e.Key]; do != nil {
			return do()
		}
		if i, ok := p.List.Current(); ok && p.Keys[e.Key] != nil {
			return p.Keys[e.Key](i)
		}
	}
	return nil
}
