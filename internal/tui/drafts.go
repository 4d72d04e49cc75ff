package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Drafts are what was typed and not sent. Those of pages that are open are kept with the page, the others in a list.

// withDrafts are the pages that are open, and what was typed and not sent, without secrets.
func (kp *keeping) withDrafts() (out []Kept) {
	for i, t := range kp.d.tabs {
		k := t.Kept()
		if input := t.State().Input; input != nil {
			if text := input.Text(); strings.TrimSpace(text) != "" {
				k.Draft = kp.d.Redact(text)
			}
		}
		if k.Page == "" && k.Draft != "" {
			k.Page = "chat" // a debate that could not begin is asked for in one
		}
		if k != (Kept{}) {
			k.Shown = i == kp.d.at
			out = append(out, k)
		}
	}
	for _, text := range kp.d.Spare {
		out = append(out, Kept{Page: screen.DraftPage, Draft: kp.d.Redact(text)})
	}
	return out
}

// takeBack makes drafts of what was sent and came nowhere until the screen ended: its page has it in the input, or the list if
// something else was typed there since.
func (kp *keeping) takeBack() {
	for _, t := range kp.d.tabs {
		s := t.State()
		for _, text := range s.Unsent {
			kp.d.GiveUp(s.Input, text)
		}
	}
}
