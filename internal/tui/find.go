package tui

import (
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/editor"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// finder looks for words in the blocks of a page. Only blocks in sight are drawn; of the others the text is enough.
type finder struct {
	input *editor.Editor
	query string // folded
	seen  int    // blocks that were looked at
	hits  []int  // those that hold the query
	at    int    // the hit that is shown
	line  int    // and which of its lines
}

// source is what is searched.
type source struct {
	n      int
	text   func(i int) string
	show   func(i int) // brings a block into sight and opens it
	blocks func() blocks
	scroll *scroll
}

func (d *Desk) newFinder() *finder {
	f := &finder{input: d.newEditor()}
	f.input.OneLine = true
	f.input.Placeholder = "words to find"
	return f
}

// fold makes texts alike that differ in capital letters only, rune by rune.
func fold(s string) string { return strings.Map(unicode.ToLower, s) }

// key is a key while something is searched for; over says that the search has ended.
func (f *finder) key(k tea.KeyPressMsg, s source) (over bool) {
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
		s.scroll.move(s.blocks(), 2-s.scroll.height)
		return false
	case "pgdown":
		s.scroll.move(s.blocks(), s.scroll.height-2)
		return false
	}
	f.typed(k, s)
	return false
}

// typed takes in what changes the words, and goes to the newest place that holds them.
func (f *finder) typed(msg tea.Msg, s source) {
	if f.input.Update(msg) != editor.Changed {
		return
	}
	was := f.query
	f.query = fold(f.input.Text())
	if was == "" || !strings.HasPrefix(f.query, was) {
		f.hits, f.seen = nil, 0
	}
	had := f.hits
	f.hits = nil
	for _, i := range had {
		if i < s.n && strings.Contains(fold(s.text(i)), f.query) {
			f.hits = append(f.hits, i)
		}
	}
	f.more(s)
	if f.at, f.line = len(f.hits), 0; f.query != "" {
		f.step(s, -1)
	}
}

// more looks at blocks that came since.
func (f *finder) more(s source) {
	if f.seen > s.n { // they are others now
		f.hits, f.seen, f.at = nil, 0, 0
	}
	for ; f.query != "" && f.seen < s.n; f.seen++ {
		if strings.Contains(fold(s.text(f.seen)), f.query) {
			f.hits = append(f.hits, f.seen)
		}
	}
}

// again looks anew at blocks of which some were put before others.
func (f *finder) again(s source) {
	f.hits, f.seen = nil, 0
	f.more(s)
	f.at = max(0, len(f.hits)-1)
}

// step goes to the next place, or to the one before: line by line in a block, then to another block, and round.
func (f *finder) step(s source, by int) {
	f.more(s)
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
	s.show(f.hits[f.at])
	from := -1
	if by < 0 {
		from = len(s.blocks().draw(f.hits[f.at]))
	}
	next, _ := f.beside(s, from, by)
	f.show(s, next)
}

// beside is the next line of the block at hand that holds the words, from a line on.
func (f *finder) beside(s source, from, by int) (int, bool) {
	lines := s.blocks().draw(f.hits[f.at])
	for i := from + by; i >= 0 && i < len(lines); i += by {
		if strings.Contains(fold(ansi.Strip(lines[i])), f.query) {
			return i, true
		}
	}
	return 0, false
}

// show brings a line of the block at hand into sight, a third from above.
func (f *finder) show(s source, line int) {
	f.line = line
	s.scroll.to(f.hits[f.at])
	s.scroll.move(s.blocks(), line-s.scroll.height/3)
}

// draw is the line the words are typed on.
func (f *finder) draw(t theme.Theme, w int) (string, *tea.Cursor) {
	state := ""
	switch {
	case f.query == "":
	case len(f.hits) == 0:
		state = "nothing"
	default:
		state = fmt.Sprintf("%d of %d", min(f.at, len(f.hits)-1)+1, len(f.hits))
	}
	help := " · ↑ ↓ go on · esc ends"
	room := max(8, w-wide("Find: ")-wide(state+help)-2)
	if room > w-20 {
		help, room = "", max(2, w-wide("Find: ")-wide(state)-2)
	}
	lines, x, _ := f.input.Lines(room, 1)
	text := pad(theme.Bold.On("Find: ")+lines[0], wide("Find: ")+room)
	return clip(text+" "+state+t.Dim.On(help), w), tea.NewCursor(x+wide("Find: "), 0)
}

// lit marks where the words are in lines that are drawn.
func (f *finder) lit(t theme.Theme, lines []string) []string {
	if f.query == "" {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = lit(t.Found, l, f.query)
	}
	return out
}

// lit marks every place of a drawn line that holds a folded text.
func lit(ink theme.Ink, line, query string) string {
	plain := []rune(ansi.Strip(line))
	folded := fold(string(plain))
	if !strings.Contains(folded, query) {
		return line
	}
	var out strings.Builder
	n, done := len([]rune(query)), 0
	rest := line
	for at, runes := 0, []rune(folded); ; {
		i := strings.Index(string(runes[at:]), query)
		if i < 0 {
			return out.String() + rest
		}
		from := at + len([]rune(string(runes[at:])[:i]))
		left, mid := wide(string(plain[done:from])), wide(string(plain[from:from+n]))
		out.WriteString(ansi.Truncate(rest, left, "") + ink.On(string(plain[from:from+n])))
		rest = ansi.TruncateLeft(rest, left+mid, "")
		at, done = from+n, from+n
	}
}
