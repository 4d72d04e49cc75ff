package tui

import (
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Drafts are what was typed and not sent. Those of pages that are open are kept with the page, the others in a list.

// withDrafts are the pages that are open, and what was typed and not sent, without secrets.
func (d *Desk) withDrafts() (out []Kept) {
	for i, t := range d.tabs {
		k := t.Kept()
		if input := t.State().Input; input != nil {
			if text := input.Text(); strings.TrimSpace(text) != "" {
				k.Draft = d.Redact(text)
			}
		}
		if k.Page == "" && k.Draft != "" {
			k.Page = "chat" // a debate that could not begin is asked for in one
		}
		if k != (Kept{}) {
			k.Shown = i == d.at
			out = append(out, k)
		}
	}
	for _, text := range d.Spare {
		out = append(out, Kept{Page: screen.DraftPage, Draft: d.Redact(text)})
	}
	return out
}
