// Package tui is the full screen: a desk of tabs, each a conversation, a debate or a tree, over engine.Do,
// engine.Follow and the scenes made from them.
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

// Kept is a page to reopen at the next start.
type Kept = screen.Kept

// Wiring is what a desk needs.
type Wiring struct {
	Engine   *engine.Engine
	Home     *home.Home
	Theme    theme.Theme
	Terminal screen.Terminal
}

// Candidate is a model that could answer, or why it cannot.
type Candidate = people.Candidate

// Choice is a model that a seat could answer with.
type Choice = people.Choice

// Desk is everything on the screen.
type Desk struct {
	*screen.Screen
	people  *people.People
	follows bool // the theme follows the background of the terminal
	deep    bool // the terminal shows true colours

	tabs     []*tab
	at       int
	turned   screen.Page // the page that was shown last
	last     int         // number of the newest tab
	leaving  screen.Pane // asks whether to leave while something runs
	left     bool        // nothing is drawn any more
	keys     keymap
	pages    *pages
	commands *commandLine
	palette  *palette
	home     *home.Home
	version  string // of the program
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
	mark screen.Mark // as last drawn
}

// New makes a desk without tabs.
func New(ctx context.Context, w Wiring, s Start) *Desk {
	world := screen.World{Engine: w.Engine, Dir: s.Dir, Clean: w.Home.Clean, Redact: w.Home.Redact, Turn: s.Turn, Todo: "todo",
		Editor: s.Editor, Theme: w.Theme, Terminal: w.Terminal}
	d := &Desk{Screen: screen.New(ctx, world), home: w.Home, version: s.Version, follows: s.Follows, keys: newKeymap(s.Keys)}
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

// show shows a tab, with its notice.
func (d *Desk) show(i int) {
	if i < 0 || i >= len(d.tabs) {
		return
	}
	if d.at, d.tabs[i].mark = i, screen.Quiet; d.tabs[i].Page != d.turned {
		d.turned = d.tabs[i].Page
		d.Turned(d.turned)
	}
}

// current returns the page that is shown; nil: none.
func (d *Desk) current() screen.Page {
	if d.at < len(d.tabs) {
		return d.tabs[d.at].Page
	}
	return nil
}

// holds reports whether a tab has the page.
func (d *Desk) holds(p screen.Page) bool {
	return slices.ContainsFunc(d.tabs, func(t *tab) bool { return t.Page == p })
}

// closeTab closes the tab at i; after the last one a new conversation opens.
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
	d.show(d.at)
}
