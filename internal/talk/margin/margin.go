// Package margin is everything recorded beside the messages: settings, states of the files, the branch and the tree in use,
// titles.
package margin

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of nodes that stand beside what is said.
const (
	SetKind    tree.Kind[Set]    = "set"
	SnapKind   tree.Kind[Snap]   = "snapshot"
	SwitchKind tree.Kind[Switch] = "switch"
)

// Set changes how the conversation goes on below it: model, phase, mode, or a file in the context. An empty Value unsets.
type Set struct {
	Key   string `json:"key"` // model, phase, mode, title, "file:PATH"
	Value string `json:"value"`
}

// Snap is the state of the project's files at this place.
// Tree names the state in package snapshot, which may have dropped it by now; empty: none was taken. What Undo and
// Redo can do is computed from the snaps on a path.
type Snap struct {
	Tree    string   `json:"tree"`
	Why     string   `json:"why"`          // before, after, restoring (about to be) or restored
	By      string   `json:"by,omitempty"` // undo or redo, where one of them restored the files
	Left    []string `json:"left,omitempty"`
	Files   []string `json:"files,omitempty"`   // that were written or removed to bring them there
	Removed []string `json:"removed,omitempty"` // those of Files that were removed
	Stays   []string `json:"stays,omitempty"`   // what git ignores, came since and was not removed
	Edited  []string `json:"edited,omitempty"`  // those of Files that somebody had changed since, whose changes Kept holds
	Beyond  bool     `json:"beyond,omitempty"`  // since the turn that was undone files outside the project were changed, which stay
	// Kept is the state they were in when they were brought back, if it was not the one last known.
	Kept string `json:"kept,omitempty"`
	// Was is the state they were last known in before they were brought back.
	Was string `json:"was,omitempty"`
	// Goal is the state they were to become, of one that says restoring; Began is that one, of a restored that ended it. If none did, it
	// was broken off.
	Goal  string  `json:"goal,omitempty"`
	Began tree.ID `json:"began,omitempty"`
	// Undid is what was taken back: the first node of a turn, or that of another bringing back. Empty: what lay ahead of
	// a node a person went to.
	Undid tree.ID `json:"undid,omitempty"`
	// Head is the commit the project was at; where files were brought back, the one it was at when they were like that.
	// Empty there: the repository is on another branch by now.
	Head   string `json:"head,omitempty"`
	Branch string `json:"branch,omitempty"` // of Head
	On     string `json:"on,omitempty"`     // the branch that was checked out when files were brought back, if another one
	// Commits were made since then, newest first, as "hash subject". They stay when files are brought back.
	Commits []string `json:"commits,omitempty"`
}

// Switch names the branch a tree is on. The newest one is what its ref points at.
type Switch struct {
	Branch string `json:"branch"`
}

// UseKind says which conversation is meant in a project when none is named: the newest one of the project holds. These
// nodes are a tree of their own.
const UseKind tree.Kind[Used] = "use"

// Used names a conversation by its root, so that another name changes nothing.
type Used struct {
	Dir  string  `json:"dir"`
	Tree tree.ID `json:"tree"`
}

// TitleKind names a conversation. It hangs from the root, beside what is said; the newest counts.
const TitleKind tree.Kind[Title] = "title"

// Title is what people read in place of a conversation's name.
type Title struct {
	Text  string     `json:"text"`
	Usage cost.Usage `json:"usage,omitzero"` // of the model that wrote it; By names the model
}

// Beside says whether nodes of a kind hang beside what is said, so that nothing follows them: which branch a tree is on, what it is
// called, what a person answered.
func Beside(kind string) bool {
	return kind == string(SwitchKind) || kind == string(asking.AnswerKind) || kind == string(TitleKind) ||
		kind == string(PledgeKind)
}

// summaryKey begins the key of a setting that takes a summary back; what follows is its node.
const summaryKey = "summary:"

// UndoSummary is the setting that takes back the summary of a node: from there on a model is shown all of it again.
func UndoSummary(id tree.ID) Set { return Set{summaryKey + string(id), "undone"} }

// Settings are the values in force at the end of a path.
// The path alone counts: another branch may have other settings.
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

// FileKey begins the key of a setting that holds a file in the context; what follows is its name. It is how its handle
// begins, too.
const FileKey = "file:"

// Files are the names of the files that settings hold in the context, in order.
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

// PledgeKind is what a call may cost at most that is about to be made within a limit of others, such as a run's. It hangs from the root.
// What the call took is in the node after At, unless the program was killed before.
const PledgeKind tree.Kind[Pledge] = "pledge"

// Pledge is a reservation.
type Pledge struct {
	At     tree.ID `json:"at"` // where the conversation was
	USD    float64 `json:"usd"`
	Tokens int     `json:"tokens"`
}
