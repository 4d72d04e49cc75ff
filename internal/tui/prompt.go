package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
)

// prompt asks for one line.
type prompt struct {
	d          *Desk
	title, doc string
	input      *editor.Editor
	secret     bool // what is typed is not shown
	then       func(text string) tea.Cmd
	back       func() tea.Cmd // esc; nil: it only goes away
}

func newPrompt(d *Desk, title, doc, text string, then func(text string) tea.Cmd) *prompt {
	p := &prompt{d: d, title: title, doc: doc, input: d.NewEditor(), then: then}
	p.input.OneLine = true
	p.input.Set(text)
	return p
}

func (p *prompt) Draw(w, h int) ([]string, *tea.Cursor) {
	w = min(w, 72)
	typed, x, _ := p.input.Lines(w-6, 1)
	if p.secret {
		x = min(len([]rune(p.input.Text())), w-7)
		typed = []string{strings.Repeat("•", x)}
	}
	lines := []string{p.d.Theme.Person.On("❯") + " " + strings.Join(typed, ""), p.d.Theme.Dim.On(line.Clip(p.doc+"; Enter takes it, esc does not", w-4))}
	return box.Around(p.d.Theme, line.One(p.d.Clean(p.title)), lines, w), tea.NewCursor(x+4, 1)
}

func (p *prompt) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok && (k.String() == "esc" || k.String() == "ctrl+c") {
		p.d.Pop(p)
		if p.back != nil {
			return p.back()
		}
		return nil
	}
	if p.input.Update(msg) == editor.Submit {
		p.d.Pop(p)
		return p.then(strings.TrimSpace(p.input.Text()))
	}
	return nil
}
