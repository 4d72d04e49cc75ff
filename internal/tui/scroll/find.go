package scroll

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Finder searches for words in the blocks of a page. Only visible blocks are drawn; for the others the text is
// enough.
type Finder struct {
	input *editor.Editor
	Query string // folded
	seen  int    // blocks that were searched
	hits  []int  // those that contain the query
	at    int    // the hit that is shown
	line  int    // and which of its lines
}

// Source is what is searched.
type Source struct {
	N      int
	Text   func(i int) string
	Show   func(i int) // scrolls to a block and opens it
	Blocks func() Blocks
	Scroll *Scroll
}

// NewFinder searches for what is typed into an input.
func NewFinder(input *editor.Editor) *Finder {
	f := &Finder{input: input}
	f.input.OneLine = true
	f.input.Placeholder = "words to find"
	return f
}

// Key handles a key during a search; over reports that the search has ended.
func (f *Finder) Key(k tea.KeyPressMsg, s Source) (over bool) {
	switch k.String() {
	case "esc", "ctrl+c", "ctrl+_", "ctrl+/":
		return true
	case "enter", "up", "ctrl+p", "shift+tab":
		f.step(s, -1)
		return false
	case "down", "ctrl+n", "tab", "shift+enter":
		f.step(s, 1)
		return false
	case "pgup":
		s.Scroll.Move(s.Blocks(), 2-s.Scroll.Height)
		return false
	case "pgdown":
		s.Scroll.Move(s.Blocks(), s.Scroll.Height-2)
		return false
	}
	f.Typed(k, s)
	return false
}

// Typed handles a change of the words, and goes to the newest match.
func (f *Finder) Typed(msg tea.Msg, s Source) {
	if f.input.Update(msg) != editor.Changed {
		return
	}
	was := f.Query
	f.Query = line.Fold(f.input.Text())
	if was == "" || !strings.HasPrefix(f.Query, was) {
		f.hits, f.seen = nil, 0
	}
	had := f.hits
	f.hits = nil
	for _, i := range had {
		if i < s.N && strings.Contains(line.Fold(s.Text(i)), f.Query) {
			f.hits = append(f.hits, i)
		}
	}
	f.More(s)
	if f.at, f.line = len(f.hits), 0; f.Query != "" {
		f.step(s, -1)
	}
}

// More searches new blocks.
func (f *Finder) More(s Source) {
	if f.seen > s.N { // the blocks were replaced
		f.hits, f.seen, f.at = nil, 0, 0
	}
	for ; f.Query != "" && f.seen < s.N; f.seen++ {
		if strings.Contains(line.Fold(s.Text(f.seen)), f.Query) {
			f.hits = append(f.hits, f.seen)
		}
	}
}

// Again searches all blocks again, after some were put before others.
func (f *Finder) Again(s Source) {
	f.hits, f.seen = nil, 0
	f.More(s)
	f.at = max(0, len(f.hits)-1)
}

// step goes to the next or previous match: line by line in a block, then to another block, and wraps around.
func (f *Finder) step(s Source, by int) {
	f.More(s)
	if len(f.hits) == 0 {
		return
	}
	if f.at < len(f.hits) {
		if next, ok := f.beside(s, f.line, by); ok {
			f.show(s, next)
			return
		}
	}
	f.at = (f.at + by + len(f.hits)) % len(f.hits)
	s.Show(f.hits[f.at])
	from := -1
	if by < 0 {
		from = len(s.Blocks().Draw(f.hits[f.at]))
	}
	next, _ := f.beside(s, from, by)
	f.show(s, next)
}

// beside returns the next matching line of the current block, from a line on.
func (f *Finder) beside(s Source, from, by int) (int, bool) {
	lines := s.Blocks().Draw(f.hits[f.at])
	for i := from + by; i >= 0 && i < len(lines); i += by {
		if strings.Contains(line.Fold(ansi.Strip(lines[i])), f.Query) {
			return i, true
		}
	}
	return 0, false
}

// show scrolls to a line of the current block, a third from the top.
func (f *Finder) show(s Source, line int) {
	f.line = line
	s.Scroll.To(f.hits[f.at])
	s.Scroll.Move(s.Blocks(), line-s.Scroll.Height/3)
}

// Draw draws the input of the search.
func (f *Finder) Draw(t theme.Theme, w int) (string, *tea.Cursor) {
	state := ""
	switch {
	case f.Query == "":
	case len(f.hits) == 0:
		state = "nothing"
	default:
		state = fmt.Sprintf("%d of %d", min(f.at, len(f.hits)-1)+1, len(f.hits))
	}
	help := " · ↑ ↓ next · esc closes"
	room := max(8, w-line.Wide("Find: ")-line.Wide(state+help)-2)
	if room > w-20 {
		help, room = "", max(2, w-line.Wide("Find: ")-line.Wide(state)-2)
	}
	lines, x, _ := f.input.Lines(room, 1)
	text := line.Pad(theme.Bold.On("Find: ")+lines[0], line.Wide("Find: ")+room)
	return line.Clip(text+" "+state+t.Dim.On(help), w), tea.NewCursor(x+line.Wide("Find: "), 0)
}

// Lit marks the matches in drawn lines.
func (f *Finder) Lit(t theme.Theme, lines []string) []string {
	if f.Query == "" {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = line.Lit(t.Found, l, f.Query)
	}
	return out
}
