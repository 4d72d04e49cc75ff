// Package screen is the base of the pages and dialogs of the full screen: their environment, messages to the person, unsent
// input, and background work.
package screen

import (
	"context"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/clipboard"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/picture"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// World is what the screen has from outside: what a person has here, and where it is drawn.
type World struct {
	Engine *engine.Engine
	Dir    string
	// Slash makes what slash commands know of the world of a project.
	Slash func(dir string) *slash.Env
	// Clean takes secrets and escapes out of a text. All that is drawn went through it.
	Clean func(string) string
	// Redact takes secrets out and leaves everything else as it is.
	Redact func(string) string
	// Turn is what holds of every turn that is begun here: limits, tools.
	Turn turns.Manner
	// Todo is the name of the tool that keeps a list of things to do.
	Todo string
	// Editor is the command of the person's editor.
	Editor string
	Theme  theme.Theme
	Terminal
}

// Terminal is what the screen is drawn on.
type Terminal struct {
	Mouse  bool
	Links  bool // it takes links
	Tmux   bool // it is one of tmux
	Inline bool // below what it shows already, not in place of it
	Plain  bool // for screen readers: no boxes, nothing beside anything
	// Calls says that a person who looks elsewhere is called: by Notice, with TEXT for the text, and the bell.
	Calls  bool
	Notice string
	// Album holds the pictures that it draws; nil: it draws none.
	Album *picture.Album
	// Board is the clipboard of the person's desktop; nil: there is none.
	Board *clipboard.Board
	// Raw writes to the terminal at once; nil: the terminal does not break lines again when it becomes narrower.
	Raw func(text string)
}

// Screen is what pages and dialogs stand on: the world, sentences for the person, what is typed, and work beside the screen.
type Screen struct {
	World
	Ctx     context.Context
	Send    func(tea.Msg) // brings a message to the screen's own turn
	Keys    Keys
	Desk    Host
	Cells   ansi.Method // how the terminal counts them
	Width   int
	Height  int
	Unseen  bool   // the person looks elsewhere
	Dialogs []Pane // the last one is on top
	Note    Note
	Seated  []string            // who sits in the next debates; none: whom the settings name
	Log     []Logged            // what the program said
	Lent    atomic.Bool         // the terminal, to another program
	Typed   []string            // in the project before this start, the oldest first
	Reading chan struct{}       // closed once Typed is read; nil: nothing reads it
	Spare   []string            // what was typed and not sent on pages that are closed
	Recent  []conversation.Info // of the project, the one that was used last first, as looked up last
	AsKept  []Kept              // the pages that were open, as they were kept last; nil: they are to be kept again

	rereading bool // Recent is being looked up

	words *words // the line that is being carried out; nil: none is
}

// Host is what a page asks of the desk that it lies on.
type Host struct {
	// Open shows what a page shows in a new tab, or goes to the tab that shows it.
	Open func(k Kept) tea.Cmd
	// Moved has the page of a conversation look whether it was moved.
	Moved func(name string) tea.Cmd
	// PickModel asks who shall do something, of all models of those who are there.
	PickModel func(title string, then func(spec string) tea.Cmd) tea.Cmd
	// Debate lets a panel decide on a question in a tab of its own; what it decides is brought back to a conversation, if one is named.
	Debate func(asked rooms.Asked, back string) tea.Cmd
	// PlanDecision begins a conversation with what a debate decided.
	PlanDecision func(room string) tea.Cmd
	// Command carries out a line that is one of Commands; ok is false of another one.
	Command func(name, args string) (cmd tea.Cmd, ok bool)
	// Commands are those of the screen itself, which can be typed on every page.
	Commands []slash.Command
	// Help lists all keys.
	Help func() tea.Cmd
	// Leave ends the program, at once if nothing is at work here.
	Leave func() tea.Cmd
	// Table tells who sits in the debates that a conversation asked, with what goes to each.
	Table func(back string, tell func(text string, open func() tea.Cmd))
	// Shown is the page that is shown; Holds says whether a page is in a tab, and Close takes its tab away.
	Shown func() Page
	Holds func(p Page) bool
	Close func(p Page)
}

// New makes the screen of a world, of 80 by 24 cells until the terminal says otherwise.
func New(ctx context.Context, w World) *Screen {
	s := &Screen{World: w, Ctx: ctx, Send: func(tea.Msg) {}, Width: 80, Height: 24}
	s.Theme.Plain = w.Plain
	s.Clean = func(text string) string { return s.Countable(w.Clean(text)) }
	return s
}

// Explain puts an error into words: what is wrong, and what to do.
func (s *Screen) Explain(err error) (message, hint string) {
	f := failure.Explain(err)
	return f.Message, f.Hint
}

// Keys are what people are told of actions, by name.
type Keys map[string]Hint

// Hint is the first key of an action, if it has one, and what the action does.
type Hint struct{ Key, Doc string }

// Key is the first key of an action, as people are told; empty: it has none.
func (k Keys) Key(name string) string { return k[name].Key }

// Help is the hint that every page has, the last at the right.
func (k Keys) Help() Part { return Part{Text: "? help", Rank: 3, Right: true} }

// NewEditor is an input that counts cells as the terminal does.
func (s *Screen) NewEditor() *editor.Editor {
	e := editor.New(s.Theme)
	e.Cells(s.Cells)
	return e
}

// Push puts a dialog on top.
func (s *Screen) Push(p Pane) { s.Dialogs = append(s.Dialogs, p) }

// Pop takes a dialog away.
func (s *Screen) Pop(p Pane) {
	s.Dialogs = slices.DeleteFunc(s.Dialogs, func(q Pane) bool { return q == p })
}

// airyHeight is the height from which on empty rows stand below the tabs and above the input.
const airyHeight = 30

// Airy says whether there is room for them.
func (s *Screen) Airy() bool { return s.Height >= airyHeight && !s.Plain && !s.Inline }

// Least is the smallest screen that is drawn, in columns and lines; a smaller one shows a part of it.
const (
	LeastWidth  = 20
	LeastHeight = 6
)
