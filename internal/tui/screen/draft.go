package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/editor"
)

// words are a line as a person typed it, and the input that it came from.
type words struct {
	s     *Screen
	input *editor.Editor
	text  string
}

// back keeps a line that came to nothing: nobody types twice. A command is what the up arrow brings back, so that the next one
// does not go behind it; a message is in its input again, or with the drafts if something else was typed there meanwhile.
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

// GiveBack keeps a line that came to nothing for the input it came from.
func (s *Screen) GiveBack(input *editor.Editor, text string) { (&words{s, input, text}).back() }

// TypedIn carries out a line. If it is refused, or the first op of it fails, it is not lost.
func (s *Screen) TypedIn(input *editor.Editor, text string, execute func() (tea.Cmd, bool)) (tea.Cmd, bool) {
	was := s.words
	s.words = &words{s, input, text}
	defer func() { s.words = was }()
	return execute()
}

// Refuse tells why something is not done.
func (s *Screen) Refuse(why string) {
	s.Tell(why)
	s.Note.Bad = true
	s.words.back()
}

// OnceRead presses a key again once it is known what was typed here before; nil: it is known. Who starts and presses the up arrow
// means the last line, not whatever has been read by then.
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

// GiveUp puts what was sent and came nowhere back where it was typed, or with the drafts if something is there.
func (s *Screen) GiveUp(input *editor.Editor, text string) {
	if input.Empty() {
		input.Set(text)
	} else {
		s.KeepDraft(text)
	}
}

// mostSpare is how many drafts without a page are kept.
const mostSpare = 50

// DraftPage is what the kept draft of a page that was closed has for the kind of its page.
const DraftPage = "draft"

// KeepDraft keeps a draft whose input goes away, or has something else in it by now.
func (s *Screen) KeepDraft(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.Spare = append(slices.DeleteFunc(s.Spare, func(s string) bool { return s == text }), text)
	s.Spare = s.Spare[max(0, len(s.Spare)-mostSpare):]
	s.AsKept = nil // it is written with the pages
}

// TakeDraft puts a draft of the list into an input.
func (s *Screen) TakeDraft(input *editor.Editor, text string) {
	input.Set(text)
	s.Spare = slices.DeleteFunc(s.Spare, func(s string) bool { return s == text })
}

// RefuseRest tells that a command takes no more words.
func (s *Screen) RefuseRest() { s.Refuse("this command takes no arguments; nothing was run") }
