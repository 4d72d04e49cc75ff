// Package action is what a person can do on the screen: one table makes keys, palette, help and documentation.
package action

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Scope is where an action can be done.
type Scope int

// The places. An action of Anywhere can be done in each of them.
const (
	Anywhere Scope = iota
	InChat
	InDebate
	InTree
	InRun
	InBoard
)

// Scopes are what the places are called.
var Scopes = map[Scope]string{Anywhere: "everywhere", InChat: "in a conversation", InDebate: "in a debate", InTree: "in a tree",
	InRun: "in a run", InBoard: "on the board of runs"}

// Action is something a person can do with something: by a key, or by its name in the palette.
type Action[On any] struct {
	Name  string // how settings call it
	Doc   string // what it does, in a few words
	Keys  []string
	Like  string // other words that people look for it by
	Also  string // another way, where terminals send no such key: a slash command, for example
	Where Scope
	Typed bool // it is a command that is typed: Also is how
	Tab   int  // it goes to the tab of this number; 0: it does something else
	Do    func(on On) tea.Cmd
}

// Names are what an action is called: in settings, and as commands that do the same.
func (a *Action[On]) Names() string {
	names := strings.TrimSpace(a.Name + " " + a.Like)
	for word := range strings.FieldsFuncSeq(a.Also, func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.HasPrefix(word, "/") && a.Tab == 0 { // nine of them would come first
			names += " " + word
		}
	}
	return names
}
