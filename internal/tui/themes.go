package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// ground is called with whether the terminal's background is dark.
func (d *Desk) ground(dark bool) {
	t, _ := theme.Find(map[bool]string{true: "dark", false: "light"}[dark])
	d.draws(t)
}

// draws applies a theme. Open dialogs keep theirs.
func (d *Desk) draws(t theme.Theme) {
	if d.deep {
		t = t.Deep()
	}
	if d.Theme.Name == t.Name && d.Theme.Band == t.Band {
		return
	}
	t.Plain = d.Plain
	d.Theme = t
	for _, t := range d.tabs {
		t.Update(screen.Recolored{})
	}
}

// question is a question that the terminal has not answered.
type question struct {
	since time.Time         // zero: none
	owes  func(answer bool) // called when there is a question, and when there is none any more; nil: not needed
}

// ground asks whether the background is dark, and then for the terminal's attributes. Not all know their
// background, but all answer the second, in order: nothing more comes after it.
func (q *question) ground() tea.Cmd {
	q.set(time.Now())
	return tea.Raw(ansi.RequestBackgroundColor + ansi.RequestPrimaryDeviceAttributes)
}

func (q *question) set(since time.Time) {
	if q.since = since; q.owes != nil {
		q.owes(!since.IsZero())
	}
}

// theme applies another theme, for as long as the screen is open.
func (cl *commandLine) theme(name string) (tea.Cmd, bool) {
	if name == theme.Auto {
		cl.d.follows = true
		return cl.d.asked.ground(), true
	}
	t, ok := theme.Find(name)
	if !ok {
		cl.d.Fail(&engine.Refusal{Message: "/theme takes one of " + strings.Join(theme.Choices(), ", "),
			Hint: "the current theme is " + cl.d.Theme.Name})
		return nil, true
	}
	cl.d.follows = false
	cl.d.draws(t)
	cl.d.Tell("to make it permanent: socrates config set screen.theme " + name)
	return nil, true
}

// themeActions returns one action for each theme.
func themeActions() (out []Action) {
	for _, name := range theme.Choices() {
		doc := "Theme: " + name
		if name == theme.Auto {
			doc = "Theme: match the terminal"
		}
		out = append(out, Action{Name: "theme-" + name, Doc: doc, Also: "/theme " + name,
			Do: func(d *Desk) tea.Cmd { cmd, _ := d.commands.theme(name); return cmd }})
	}
	return out
}
