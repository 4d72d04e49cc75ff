package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Prompt asks for one line.
type Prompt struct {
	s          *screen.Screen
	title, doc string
	input      *editor.Editor
	Secret     bool // the typed text is not shown
	then       func(text string) tea.Cmd
	Back       func() tea.Cmd // for esc; nil: it only closes
}

// NewPrompt asks under a title for a line that begins as text; doc explains what to type, then receives it.
func NewPrompt(s *screen.Screen, title, doc, text string, then func(text string) tea.Cmd) *Prompt {
	p := &Prompt{s: s, title: title, doc: doc, input: s.NewEditor(), then: then}
	p.input.OneLine = true
	p.input.Set(text)
	return p
}

// Draw never shows a secret, only its end.
func (p *Prompt) Draw(w, h int) ([]string, *tea.Cursor) {
	w = min(w, 72)
	typed, x, _ := p.input.Lines(w-6, 1)
	if p.Secret {
		x = min(len([]rune(p.input.Text())), w-7)
		typed = []string{strings.Repeat("•", x)}
	}
	lines := []string{p.s.Theme.Person.On(line.Sign(p.s.Theme, "❯", ">")) + " " + strings.Join(typed, ""),
		p.s.Theme.Dim.On(line.Clip(p.doc+"; Enter saves, Esc cancels", w-4))}
	return box.Around(p.s.Theme, line.One(p.s.Clean(p.title)), lines, w), tea.NewCursor(x+4, 1)
}

// Update submits the text at Enter; Esc goes back to where the prompt came from.
func (p *Prompt) Update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok && (k.String() == "esc" || k.String() == "ctrl+c") {
		p.s.Pop(p)
		if p.Back != nil {
			return p.Back()
		}
		return nil
	}
	if p.input.Update(msg) == editor.Submit {
		p.s.Pop(p)
		return p.then(strings.TrimSpace(p.input.Text()))
	}
	return nil
}
