package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/tui/action"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
)

// Pane is a part of the screen that draws itself and hears what happens in it. Lines are as wide as asked for at most; the
// cursor is where the person types, and nil elsewhere.
type Pane interface {
	Draw(w, h int) ([]string, *tea.Cursor)
	Update(msg tea.Msg) tea.Cmd
}

// Page is what a tab shows.
type Page interface {
	Pane
	Title() string
	State() State
	Parts() []Part // how things stand, for the last line
	// Zone is the part of the page that a selection is kept to which begins at a cell of the screen: of all, or less.
	Zone(x, y int, all scroll.Zone) scroll.Zone
	Kept() Kept // how the page is found again; zero: it is not kept
	// Renamed hears that a conversation has another name.
	Renamed(from, to string) tea.Cmd
	Close()
}

// State is how it stands with a page.
type State struct {
	Mark   Mark
	Where  action.Scope     // what can be done with the keys
	Input  *editor.Editor   // where the person types; nil: nowhere
	Ruled  bool             // a rule is above an input that can be seen
	Theirs bool             // what goes on there goes on in another process
	Spent  []spending.Share // what it cost, by model
	Unsent []string         // what the person sent and nobody has got yet
	// Below draws what is not printed yet, and the input, and Unprinted has the lines that are to be printed now, of a page of which
	// the terminal keeps what is finished; nil: it has a screen of its own now.
	Below     func(w, h int) ([]string, *tea.Cursor)
	Unprinted func(w int) []string
}

// Mark is what a tab says of itself when another one is shown.
type Mark int

const (
	Quiet   Mark = iota // nothing to say
	Working             // something goes on
	Fresh               // something came that was not looked at
	Waiting             // for the person
)

// Kept is a page as it is found again at the next start.
type Kept struct {
	Page  string `json:"page"`            // chat, debate, tree, run or runs; draft: none, what was typed is all there is
	Name  string `json:"name,omitempty"`  // empty: it has not begun
	Shown bool   `json:"shown,omitempty"` // it is the one that is shown
	Back  string `json:"back,omitempty"`  // of a debate: the conversation that what it decides goes back to
	Draft string `json:"draft,omitempty"` // what was typed and not sent
}

// Recolored tells a page that it is drawn with another theme from now on.
type Recolored struct{}
