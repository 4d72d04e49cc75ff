package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// pick is a list in a box to choose from.
type pick struct {
	d      *Desk
	list   *picker.Picker
	chosen func(i picker.Item) tea.Cmd
	// keys do something with the current item; the list stays.
	keys map[string]func(i picker.Item) tea.Cmd
	// moved is told which item is the current one now; nil: nobody asks.
	moved func(i picker.Item) tea.Cmd
	// several takes what was marked, in place of chosen.
	several func(all []picker.Item) tea.Cmd
	// typed takes what was typed where nothing matches it.
	typed func(text string) tea.Cmd
	// sought is told what is typed now; nil: nobody asks.
	sought func(text string) tea.Cmd
	was    string // typed before
	// always are keys that need no item.
	always map[string]func() tea.Cmd
}

func newPick(d *Desk, title string, items []picker.Item, chosen func(i picker.Item) tea.Cmd) *pick {
	return &pick{d: d, list: picker.New(d.Theme, title, items), chosen: chosen}
}

func (p *pick) Draw(w, h int) ([]string, *tea.Cursor) {
	h = min(h-2, 30)
	if p.list.Preview == nil {
		w = min(w, box.Handy)
		h = min(h, max(8, p.list.Rows()+5))
	}
	lines := p.list.Lines(w-4, h-2)
	x, y := p.list.Cursor()
	return box.Around(p.d.Theme, "", box.Fill(lines, w-4, h-2), w), tea.NewCursor(x+2, y+1)
}

func (p *pick) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "ctrl+c" {
		p.d.Pop(p)
		return nil
	}
	switch e := p.list.Update(msg); e.Kind {
	case picker.Moved:
		var cmds []tea.Cmd
		if text := p.list.Typed(); p.sought != nil && text != p.was {
			p.was = text
			cmds = append(cmds, p.sought(text))
		}
		if i, ok := p.list.Current(); ok && p.moved != nil {
			cmds = append(cmds, p.moved(i))
		}
		return tea.Batch(cmds...)
	case picker.Chosen:
		p.d.Pop(p)
		if p.several != nil {
			return p.several(p.list.Picked())
		}
		if i, ok := p.list.Current(); ok {
			return p.chosen(i)
		}
		return p.typed(p.list.Typed())
	case picker.Cancelled:
		p.d.Pop(p)
	case picker.Pressed:
		if do := p.always[e.Key]; do != nil {
			return do()
		}
		if i, ok := p.list.Current(); ok && p.keys[e.Key] != nil {
			return p.keys[e.Key](i)
		}
	}
	return nil
}

// palette offers every action by name, those of the page first, and then the commands that no action stands for.
func (d *Desk) palette() tea.Cmd {
	here := d.place()
	var first, all, numbered []*Action
	for i := range d.keys.all {
		switch a := &d.keys.all[i]; {
		case a.Name == "palette" || a.Where != anywhere && a.Where != here:
		case a.Where == here && here != anywhere:
			first = append(first, a)
		case a.Tab > 0:
			numbered = append(numbered, a)
		default:
			all = append(all, a)
		}
	}
	known := slices.Concat(first, all)
	page := slices.Concat(first, d.typable(known))
	slices.SortStableFunc(page, func(a, b *Action) int { // what moves the page about is rarely looked for by name
		return cmp.Compare(len(b.Also), 0) - cmp.Compare(len(a.Also), 0)
	})
	var items []picker.Item
	for _, a := range slices.Concat(page, all, numbered) {
		note := strings.Join(a.Keys, ", ")
		if a.Also != "" {
			note = strings.TrimPrefix(note+"  "+a.Also, "  ")
		}
		items = append(items, picker.Item{Title: a.Doc, Note: note, Words: a.names(), Group: places[a.Where], Value: a})
	}
	d.Push(newPick(d, "What shall be done?", items, func(i picker.Item) tea.Cmd { return i.Value.(*Action).Do(d) }))
	return nil
}

// help lists all keys, from the table that the screen itself looks them up in.
func (d *Desk) help() tea.Cmd {
	var items []picker.Item
	for _, at := range []place{d.place(), anywhere, inChat, inDebate, inTree} {
		for i := range d.keys.all {
			a := &d.keys.all[i]
			if a.Where != at || containsAction(items, a) {
				continue
			}
			keys := strings.Join(a.Keys, "  ")
			if keys == "" {
				keys = "–"
			}
			items = append(items, picker.Item{Title: line.Pad(keys, 22) + a.Doc, Note: a.Also, Words: a.names(), Group: places[a.Where], Value: a})
		}
	}
	d.Push(newPick(d, "Keys: type to search, Enter does it; /help lists the commands of a conversation", items, func(i picker.Item) tea.Cmd { return i.Value.(*Action).Do(d) }))
	return nil
}

func containsAction(items []picker.Item, a *Action) bool {
	for _, i := range items {
		if i.Value == a {
			return true
		}
	}
	return false
}
