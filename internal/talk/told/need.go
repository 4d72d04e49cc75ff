// Package told puts nodes of a conversation into words for a person, the same everywhere: what is asked, what happened
// to files, what a call did and why it failed. Screen, server and editor print the same sentences, so they can be
// documented once. It decides nothing: the level of a question follows from what package permission recorded about it.
package told

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Level is the severity of what a question asks about. It depends on what would be affected, not on the name of a
// command. Levels can be compared: a higher one is more severe.
type Level int

// The levels, the least severe first.
const (
	Routine Level = iota // inside the project, and /undo reverts it or a sandbox contains it
	Leaves               // reaches out of the project
	Grave                // cannot be undone
)

// LevelOf is the level of a part.
func LevelOf(p asking.Part) Level {
	switch {
	case p.Lost != "":
		return Grave
	case p.Leaves && p.Asked:
		return Leaves
	}
	return Routine
}

// Gravest is the level of a question: the highest level of its parts.
func Gravest(n asking.Need) (l Level) {
	for _, p := range n.Parts {
		l = max(l, LevelOf(p))
	}
	return l
}

// Scopes are how long an answer can apply besides this once: not at all, for the session, for the project. Only what stays inside the
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

// reaches names what a question that leaves the project reaches: files in another folder can still be inspected and fixed, but nothing
// that was sent to another machine can be recalled.
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

// Consequences are the consequences of a part in words, one line each.
func Consequences(p asking.Part) (out []string) {
	for _, text := range append(strings.Split(p.Reason, "; "), strings.Split(p.Lost, "; ")...) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
