package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/treepage"
)

// openTree shows a conversation's tree in a tab of its own.
func (d *Desk) openTree(name string) tea.Cmd {
	for i, t := range d.tabs {
		if k := t.Kept(); k.Page == "tree" && k.Name == name {
			d.show(i)
			return nil
		}
	}
	var p *treepage.Page
	d.open(func(id int) screen.Page {
		p = treepage.New(d.Screen, id, name)
		return p
	})
	return p.Load()
}

// treeOf shows the tree of the conversation that is shown.
func (d *Desk) treeOf() tea.Cmd {
	if p, ok := d.current().(*chatPage); ok && p.env.Tree != "" {
		return d.openTree(p.env.Tree)
	}
	d.Tell("a tree is that of a conversation that has begun")
	return nil
}

// recheck has the page of a conversation look whether it was moved.
func (d *Desk) recheck(name string) tea.Cmd {
	for _, t := range d.tabs {
		if c, ok := t.Page.(*chatPage); ok && c.env.Tree == name {
			return c.recheck()
		}
	}
	return nil
}
