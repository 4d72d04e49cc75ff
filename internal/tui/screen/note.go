package screen

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Note is a sentence for the person.
type Note struct {
	Text  string
	Bad   bool
	Till  time.Time
	New   bool  // it was told by what is being done now
	above *Note // the refusal shown just before this unrelated notice; nil: none
}

// fresh reports whether it is still to be shown.
func (n Note) fresh() bool { return n.Text != "" && time.Now().Before(n.Till) }

// NoteTime is how long a sentence stays.
const NoteTime = 8 * time.Second

// mostTold is how much of a sentence is kept, in bytes: an error may quote what a program printed.
const mostTold = 4000

// Tell puts a sentence above the input, or the beginning of one that is too long.
func (s *Screen) Tell(text string) {
	s.Note = Note{Text: line.One(s.Clean(clean.Short(text, mostTold))), Till: time.Now().Add(NoteTime), New: true}
	s.remember(s.Note.Text)
	s.Again(NoteTime)
}

// As does something in the name of a page, which what is told then is about. It is shown with that page.
func (s *Screen) As(p Page, do func() tea.Cmd) tea.Cmd {
	shown := s.shown()
	if p == nil || p == shown || !s.Desk.Holds(p) {
		return do()
	}
	was, acts := s.Note, s.acts
	s.acts, s.Note = p, s.waiting[p]
	s.Note.New = false
	cmd := do()
	if s.acts = acts; s.shown() != shown { // what it opened shows its sentence
		return cmd
	}
	s.waiting[p], s.Note = s.Note, was
	return cmd
}

// Turned is called once another page is shown. The notice of the page before is over, unless it was told in the same
// breath; one that waited has its whole time now.
func (s *Screen) Turned(to Page) {
	n := s.waiting[to]
	maps.DeleteFunc(s.waiting, func(p Page, _ Note) bool { return p == to || !s.Desk.Holds(p) })
	if s.Note.New {
		return
	}
	if s.Note = n; n.Text != "" {
		s.Note.Till = time.Now().Add(NoteTime)
		s.Again(NoteTime)
	}
}

// shown returns the current page; nil: none.
func (s *Screen) shown() Page {
	if s.Desk.Shown == nil {
		return nil
	}
	return s.Desk.Shown()
}

// acting returns the page in whose name something happens.
func (s *Screen) acting() Page {
	if s.acts != nil {
		return s.acts
	}
	return s.shown()
}

// Notice shows an unrelated notice. It does not replace the refusal of something the person did: that stays
// above, for its time.
func (s *Screen) Notice(text string) {
	was := s.Note
	if !was.Bad && was.above != nil {
		was = *was.above
	}
	if s.Tell(text); was.Bad && was.fresh() {
		was.above, s.Note.above = nil, &was
	}
}

// Meanwhile shows an activity. over removes it, and shows the replaced sentence for its full time again: it may
// not have been seen.
func (s *Screen) Meanwhile(text string) (over func()) {
	was, fresh := s.Note, s.Note.fresh()
	s.Tell(text)
	mine := s.Note.Text
	return func() {
		if s.Note.Text != mine { // another sentence was shown since
			return
		}
		if s.Note = (Note{}); fresh {
			s.Note, s.Note.Till = was, time.Now().Add(NoteTime)
			s.Again(NoteTime)
		}
	}
}

// Fail shows an error, and what to do.
func (s *Screen) Fail(err error) {
	if err == nil {
		return
	}
	message, hint := s.Explain(err)
	s.Tell(strings.TrimSuffix(message+"; "+hint, "; "))
	s.Note.Bad = true
	s.Log[len(s.Log)-1].Bad = true
}

// Logged is a message of the program.
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

// Said returns the fresh sentences; the last one is the newest.
func (s *Screen) Said() (out []Note) {
	if n := s.Note.above; n != nil && n.fresh() {
		out = append(out, *n)
	}
	if s.Note.fresh() {
		out = append(out, s.Note)
	}
	return out
}

// Ink returns the colour of a sentence; empty: the page's default.
func (s *Screen) Ink(n Note) theme.Ink {
	if n.Bad {
		return s.Theme.Bad
	}
	return ""
}

// mostSaid is how many lines a sentence above the input may take.
const mostSaid = 3

// Sentence draws the newest sentence above the input of a page that has no rule there.
func (s *Screen) Sentence(p Page, w int) (out []string) {
	if !p.State().Ruled || len(s.Dialogs) > 0 {
		return nil
	}
	for _, n := range s.Said() {
		if s.Theme.Plain {
			out = append(out, line.Wrap(n.Text, w)...)
			continue
		}
		said := line.Wrap(n.Text, w-2*line.Margin)
		if len(said) > mostSaid {
			said = append(said[:mostSaid-1:mostSaid-1], line.Clip(strings.Join(said[mostSaid-1:], " "), w-2*line.Margin))
		}
		out = append(out, line.Edged(line.Inked(cmp.Or(s.Ink(n), s.Theme.Program), said))...)
	}
	return out
}

// Band draws the input on the subdued background that it also has in the history. Its bar shows whether it has
// the keys.
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
