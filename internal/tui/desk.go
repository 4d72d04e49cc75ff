// Package tui is the full screen: a desk of tabs, each a conversation, a debate or a tree, over engine.Do, engine.Follow and
// the scenes made of them.
package tui

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/slash/env"
	"github.com/socrates-cli/socrates/internal/tui/people"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Kept is a page as it is found again at the next start.
type Kept = screen.Kept

// Wiring is what a desk stands on.
type Wiring struct {
	Engine   *engine.Engine
	Home     *home.Home
	Theme    theme.Theme
	Terminal screen.Terminal
}

// Candidate is somebody who could answer, or why they cannot.
type Candidate = people.Candidate

// Choice is a model that a seat could answer with.
type Choice = people.Choice

// Desk is everything on the screen.
type Desk struct {
	*screen.Screen
	people  *people.People
	follows bool // the theme is dark or light as the ground of the terminal is
	deep    bool // the terminal shows every colour it is told

	tabs     []*tab
	at       int
	last     int         // number of the newest tab
	leaving  screen.Pane // asks whether to leave while something is at work
	left     bool        // nothing is drawn any more
	keys     keymap
	pages    *pages
	commands *commandLine
	palette  *palette
	home     *home.Home
	pointer  *pointer
	below    *below
	watch    *watch
	keeping  *keeping
	asked    question
	clock    clock
	checkout checkout
	pictures *pictures
}

// tab is a page with a number that messages find it by.
type tab struct {
	id int
	screen.Page
	mark screen.Mark // as it was last told
}

// New makes a desk without tabs.
func New(ctx context.Context, w Wiring, s Start) *Desk {
	world := screen.World{Engine: w.Engine, Dir: s.Dir, Clean: w.Home.Clean, Redact: w.Home.Redact, Turn: s.Turn, Todo: "todo",
		Editor: s.Editor, Theme: w.Theme, Terminal: w.Terminal}
	d := &Desk{Screen: screen.New(ctx, world), home: w.Home, follows: s.Follows, keys: newKeymap(s.Keys)}
	d.pages, d.commands, d.palette = &pages{d}, &commandLine{d}, &palette{d}
	d.pointer, d.below, d.watch, d.keeping = &pointer{d: d}, &below{d: d}, &watch{d: d}, &keeping{d: d, tabs: s.Keeps}
	d.pictures = &pictures{d: d}
	d.Screen.Keys = d.keys.told()
	d.checkout.look(d.Dir, d.Clean)
	d.Screen.Desk = screen.Host{Open: d.pages.reopen, Moved: d.pages.recheck, Debate: d.pages.debate,
		PlanDecision: d.pages.planDecision,
		Command:      d.commands.execute, Commands: Commands(), Help: d.palette.help,
		Leave: d.leave, Table: d.pages.table, Shown: d.current, Holds: d.holds,
		Close: func(p screen.Page) { d.closeTab(slices.IndexFunc(d.tabs, func(t *tab) bool { return t.Page == p })) },
		PickModel: func(title string, then func(spec string) tea.Cmd) tea.Cmd {
			return d.people.PickModel(title, "", then, nil)
		}}
	d.people = people.New(d.Screen, people.Of(w.Home, s.Model, s.Tier), people.Host{Here: d.pages.here, Renew: d.pages.renew,
		Rehearsal: d.pages.rehearsal,
		Begins:    d.begins})
	d.Slash = func(dir string) *slash.Env {
		known := env.Of(w.Home, w.Engine, dir)
		known.Drops, known.Begin, known.Own = true, maps.Clone(s.Begin), Commands()
		return known
	}
	return d
}

// Init is called once by the program that runs the desk.
func (d *Desk) Init() tea.Cmd {
	if d.follows {
		return tea.Batch(d.findModel(), d.Reread(), d.asked.ground())
	}
	return tea.Batch(d.findModel(), d.Reread())
}

// open puts a page into a new tab, and shows it.
func (d *Desk) open(make func(id int) screen.Page) *tab {
	d.last++
	t := &tab{id: d.last}
	t.Page = make(t.id)
	d.tabs = append(d.tabs, t)
	d.show(len(d.tabs) - 1)
	return t
}

func (d *Desk) show(i int) {
	if i >= 0 && i < len(d.tabs) {
		d.at = i
		d.tabs[i].mark = screen.Quiet
	}
}

// goTo shows another tab; what was told stays behind.
func (d *Desk) goTo(i int) {
	if i != d.at {
		d.Note = screen.Note{}
	}
	d.show(i)
}

// current is the page that is shown; nil if there is none.
func (d *Desk) current() screen.Page {
	if d.at < len(d.tabs) {
		return d.tabs[d.at].Page
	}
	return nil
}

// holds says whether a page is in a tab.
func (d *Desk) holds(p screen.Page) bool {
	return slices.ContainsFunc(d.tabs, func(t *tab) bool { return t.Page == p })
}

// closeTab takes the tab at i away; the last one that goes leaves a new conversation behind.
func (d *Desk) closeTab(i int) {
	if input := d.tabs[i].State().Input; input != nil && strings.TrimSpace(input.Text()) != "" {
		d.KeepDraft(input.Text())
		d.Tell("your input is saved; " + d.keys.key("typed") + " restores it")
	}
	d.tabs[i].Close()
	d.tabs = slices.Delete(d.tabs, i, i+1)
	if d.at > i || d.at == len(d.tabs) {
		d.at = max(0, d.at-1)
	}
	if len(d.tabs) == 0 {
		d.open(d.pages.newChat)
	}
}
