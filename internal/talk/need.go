package talk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// NeedKind asks the person; AnswerKind is what they say, a child of it. The conversation goes on below the question.
const (
	NeedKind   tree.Kind[Need]     = "need"
	AnswerKind tree.Kind[Answered] = "answered"
)

// Need is a question to the person: a tool's, or whether acts may happen.
type Need struct {
	Question *tool.Question `json:"question,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Acts     []tool.Act     `json:"acts,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Parts    []NeedPart     `json:"parts,omitempty"` // everything that would happen, each with why it is asked
}

// NeedPart is one thing that would happen.
type NeedPart struct {
	Text   string `json:"text"`
	Asked  bool   `json:"asked"` // it is this that needs asking
	Reason string `json:"reason"`
	Lost   string `json:"lost,omitempty"`   // what cannot be undone of it
	Leaves bool   `json:"leaves,omitempty"` // it reaches out of the project
	// Covers says what an answer for the session or the project would grant; empty: only this once can be allowed.
	Covers string `json:"covers,omitempty"`
	// Paths are files it is about that neither text nor reason names: what links and words lead to.
	Paths []string `json:"paths,omitempty"`
}

// Answered is what the person said.
type Answered struct {
	Choice string `json:"choice"`
	Reason string `json:"reason,omitempty"`
}

// Level is how grave what is asked about is. It follows from what would be touched, not from the name of a command.
type Level int

// The levels, the lightest first.
const (
	Routine Level = iota // inside the project, and /undo reverts it or a sandbox holds it
	Leaves               // reaches out of the project
	Grave                // cannot be undone
)

// Level is that of the part.
func (p NeedPart) Level() Level {
	switch {
	case p.Lost != "":
		return Grave
	case p.Leaves && p.Asked:
		return Leaves
	}
	return Routine
}

// Level is the gravest of the parts.
func (n Need) Level() (l Level) {
	for _, p := range n.Parts {
		l = max(l, p.Level())
	}
	return l
}

// Scopes are how far an answer can go besides this once: nowhere, for the session, for the project. Only what stays inside the
// project can be granted for all of its conversations.
func (n Need) Scopes() []string {
	lasting := slices.ContainsFunc(n.Parts, func(p NeedPart) bool { return p.Asked && p.Covers != "" })
	switch {
	case !lasting || n.Level() == Grave:
		return nil
	case n.Level() == Leaves:
		return []string{"session"}
	}
	return []string{"session", "project"}
}

// Heading says what kind of question it is.
func (n Need) Heading() string {
	switch n.Level() {
	case Grave:
		return "!! Cannot be undone"
	case Leaves:
		return "! Leaves the project"
	}
	what := "call"
	switch {
	case slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Runs }):
		what = "command"
	case slices.ContainsFunc(n.Acts, func(a tool.Act) bool { return a.Effect == tool.Writes }):
		what = "file change"
	}
	count := max(1, len(n.Parts))
	if count == 1 {
		return "Allow 1 " + what + "?"
	}
	return fmt.Sprintf("Allow %d %ss?", count, what)
}

// Tally counts the parts by level, for a question about many; empty if all are of one level.
func (n Need) Tally() string {
	var by [3]int
	for _, p := range n.Parts {
		by[p.Level()]++
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
func (p NeedPart) Consequences() (out []string) {
	for _, text := range append(strings.Split(p.Reason, "; "), strings.Split(p.Lost, "; ")...) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
