package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// words are a typed line, and the input that it came from.
type words struct {
	s     *Screen
	input *editor.Editor
	text  string
}

// back restores a line that failed, so that nobody types it twice. A command can be restored with the up arrow,
// so that the next line is not appended to it; a message returns to its input, or to the drafts if something
// else was typed there meanwhile.
func (w *words) back() {
	if w == nil || w.text == "" {
		return
	}
	if _, _, command := slash.Parse(w.text); command {
		w.input.History([]string{w.text})
	} else {
		w.s.GiveUp(w.input, w.text)
	}
}

// GiveBack restores a line that failed to its input.
func (s *Screen) GiveBack(input *editor.Editor, text string) { (&words{s, input, text}).back() }

// TypedIn executes a line. If it is refused, or its first op fails, the line is restored.
func (s *Screen) TypedIn(input *editor.Editor, text string, execute func() (tea.Cmd, bool)) (tea.Cmd, bool) {
	was := s.words
	s.words = &words{s, input, text}
	defer func() { s.words = was }()
	return execute()
}

// Refuse tells the person why something is not done.
func (s *Screen) Refuse(why string) {
	s.Tell(why)
	s.Note.Bad = true
	s.words.back()
}

// OnceRead presses a key again once the lines typed here before are known; nil: they are. A person who starts
// and presses the up arrow means the last line, not the last one read so far.
func (s *Screen) OnceRead(k tea.KeyPressMsg) tea.Cmd {
	if s.Reading == nil {
		return nil
	}
	select {
	case <-s.Reading:
		return nil
	default:
	}
	return func() tea.Msg {
		select {
		case <-s.Reading:
			return k
		case <-s.Ctx.Done():
			return nil
		}
	}
}

// GiveUp returns a message that reached nobody to its input, or to the drafts if that is not empty.
func (s *Screen) GiveUp(input *editor.Editor, text string) {
	if input.Empty() {
		input.Set(text)
	} else {
		s.KeepDraft(text)
	}
}

// mostSpare is how many drafts without a page are kept.
const mostSpare = 50

// DraftPage is the kind of page of a draft whose page was closed.
const DraftPage = "draft"

// KeepDraft keeps a draft whose input is closed, or contains something else by now.
func (s *Screen) KeepDraft(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.Spare = append(slices.DeleteFunc(s.Spare, func(s string) bool { return s == text }), text)
	s.Spare = s.Spare[max(0, len(s.Spare)-mostSpare):]
	s.AsKept = nil // it is saved with the pages
}

// TakeDraft moves a draft from the list into an input.
func (s *Screen) TakeDraft(input *editor.Editor, text string) {
	input.Set(text)
	s.Spare = slices.DeleteFunc(s.Spare, func(s string) bool { return s == text })
}

// RefuseRest refuses arguments of a command that takes none.
func (s *Screen) RefuseRest() { s.Refuse("this command takes no arguments; nothing was run") }
