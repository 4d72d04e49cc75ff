package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// keeping saves the open pages and their drafts for the next start.
type keeping struct {
	d    *Desk
	tabs *Tabs // nil: they are not saved
}

// restore opens the saved pages, and shows the one that was shown. What no longer exists is skipped.
func (kp *keeping) restore(s Start) tea.Cmd {
	var cmds []tea.Cmd
	shown := -1
	for _, k := range s.Tabs {
		if k.Page == screen.DraftPage || kp.lost(k) {
			kp.d.KeepDraft(k.Draft)
			continue
		}
		if k.Shown {
			shown = len(kp.d.tabs)
		}
		cmds = append(cmds, kp.d.pages.reopen(Kept{Page: k.Page, Name: k.Name, Back: k.Back}))
		if input := kp.d.input(); input != nil && k.Draft != "" {
			input.Set(k.Draft)
		}
	}
	kp.d.show(shown)
	if s.New || len(kp.d.tabs) == 0 {
		kp.d.open(kp.d.pages.newChat)
	}
	kp.d.AsKept = kp.begun()
	return tea.Batch(cmds...)
}

// lost reports whether the content of a page no longer exists.
func (kp *keeping) lost(k Kept) bool {
	var err error
	if k.Name == "" {
		return false
	}
	if k.Page == "run" {
		_, err = runs.In(kp.d.Engine).Root(kp.d.Ctx, k.Name)
	} else if k.Page == "debate" {
		var r rooms.Info
		if r, err = rooms.In(kp.d.Engine).Info(kp.d.Ctx, k.Name); err == nil && r.Rehearsal && r.End != nil {
			return true // what is asked on its page would be asked of rules, whatever was connected since
		}
	} else {
		_, err = conversation.In(kp.d.Engine).Open(kp.d.Ctx, k.Name)
	}
	var refused *engine.Refusal
	return errors.As(err, &refused)
}

// keep saves the open pages as soon as one opens or closes, so that the next start finds them however this one
// ends.
func (kp *keeping) keep() {
	now := kp.begun()
	same := func(a, b Kept) bool { return a.Page == b.Page && a.Name == b.Name && a.Back == b.Back }
	if kp.tabs == nil || slices.EqualFunc(now, kp.d.AsKept, same) {
		return
	}
	kp.d.AsKept = now
	if err := kp.tabs.Keep(kp.d.Dir, kp.withDrafts()); err != nil {
		kp.d.Fail(err)
	}
}

// begun returns the open pages that have begun.
func (kp *keeping) begun() (out []Kept) {
	for i, t := range kp.d.tabs {
		if k := t.Kept(); k != (Kept{}) {
			k.Shown = i == kp.d.at
			out = append(out, k)
		}
	}
	return out
}
