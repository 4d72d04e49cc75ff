// Package tui is the full screen: a desk of tabs, each a conversation, a debate or a tree, over engine.Do, engine.Follow and
// the scenes made of them.
package tui

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// pane is a part of the screen that draws itself and hears what happens in it. Lines are as wide as asked for at most; the
// cursor is where the person types, and nil elsewhere.
type pane interface {
	Draw(w, h int) ([]string, *tea.Cursor)
	Update(msg tea.Msg) tea.Cmd
}

// page is what a tab shows.
type page interface {
	pane
	Title() string
	Mark() mark
	parts() []part // how things stand, for the last line
	Kept() Kept    // how the page is found again; zero: it is not kept
	Close()
}

// mark is what a tab says of itself when another one is shown.
type mark int

const (
	quiet   mark = iota
	working      // something goes on
	news         // something came that was not looked at
	waiting      // for the person
)

// Kept is a page as it is found again at the next start.
type Kept struct {
	Page  string `json:"page"`            // chat, debate or tree; draft: none, what was typed is all there is
	Name  string `json:"name,omitempty"`  // empty: it has not begun
	Shown bool   `json:"shown,omitempty"` // it is the one that is shown
	Back  string `json:"back,omitempty"`  // of a debate: the conversation that what it decides goes back to
	Draft string `json:"draft,omitempty"` // what was typed and not sent
}

// Wiring is what the screen is given from outside.
type Wiring struct {
	Engine *engine.Engine
	Dir    string
	// Slash makes what slash commands know of the world of a project.
	Slash func(dir string) *slash.Env
	// Clean takes secrets and escapes out of a text. All that is drawn went through it.
	Clean func(string) string
	// Redact takes secrets out and leaves everything else as it is.
	Redact func(string) string
	// Frame makes the debate of a question, as the settings want it.
	Frame func(ctx context.Context, question string) (engine.Debate, error)
	// Demo makes a debate for who wants to see how one goes and has no model yet.
	Demo func(ctx context.Context) (engine.Debate, error)
	// Seats finds who is there, and who could be; nil: nobody can be looked for.
	Seats func(ctx context.Context) ([]Seat, error)
	// Named is how a person knows the model that answers in a phase where a spec is set, and its tier; nil: by the spec.
	Named func(spec, phase string) (name, tier string)
	// Keep writes a setting of the person's into their file, and has it hold from now on. It says where that is, and what counts
	// before it.
	Keep func(key, value string) (place string, err error)
	// Login has the key of a vendor checked and kept, and says where; without one the vendor makes it in a browser, and tell is
	// told what the person has to do.
	Login func(ctx context.Context, vendor, key string, tell func(text string)) (said string, err error)
	// Sit tells Frame who sits from now on; nil: whom the settings name.
	Sit func(specs []string)
	// Said has hear told what the program says while the screen is open, until stop; nil: it says nothing.
	Said func(hear func(text string)) (stop func())
	// KeepTabs keeps which pages are open for the next start; nil: nobody does.
	KeepTabs func(open []Kept) error
	// Explain puts an error into words: what is wrong, and what to do.
	Explain func(error) (message, hint string)
	// Write writes a file that a person agreed to.
	Write func(dir string, f slash.File) error
	// Todo is the name of the tool that keeps a list of things to do.
	Todo string
	// Editor is the command of the person's editor.
	Editor string
	Theme  theme.Theme
	// Follows has the theme be dark or light as the ground of the terminal is.
	Follows bool
	// Keys are the keys the person chose, by action.
	Keys map[string][]string
	// Over puts the limits and other settings of turns over something that is said.
	Over func(engine.Say) engine.Say
	// Model finds who answers where nobody was named; it may ask programs.
	Model func(ctx context.Context) (string, error)
	Mouse bool
	// Notify calls a person who looks elsewhere: what the terminal is sent with a sentence; nil: nothing.
	Notify func(text string) string
	Tmux   bool // the terminal is one of tmux
	Inline bool // below what the terminal shows already, not in place of it
	// Raw writes to the terminal at once; nil: the terminal does not break lines anew when it becomes narrower.
	Raw   func(text string)
	Plain bool // for screen readers: no boxes, nothing beside anything
}

// Desk is everything on the screen.
type Desk struct {
	Wiring
	ctx     context.Context
	send    func(tea.Msg)
	tabs    []*tab
	at      int
	last    int // number of the newest tab
	dialogs []pane
	leaving pane // asks whether to leave while something is at work
	keys    keymap
	width   int
	height  int
	focus   focus
	typedOn time.Time   // when a key was pressed last
	lent    atomic.Bool // the terminal, to another program
	cells   ansi.Method // how the terminal counts them
	note    note
	words   *words // the line that is being carried out; nil: none is
	span    *span  // that the mouse selects; nil: none
	click   click

	printing bool      // something is on its way above what is drawn
	settled  bool      // the terminal is on its own screen, not on one of ours
	above    int       // the tab that was printed last
	drawn    []string  // lines of the last picture that was below what the terminal shows
	typedAt  int       // the line of its cursor
	wanted   int       // lines of the one that is lower, if there is one
	lowered  time.Time // when it was first wanted
	left     bool      // nothing is drawn any more
	asked    question

	asKept []Kept   // the pages that were open when KeepTabs was last called
	spare  []string // what was typed and not sent on pages that are closed

	model   string                  // who answers where nobody was named; empty: not found yet
	noModel error                   // why nobody is
	names   map[[2]string][2]string // how models are called, and their tiers, by spec and phase
	seats   []string                // of the next debates; nil: whom the settings name
	log     []logged
	clock   clock
}

// tab is a page with a number that messages find it by.
type tab struct {
	id int
	page
	mark mark // as it was last told
}

// note is a sentence for the person.
type note struct {
	text string
	bad  bool
	till time.Time
}

// noteTime is how long a sentence stays.
const noteTime = 8 * time.Second

// toTab brings a message to the page of a tab, whichever is shown.
type toTab struct {
	id  int
	msg tea.Msg
}

// New makes a desk without tabs.
func New(ctx context.Context, w Wiring) *Desk {
	d := &Desk{Wiring: w, ctx: ctx, send: func(tea.Msg) {}, width: 80, height: 24}
	d.Theme.Plain = w.Plain
	d.keys = newKeymap(w.Keys)
	d.Clean = func(text string) string { return d.countable(w.Clean(text)) }
	d.Slash = func(dir string) *slash.Env {
		env := w.Slash(dir)
		env.Own = Commands()
		return env
	}
	return d
}

// Init is called once by the program that runs the desk.
func (d *Desk) Init() tea.Cmd {
	if d.Follows {
		return tea.Batch(d.findModel(), d.asked.ground())
	}
	return d.findModel()
}

// open puts a page into a new tab, and shows it.
func (d *Desk) open(make func(id int) page) *tab {
	d.last++
	t := &tab{id: d.last}
	t.page = make(t.id)
	d.tabs = append(d.tabs, t)
	d.show(len(d.tabs) - 1)
	return t
}

func (d *Desk) show(i int) {
	if i >= 0 && i < len(d.tabs) {
		d.at = i
		d.tabs[i].mark = quiet
	}
}

// turnTo shows another tab; what was told stays behind.
func (d *Desk) turnTo(i int) {
	if i != d.at {
		d.note = note{}
	}
	d.show(i)
}

// current is the page that is shown; nil if there is none.
func (d *Desk) current() page {
	if d.at < len(d.tabs) {
		return d.tabs[d.at].page
	}
	return nil
}

// holds says whether a page is in a tab.
func (d *Desk) holds(p page) bool {
	return slices.ContainsFunc(d.tabs, func(t *tab) bool { return t.page == p })
}

// closeTab takes the tab at i away; the last one that goes leaves a new conversation behind.
func (d *Desk) closeTab(i int) {
	if input := inputOf(d.tabs[i].page); input != nil && strings.TrimSpace(input.Text()) != "" {
		d.keepDraft(input.Text())
		d.tell("what you had typed is kept: " + d.keys.key("typed") + " brings it back")
	}
	d.tabs[i].Close()
	d.tabs = slices.Delete(d.tabs, i, i+1)
	if d.at > i || d.at == len(d.tabs) {
		d.at = max(0, d.at-1)
	}
	if len(d.tabs) == 0 {
		d.open(d.newChat)
	}
}

// newEditor is an input that counts cells as the terminal does.
func (d *Desk) newEditor() *editor.Editor {
	e := editor.New(d.Theme)
	e.Cells(d.cells)
	return e
}

// tell puts a sentence above the input.
func (d *Desk) tell(text string) {
	d.note = note{text: line.One(d.Clean(text)), till: time.Now().Add(noteTime)}
	d.remember(d.note.text)
	d.again(noteTime)
}

// fail tells what went wrong, and what to do.
func (d *Desk) fail(err error) {
	if err == nil {
		return
	}
	message, hint := d.Explain(err)
	d.tell(strings.TrimSuffix(message+"; "+hint, "; "))
	d.note.bad = true
	d.log[len(d.log)-1].bad = true
}

// push puts a dialog on top.
func (d *Desk) push(p pane) { d.dialogs = append(d.dialogs, p) }

// pop takes a dialog away.
func (d *Desk) pop(p pane) {
	d.dialogs = slices.DeleteFunc(d.dialogs, func(q pane) bool { return q == p })
}

// do carries out an op beside the screen; then is called with what came of it, on the screen's own turn.
func (d *Desk) do(op engine.Op, then func(err error) tea.Cmd) tea.Cmd {
	words := d.words
	return d.away(func(ctx context.Context) func() tea.Cmd {
		_, err := d.Engine.Do(ctx, op)
		return func() tea.Cmd {
			if d.fail(err); err != nil {
				words.back()
			}
			if then != nil {
				return then(err)
			}
			return nil
		}
	})
}

// away does what takes time beside the screen; what it returns is called on the screen's own turn.
func (d *Desk) away(work func(ctx context.Context) func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { return turn(work(d.ctx)) }
}

// turn is work for the screen's own turn.
type turn func() tea.Cmd
