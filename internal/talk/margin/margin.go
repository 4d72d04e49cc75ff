// Package margin defines what is recorded beside the messages: settings, states of the files, the current branch and conversation, titles.
package margin

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of nodes recorded beside the messages.
const (
	SetKind    tree.Kind[Set]    = "set"
	SnapKind   tree.Kind[Snap]   = "snapshot"
	SwitchKind tree.Kind[Switch] = "switch"
)

// Set changes a setting for the conversation below it: model, phase, mode, or a file in the context. An empty Value unsets it.
type Set struct {
	Key   string `json:"key"` // model, phase, mode, title, "file:PATH"
	Value string `json:"value"`
}

// Snap is the state of the project's files at this point. Tree names the state in package snapshot, which may have
// dropped it since; empty: none was taken. What Undo and Redo can do is computed from the snaps on a path.
type Snap struct {
	Tree    string   `json:"tree"`
	Why     string   `json:"why"`          // before, after, restoring (about to be) or restored
	By      string   `json:"by,omitempty"` // undo or redo, if one of them restored the files
	Left    []string `json:"left,omitempty"`
	Files   []string `json:"files,omitempty"`   // that were written or removed to restore the state
	Removed []string `json:"removed,omitempty"` // those of Files that were removed
	Stays   []string `json:"stays,omitempty"`   // created since, ignored by git, and not removed
	Edited  []string `json:"edited,omitempty"`  // those of Files that somebody had changed since; Kept has their changes
	Beyond  bool     `json:"beyond,omitempty"`  // files outside the project were changed since the turn that was undone; they stay
	// Kept is the state of the files just before they were restored, if it was not the last known one.
	Kept string `json:"kept,omitempty"`
	// Was is the last known state before the files were restored.
	Was string `json:"was,omitempty"`
	// Goal is the state to restore, if Why is restoring, or restored and something was in the way. Began, with Why restored, is the node
	// with Why restoring that it completes. A restoring node that none completes was interrupted.
	Goal  string  `json:"goal,omitempty"`
	Began tree.ID `json:"began,omitempty"`
	// Steps, with Goal, are the changes to revert, each as the states before and after it; none: all files become as in Goal.
	Steps [][2]string `json:"steps,omitempty"`
	// Undid is what was undone: the first node of a turn, or the node of another restoration. Empty: what came after the
	// node that a person went back to.
	Undid tree.ID `json:"undid,omitempty"`
	// Head is the commit the project was at; for restored files, the commit at the time of the restored state. Empty for
	// restored files: the repository is on another branch now.
	Head   string `json:"head,omitempty"`
	Branch string `json:"branch,omitempty"` // of Head
	On     string `json:"on,omitempty"`     // the branch that was checked out when files were restored, if it is another one
	// Commits were made since then, newest first, as "hash subject". They stay when files are restored.
	Commits []string `json:"commits,omitempty"`
}

// Switch names the branch a tree is on. The tree's ref for this points at the newest one.
type Switch struct {
	Branch string `json:"branch"`
}

// UseKind records the conversation that commands use in a project if none is named: the newest one of the project
// holds. These nodes are a tree of their own.
const UseKind tree.Kind[Used] = "use"

// Used names a conversation by its root, so that renaming it changes nothing.
type Used struct {
	Dir  string  `json:"dir"`
	Tree tree.ID `json:"tree"`
}

// TitleKind names a conversation. It is a child of the root, beside the messages; the newest counts.
const TitleKind tree.Kind[Title] = "title"

// Title is what people read instead of a conversation's name.
type Title struct {
	Text  string     `json:"text"`
	Usage cost.Usage `json:"usage,omitzero"` // of the model that wrote it; By names the model
}

// Beside reports whether nodes of a kind are beside the messages, so that nothing follows them: the current branch, the title, a person's
// answer, a pledge.
func Beside(kind string) bool {
	return kind == string(SwitchKind) || kind == string(asking.AnswerKind) || kind == string(TitleKind) ||
		kind == string(PledgeKind)
}

// summaryKey is the prefix of the setting that takes a summary back; the summary's node follows.
const summaryKey = "summary:"

// UndoSummary is the setting that takes back the summary of a node: from there on a model is shown the original messages again.
func UndoSummary(id tree.ID) Set { return Set{summaryKey + string(id), "undone"} }

// Settings returns the values in force at the end of a path. Only the path counts: another branch may have other settings.
func Settings(path []tree.Node) map[string]string {
	out := map[string]string{}
	for _, s := range SetKind.All(path) {
		if s.Value == "" {
			delete(out, s.Key)
		} else {
			out[s.Key] = s.Value
		}
	}
	return out
}

// FileKey is the prefix of a setting that holds a file in the context, and of the file's handle; the file's name follows.
const FileKey = "file:"

// Files returns the names of the files that settings hold in the context, in order.
func Files(settings map[string]string) []string {
	var out []string
	for key := range settings {
		if name, ok := strings.CutPrefix(key, FileKey); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// PledgeKind is the maximum cost of a call that is about to be made within the limit of somebody else, such as a run. It is a child of the
// root. What the call actually took is in the node after At, unless the program was killed before.
const PledgeKind tree.Kind[Pledge] = "pledge"

// Pledge is a reservation.
type Pledge struct {
	At     tree.ID `json:"at"` // where in the conversation the call is made
	USD    float64 `json:"usd"`
	Tokens int     `json:"tokens"`
}
