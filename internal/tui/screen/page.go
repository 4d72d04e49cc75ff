package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Pane is a part of the screen that draws itself and handles its messages. Lines are at most as wide as
// requested; the cursor is nil if the person does not type there.
type Pane interface {
	Draw(w, h int) ([]string, *tea.Cursor)
	Update(msg tea.Msg) tea.Cmd
}

// Page is the content of a tab.
type Page interface {
	Pane
	Title() string
	State() State
	Parts() []Part // its state, for the status line
	// Zone returns the part of the page that limits a selection beginning at a cell: all, or less.
	Zone(x, y int, all scroll.Zone) scroll.Zone
	Kept() Kept // how to reopen the page; zero: it is not kept
	// Renamed is called when a conversation gets another name.
	Renamed(from, to string) tea.Cmd
	Close()
}

// State is the state of a page.
type State struct {
	Mark   Mark
	Where  action.Scope     // the scope of its keys
	Input  *editor.Editor   // where the person types; nil: nowhere
	Ruled  bool             // a visible input has a rule above it
	Theirs bool             // its activity is in another process
	Spent  []spending.Share // its cost, by model
	Unsent []string         // messages that reached nobody yet
	// For a page whose finished part the terminal keeps, Below draws the input and what is not printed yet, and
	// Unprinted returns the lines to print now; nil: it has a screen of its own now.
	Below     func(w, h int) ([]string, *tea.Cursor)
	Unprinted func(w int) []string
}

// Mark is the state that a tab shows while another one is shown.
type Mark int

const (
	Quiet   Mark = iota // nothing to show
	Working             // something runs
	Fresh               // something new was not looked at
	Waiting             // it waits for the person
)

// Kept is a page to reopen at the next start.
type Kept struct {
	Page  string `json:"page"`            // chat, debate, tree, run or runs; draft: no page, only the draft
	Name  string `json:"name,omitempty"`  // empty: it has not begun
	Shown bool   `json:"shown,omitempty"` // it is the current one
	Back  string `json:"back,omitempty"`  // for a debate: the conversation that gets its decision
	Draft string `json:"draft,omitempty"` // typed and not sent
}

// Recolored tells a page that the theme has changed.
type Recolored struct{}
