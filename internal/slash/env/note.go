package env

import (
	"cmp"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Note formats a note for a list.
func Note(h *home.Home, n notes.Note) string {
	when := out.Ago(n.At)
	if !n.Until.IsZero() {
		when = out.Until(time.Until(n.Until))
	}
	return fmt.Sprintf("%-4d %-11s %s\n     %s\n", n.Number, when, out.Clip(out.OneLine(n.Text), 62),
		out.Clip(Scope(h, n)+", "+KeptBy(n), 74))
}

// Scope says where a note applies.
func Scope(h *home.Home, n notes.Note) string {
	here, err := h.Settings.Project()
	switch {
	case n.Dir == "":
		return "for all projects"
	case err == nil && n.Dir == here:
		return "for this project"
	}
	return "for " + n.Dir
}

// KeptBy says who kept a note, and in which conversation.
func KeptBy(n notes.Note) string {
	by := n.By
	if name, ok := tree.ByPerson(by); ok {
		by = cmp.Or(name, "you")
	}
	if n.From == "" {
		return "saved by " + by
	}
	return "saved by " + by + " in " + cmp.Or(n.Tree, "a deleted conversation")
}
