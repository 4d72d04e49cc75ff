package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Drafts are typed texts that were not sent. Those of open pages are kept with the page, the others in a list.

// withDrafts returns the open pages and their drafts, without secrets.
func (kp *keeping) withDrafts() (out []Kept) {
	for i, t := range kp.d.tabs {
		k := t.Kept()
		if input := t.State().Input; input != nil {
			if text := input.Text(); strings.TrimSpace(text) != "" {
				k.Draft = kp.d.Redact(text)
			}
		}
		if k.Page == "" && k.Draft != "" {
			k.Page = "chat" // a debate that could not begin is asked for in a chat
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

// takeBack turns sent lines that reached nobody before the screen ended into drafts: in the input of their
// page, or in the list if something else was typed there since.
func (kp *keeping) takeBack() {
	for _, t := range kp.d.tabs {
		s := t.State()
		for _, text := range s.Unsent {
			kp.d.GiveUp(s.Input, text)
		}
	}
}
