package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// restore opens the pages that were kept, and shows the one that was shown. What is not there any more stays away.
func (d *Desk) restore(s Start) tea.Cmd {
	var cmds []tea.Cmd
	shown := -1
	for _, k := range s.Tabs {
		if k.Page == screen.DraftPage || d.lost(k) {
			d.KeepDraft(k.Draft)
			continue
		}
		if k.Shown {
			shown = len(d.tabs)
		}
		cmds = append(cmds, d.reopen(Kept{Page: k.Page, Name: k.Name, Back: k.Back}))
		if input := d.input(); input != nil && k.Draft != "" {
			input.Set(k.Draft)
		}
	}
	d.show(shown)
	if s.New || len(d.tabs) == 0 {
		d.open(d.newChat)
	}
	d.AsKept = d.kept()
	return tea.Batch(cmds...)
}

// lost says whether what a page showed is not there any more.
func (d *Desk) lost(k Kept) bool {
	var err error
	if k.Name == "" {
		return false
	}
	if k.Page == "debate" {
		_, err = d.Engine.Room(d.Ctx, k.Name)
	} else {
		_, err = d.Engine.OpenTree(d.Ctx, k.Name)
	}
	var refused *engine.Refusal
	return errors.As(err, &refused)
}

// keepTabs keeps which pages are open as soon as one comes or goes, so that the next start finds them however this one ends.
func (d *Desk) keepTabs() {
	now := d.kept()
	same := func(a, b Kept) bool { return a.Page == b.Page && a.Name == b.Name && a.Back == b.Back }
	if d.keepOpen == nil || slices.EqualFunc(now, d.AsKept, same) {
		return
	}
	d.AsKept = now
	if err := d.keepOpen(d.withDrafts()); err != nil {
		d.Fail(err)
	}
}

// kept are the pages that are open and have begun.
func (d *Desk) kept() (out []Kept) {
	for i, t := range d.tabs {
		if k := t.Kept(); k != (Kept{}) {
			k.Shown = i == d.at
			out = append(out, k)
		}
	}
	return out
}
