// Package told puts nodes of a conversation into words for a person, the same wherever it is shown: what is asked,
// what became of files, what a call did and why it failed. Screen, server and editor print the same sentences, so
// they can be documented once. It decides nothing: how grave a question is follows from what package permission
// recorded of it.
package told

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Level is how grave what is asked about is. It follows from what would be touched, not from the name of a command.
// A higher one is graver: levels can be compared.
type Level int

// The levels, the lightest first.
const (
	Routine Level = iota // inside the project, and /undo reverts it or a sandbox holds it
	Leaves               // reaches out of the project
	Grave                // cannot be undone
)

// LevelOf is that of a part.
func LevelOf(p asking.Part) Level {
	switch {
	case p.Lost != "":
		return Grave
	case p.Leaves && p.Asked:
		return Leaves
	}
	return Routine
}

// Gravest is the level of a question: that of the gravest of its parts.
func Gravest(n asking.Need) (l Level) {
	for _, p := range n.Parts {
		l = max(l, LevelOf(p))
	}
	return l
}

// Scopes are how far an answer can go besides this once: nowhere, for the session, for the project. Only what stays inside the
// project can be granted for all of its conversations.
func Scopes(n asking.Need) []string {
	lasting := slices.ContainsFunc(n.Parts, func(p asking.Part) bool { return p.Asked && p.Covers != "" })
	switch {
	case !lasting || Gravest(n) == Grave:
		return nil
	case Gravest(n) == Leaves:
		return []string{"session"}
	}
	return []string{"session", "project"}
}

// Heading says what kind of question it is.
func Heading(n asking.Need) string {
	switch Gravest(n) {
	case Grave:
		return "!! Cannot be undone"
	case Leaves:
		return "! Leaves the project: " + reaches(n)
	}
	what := "call"
	switch {
	case slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Runs }):
		what = "command"
	case slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Writes }):
		what = "file change"
	case slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Keeps }):
		what = "note"
	}
	count := max(1, len(n.Parts))
	if count == 1 {
		return "Allow 1 " + what + "?"
	}
	return fmt.Sprintf("Allow %d %ss?", count, what)
}

// reaches is where a question that leaves the project goes: files of another folder can still be looked at and put right, but nobody
// gets back from another machine what was sent there.
func reaches(n asking.Need) string {
	if slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Keeps }) {
		return "other projects"
	}
	var network, folders bool
	for _, p := range n.Parts {
		if LevelOf(p) == Leaves {
			network, folders = network || p.Sends, folders || !p.Sends
		}
	}
	switch {
	case network && folders:
		return "network, other folders"
	case network:
		return "network"
	}
	return "other folders"
}

// Tally counts the parts by level, for a question about many; empty if all are of one level.
func Tally(n asking.Need) string {
	var by [3]int
	for _, p := range n.Parts {
		by[LevelOf(p)]++
	}
	var out []string
	for i, word := range []string{"routine", "leaves the project", "cannot be undone"} {
		if by[i] > 1 && Level(i) == Leaves {
			word = "leave the project"
		}
		if by[i] > 0 {
			out = append(out, fmt.Sprintf("%d %s", by[i], word))
		}
	}
	if len(out) < 2 {
		return ""
	}
	return strings.Join(out, " · ")
}

// Consequences say in words what comes of a part, one line each.
func Consequences(p asking.Part) (out []string) {
	for _, text := range append(strings.Split(p.Reason, "; "), strings.Split(p.Lost, "; ")...) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
