package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/menu"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/roompage"
)

// palette lists all actions.
type palette struct{ d *Desk }

// show offers every action by name, those of the page first, and then the commands without an action.
func (pl *palette) show() tea.Cmd {
	here := pl.d.scope()
	var first, all, numbered []*Action
	for i := range pl.d.keys.all {
		switch a := &pl.d.keys.all[i]; {
		case a.Name == "palette" || a.Where != action.Anywhere && a.Where != here:
		case a.Can != nil && !a.Can(pl.d):
		case a.Where == here && here != action.Anywhere:
			first = append(first, a)
		case a.Tab > 0:
			numbered = append(numbered, a)
		default:
			all = append(all, a)
		}
	}
	known := slices.Concat(first, all)
	page := slices.Concat(first, pl.typable(known))
	slices.SortStableFunc(page, func(a, b *Action) int { // actions that scroll are rarely searched by name
		return cmp.Compare(len(b.Also), 0) - cmp.Compare(len(a.Also), 0)
	})
	var items []picker.Item
	for _, a := range slices.Concat(page, all, numbered) {
		items = append(items, pl.item(a))
	}
	items = append(items, pl.d.newSettings().actions()...)
	pl.d.Push(dialog.NewPick(pl.d.Screen, "Commands", items, func(i picker.Item) tea.Cmd { return i.Value.(*Action).Do(pl.d) }))
	return nil
}

// item returns an action's list item: its name, then a sentence or its other names, and its keys at the right.
func (pl *palette) item(a *Action) picker.Item {
	it := picker.Item{Title: a.Doc, Note: strings.Join(a.Keys, ", "), Words: a.Names(), Also: strings.ReplaceAll(a.Like, " ", ", "),
		Group: action.Scopes[a.Where], Value: a}
	switch {
	case a.Typed:
		it.Title, it.Say = a.Also, a.Doc
		if !pl.d.Plain {
			it.Title = line.Clip(a.Also, max(12, (pl.d.Width-10)*2/5)) // sentences have a column of their own
		}
	case a.Also != "":
		it.Note = strings.TrimPrefix(it.Note+"  "+a.Also, "  ")
	}
	return it
}

// keys lists all keys, from the table that the screen itself uses.
func (pl *palette) keys() tea.Cmd {
	var items []picker.Item
	for _, at := range []action.Scope{pl.d.scope(), action.Anywhere, action.InChat, action.InDebate, action.InTree, action.InRun,
		action.InBoard} {
		for i := range pl.d.keys.all {
			a := &pl.d.keys.all[i]
			if a.Where != at || containsAction(items, a) {
				continue
			}
			keys := strings.Join(a.Keys, "  ")
			if keys == "" {
				keys = "–"
			}
			items = append(items, picker.Item{Title: line.Pad(keys, 22) + a.Doc, Note: a.Also, Words: a.Names(),
				Group: action.Scopes[a.Where], Value: a})
		}
	}
	for _, k := range asked {
		a := &Action{Name: "permission", Doc: k[1], Do: func(d *Desk) tea.Cmd {
			d.Tell("works while a tool call waits for your permission and the input is empty")
			return nil
		}}
		items = append(items, picker.Item{Title: line.Pad(k[0], 22) + a.Doc, Words: a.Names(),
			Group: "while a permission is asked", Value: a})
	}
	pl.d.Push(dialog.NewPick(pl.d.Screen, "All keys", items, func(i picker.Item) tea.Cmd { return i.Value.(*Action).Do(pl.d) }))
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

// menu returns the menu of the focused input; nil: none.
func (d *Desk) menu() (*menu.Menu, *editor.Editor) {
	switch p := d.current().(type) {
	case *chatpage.Page:
		return p.Menu(), d.input()
	case *roompage.Page:
		return p.Menu(), d.input()
	}
	return nil, nil
}
