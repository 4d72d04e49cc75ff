// Package action defines what a person can do on the screen: one table makes keys, palette, help and
// documentation.
package action

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Scope is where an action is available.
type Scope int

// The scopes. An action of Anywhere is available in each of them.
const (
	Anywhere Scope = iota
	InChat
	InDebate
	InTree
	InRun
	InBoard
)

// Scopes are the names of the scopes.
var Scopes = map[Scope]string{Anywhere: "everywhere", InChat: "in a conversation", InDebate: "in a debate", InTree: "in a tree",
	InRun: "in a run", InBoard: "on the board of runs"}

// Action is something a person can do on the screen: by a key, or by its name in the palette.
type Action[On any] struct {
	Name  string // its name in settings
	Doc   string // what it does, in a few words
	Keys  []string
	Like  string // other words that people look for it by
	Also  string // another way, if a terminal does not send the key: a slash command, for example
	Where Scope
	Typed bool // it is a command to type, as in Also
	Tab   int  // it goes to the tab of this number; 0: it does not
	Do    func(on On) tea.Cmd
	Can   func(on On) bool // whether it can be done now, and is offered; nil: always
}

// Names returns the names of an action: in settings, and as commands that do the same.
func (a *Action[On]) Names() string {
	names := strings.TrimSpace(a.Name + " " + a.Like)
	for word := range strings.FieldsFuncSeq(a.Also, func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.HasPrefix(word, "/") && a.Tab == 0 { // otherwise nine of them would come first
			names += " " + word
		}
	}
	return names
}
