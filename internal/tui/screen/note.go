package screen

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Note is a sentence for the person.
type Note struct {
	Text string
	Bad  bool
	Till time.Time
}

// NoteTime is how long a sentence stays.
const NoteTime = 8 * time.Second

// Tell puts a sentence above the input.
func (s *Screen) Tell(text string) {
	s.Note = Note{Text: line.One(s.Clean(text)), Till: time.Now().Add(NoteTime)}
	s.remember(s.Note.Text)
	s.Again(NoteTime)
}

// Fail tells what went wrong, and what to do.
func (s *Screen) Fail(err error) {
	if err == nil {
		return
	}
	message, hint := s.Explain(err)
	s.Tell(strings.TrimSuffix(message+"; "+hint, "; "))
	s.Note.Bad = true
	s.Log[len(s.Log)-1].Bad = true
}

// Logged is a sentence the program said.
type Logged struct {
	At   time.Time
	Text string
	Bad  bool
}

// mostLogged is how many of them are kept.
const mostLogged = 500

func (s *Screen) remember(text string) {
	if len(s.Log) == mostLogged {
		s.Log = slices.Delete(s.Log, 0, mostLogged/10)
	}
	s.Log = append(s.Log, Logged{At: time.Now(), Text: text})
}

// Said is the newest sentence, as long as it is new.
func (s *Screen) Said() (text string, ink theme.Ink) {
	if s.Note.Text == "" || !time.Now().Before(s.Note.Till) {
		return "", ""
	}
	if s.Note.Bad {
		return s.Note.Text, s.Theme.Bad
	}
	return s.Note.Text, ""
}

// mostSaid is how many lines a sentence above the input may take.
const mostSaid = 3

// Sentence is the newest sentence, for above the input of a page that has no rule there.
func (s *Screen) Sentence(p Page, w int) []string {
	text, of := s.Said()
	if text == "" || !p.State().Ruled || len(s.Dialogs) > 0 {
		return nil
	}
	if s.Theme.Plain {
		return line.Wrap(text, w)
	}
	said := line.Wrap(text, w-2*line.Margin)
	if len(said) > mostSaid {
		said = append(said[:mostSaid-1:mostSaid-1], line.Clip(strings.Join(said[mostSaid-1:], " "), w-2*line.Margin))
	}
	return line.Edged(line.Inked(cmp.Or(of, s.Theme.Program), said))
}

// Band is what is typed, on the quiet ground that it has in the history too. Its bar says whether it has the keys.
func (s *Screen) Band(typed []string, w int, keys bool) (out []string) {
	t, ink := s.Theme, s.Theme.Line
	if keys {
		ink = t.Person
	}
	for i, l := range typed {
		switch {
		case t.Plain:
			out = append(out, map[bool]string{true: "> ", false: "  "}[i == 0]+l)
		case t.Band == "":
			out = append(out, theme.Decoration.And(ink).On("▌ ")+l)
		default:
			out = append(out, t.Band.Under(line.Pad(theme.Decoration.And(ink).On("▌ ")+l, w-1)))
		}
	}
	return out
}
