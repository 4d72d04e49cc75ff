// Package issue is the draft of an issue: a text made from a decision or a run, edited by a person, and filed at the forge once they say
// so. It is pure.
//
// A draft is a tree of its own: Drafted at its root, and below it, one after the other, edits and attempts to file it.
// Read folds them into an Issue. Text is never changed in place, so a person can see what they approved.
//
// Filing is the one step that cannot be undone. It is recorded before the forge is asked, and its end after: a draft
// whose last node is a Filing is uncertain, and only a person decides whether to try again, since the forge may have
// taken it.
//
// internal/engine/issues commits these nodes, internal/forge talks to the programs of the forges, and cmd/work has the
// commands.
package issue

import (
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// The kinds of nodes. Drafted is the first one of a draft; the others hang from it.
const (
	DraftKind   tree.Kind[Drafted] = "issue.draft"
	EditKind    tree.Kind[Edited]  = "issue.edit"
	FileKind    tree.Kind[Filing]  = "issue.file"
	FiledKind   tree.Kind[Filed]   = "issue.filed"
	RefusedKind tree.Kind[Unfiled] = "issue.refused"
)

// Drafted is a draft as it was made.
type Drafted struct {
	Number int    `json:"number"`
	Dir    string `json:"dir"`              // the project
	Debate string `json:"debate,omitempty"` // that it was made from
	Run    string `json:"run,omitempty"`
	Title  string `json:"title"`
	Body   string `json:"body"`
}

// Edited is the next version of the text.
type Edited struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// Filing is recorded before a forge is asked: a process that is killed then has left it without an end, and nobody files a text twice
// unasked.
type Filing struct {
	Version int    `json:"version"`
	Address string `json:"address"` // of the repository
}

// Filed says where the issue is read.
type Filed struct {
	URL string `json:"url"`
}

// Unfiled says that a forge refused.
type Unfiled struct {
	Why string `json:"why"`
}

// Issue is a draft as it stands.
type Issue struct {
	Drafted
	Version int       `json:"version"` // 1 as it was made, one more with each edit
	Made    time.Time `json:"made"`
	Changed time.Time `json:"changed"`
	URL     string    `json:"url,omitempty"`     // it was filed
	Refused string    `json:"refused,omitempty"` // why the last try failed
	CutOff  bool      `json:"cut_off,omitempty"` // the last try was cut off: it may have been filed
}

// State is draft, filed, or uncertain.
func (i Issue) State() string {
	switch {
	case i.URL != "":
		return "filed"
	case i.CutOff:
		return "uncertain"
	}
	return "draft"
}

// Read folds the nodes of a draft.
// nodes are those of one tree in the order of the record; kinds it does not know only move Changed. ok is false where
// there is no Drafted among them.
func Read(nodes []tree.Node) (i Issue, ok bool) {
	for _, n := range nodes {
		if d, first := DraftKind.Of(n); first {
			i, ok = Issue{Drafted: d, Version: 1, Made: n.At}, true
		} else if e, is := EditKind.Of(n); is {
			i.Title, i.Body = e.Title, e.Body
			i.Version++
		} else if _, is := FileKind.Of(n); is {
			i.CutOff, i.Refused = true, ""
		} else if f, is := FiledKind.Of(n); is {
			i.URL, i.CutOff = f.URL, false
		} else if u, is := RefusedKind.Of(n); is {
			i.Refused, i.CutOff = u.Why, false
		}
		i.Changed = n.At
	}
	return i, ok
}
