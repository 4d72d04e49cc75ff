package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// words are a line as a person typed it, and the input that it came from.
type words struct {
	d     *Desk
	input *editor.Editor
	text  string
}

// back puts a line that came to nothing into its input again, or with the drafts if something else was typed there meanwhile:
// nobody types twice.
func (w *words) back() {
	switch {
	case w == nil || w.text == "":
	case w.input.Empty():
		w.input.Set(w.text)
	default:
		w.d.keepDraft(w.text)
	}
}

// typedIn carries out a line. If it is refused, or the first op of it fails, it is in its input again.
func (d *Desk) typedIn(input *editor.Editor, text string, carry func() (tea.Cmd, bool)) (tea.Cmd, bool) {
	was := d.words
	d.words = &words{d, input, text}
	defer func() { d.words = was }()
	return carry()
}

// refuse tells why something is not done.
func (d *Desk) refuse(why string) {
	d.tell(why)
	d.note.bad = true
	d.words.back()
}
