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
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// World is the environment of the screen: the person's home, and the terminal.
type World struct {
	Engine *engine.Engine
	Dir    string
	// Slash makes the Env of a project's slash commands.
	Slash func(dir string) *slash.Env
	// Clean removes secrets and escapes from a text. Everything drawn is cleaned.
	Clean func(string) string
	// Redact removes secrets and leaves everything else unchanged.
	Redact func(string) string
	// Turn applies to every turn that begins here: limits, tools.
	Turn turns.Manner
	// Todo is the name of the tool that keeps a list of things to do.
	Todo string
	// Editor is the command of the person's editor.
	Editor string
	Theme  theme.Theme
	Terminal
}

// Terminal describes the terminal of the screen.
type Terminal struct {
	Mouse  bool
	Links  bool // it supports links
	Tmux   bool // it runs in tmux
	Inline bool // below the terminal's content, not in place of it
	Plain  bool // for screen readers: no boxes, nothing side by side
	// Calls means that a person who looks elsewhere is called: with Notice, with TEXT for the text, and the
	// bell.
	Calls  bool
	Notice string
	// Album holds the pictures that it draws; nil: it draws none.
	Album *picture.Album
	// Board is the clipboard of the person's desktop; nil: none.
	Board *clipboard.Board
	// Raw writes to the terminal at once; nil: the terminal does not rewrap lines when it becomes narrower.
	Raw func(text string)
}

// Screen is the base of pages and dialogs: the environment, sentences for the person, typed text, and
// background work.
type Screen struct {
	World
	Ctx    context.Context
	Send   func(tea.Msg) // sends a message to the screen's own goroutine
	Keys   Keys
	Desk   Host
	Cells  ansi.Method // how the terminal counts cells
	Width  int
	Height int
	Unseen bool // the person looks elsewhere
	// Selecting means that the person selects from what is drawn: marks over the text are left out.
	Selecting bool
	Dialogs   []Pane              // the last one is on top
	Note      Note                // of the page that acts, which is the shown one unless As says otherwise
	Seated    []string            // seats of the next debates; none: those of the settings
	Log       []Logged            // messages of the program
	Lent      atomic.Bool         // the terminal is lent to another program
	Typed     []string            // lines typed in the project before this start, the oldest first
	Reading   chan struct{}       // closed once Typed is read; nil: nothing reads it
	Spare     []string            // drafts of closed pages
	Recent    []conversation.Info // of the project, the last used one first, as read last
	AsKept    []Kept              // the open pages as saved last; nil: to be saved again

	rereading bool          // Recent is being read
	acts      Page          // the page in whose name something happens; nil: the shown one
	waiting   map[Page]Note // notices of pages that are not shown

	words *words // the line being executed; nil: none
}

// Host is what a page needs from the desk.
type Host struct {
	// Open shows what a page shows in a new tab, or goes to the tab that shows it.
	Open func(k Kept) tea.Cmd
	// Moved has the page of a conversation look whether it was moved.
	Moved func(name string) tea.Cmd
	// PickModel asks which model does something, from all available ones.
	PickModel func(title string, then func(spec string) tea.Cmd) tea.Cmd
	// Debate starts a debate in a tab of its own; its decision is added to the conversation back, if one is
	// named.
	Debate func(asked rooms.Asked, back string) tea.Cmd
	// PlanDecision begins a conversation that plans the decision of a debate.
	PlanDecision func(room string) tea.Cmd
	// Command executes a line that is one of Commands; ok is false for another one.
	Command func(name, args string) (cmd tea.Cmd, ok bool)
	// Commands are the screen's own, which can be typed on every page.
	Commands []slash.Command
	// Help lists all keys.
	Help func() tea.Cmd
	// Leave ends the program, at once if nothing runs here.
	Leave func() tea.Cmd
	// Table lists the seats of the debates that a conversation asked, with what opens each.
	Table func(back string, tell func(text string, open func() tea.Cmd))
	// Shown returns the current page; Holds reports whether a page is in a tab, and Close closes its tab.
	Shown func() Page
	Holds func(p Page) bool
	Close func(p Page)
}

// New makes the screen of a world, of 80 by 24 cells until the terminal reports its size.
func New(ctx context.Context, w World) *Screen {
	s := &Screen{World: w, Ctx: ctx, Send: func(tea.Msg) {}, Width: 80, Height: 24, waiting: map[Page]Note{}}
	s.Theme.Plain = w.Plain
	s.Clean = func(text string) string { return s.Countable(w.Clean(text)) }
	return s
}

// Explain returns an error in words: what is wrong, and what to do.
func (s *Screen) Explain(err error) (message, hint string) {
	f := failure.Explain(err)
	return f.Message, f.Hint
}

// Keys are the descriptions of actions, by name.
type Keys map[string]Hint

// Hint is the first key of an action, if any, and what the action does.
type Hint struct{ Key, Doc string }

// Key returns the first key of an action, as shown to people; empty: none.
func (k Keys) Key(name string) string { return k[name].Key }

// Help is the hint that every page has, the last at the right.
func (k Keys) Help() Part { return Part{Text: "? help", Rank: 3, Right: true} }

// NewEditor is an input that counts cells as the terminal does.
func (s *Screen) NewEditor() *editor.Editor {
	e := editor.New(s.Theme)
	e.Cells(s.Cells)
	return e
}

// Part draws the visible part of a page's text, marked if there is more below.
func (s *Screen) Part(at *scroll.Scroll, b scroll.Blocks, w, h int) []string {
	if s.Selecting {
		return at.Lines(b, h)
	}
	return at.Page(s.Theme, b, w, h)
}

// Push puts a dialog on top.
func (s *Screen) Push(p Pane) { s.Dialogs = append(s.Dialogs, p) }

// Pop takes a dialog away.
func (s *Screen) Pop(p Pane) {
	s.Dialogs = slices.DeleteFunc(s.Dialogs, func(q Pane) bool { return q == p })
}

// airyHeight is the height from which on there are empty rows below the tabs and above the input.
const airyHeight = 30

// Airy reports whether there is room for them.
func (s *Screen) Airy() bool { return s.Height >= airyHeight && !s.Plain && !s.Inline }

// Least is the smallest screen that is drawn, in columns and lines; a smaller one shows a part of it.
const (
	LeastWidth  = 20
	LeastHeight = 6
)
