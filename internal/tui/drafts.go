package tui

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// Drafts are what was typed and not sent. Those of pages that are open are kept with the page, the others in a list.

// mostSpare is how many drafts without a page are kept.
const mostSpare = 50

// draftPage is what the kept draft of a page that was closed has for the kind of its page.
const draftPage = "draft"

// keepDraft keeps a draft whose input goes away, or has something else in it by now.
func (d *Desk) keepDraft(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	d.spare = append(slices.DeleteFunc(d.spare, func(s string) bool { return s == text }), text)
	d.spare = d.spare[max(0, len(d.spare)-mostSpare):]
	d.asKept = nil // it is written with the pages
}

// takeDraft puts a draft of the list into an input.
func (d *Desk) takeDraft(input *editor.Editor, text string) {
	input.Set(text)
	d.spare = slices.DeleteFunc(d.spare, func(s string) bool { return s == text })
}

// inputOf is where a person types on a page; nil: nowhere.
func inputOf(p page) *editor.Editor {
	switch p := p.(type) {
	case *chatPage:
		return p.input
	case *debatePage:
		return p.input
	}
	return nil
}

// withDrafts are the pages that are open, and what was typed and not sent, without secrets.
func (d *Desk) withDrafts() (out []Kept) {
	for i, t := range d.tabs {
		k := t.Kept()
		if input := inputOf(t.page); input != nil {
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
	for _, text := range d.spare {
		out = append(out, Kept{Page: draftPage, Draft: d.Redact(text)})
	}
	return out
}
