// Package dialog asks the person in boxes over a page: to choose by letter or from a list, to type a line, to
// read.
package dialog

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Choice asks the person to choose between a few options, each by a letter.
type Choice struct {
	s      *screen.Screen
	title  string
	lines  func(w int) []string
	offers []offer
	Scroll int
	page   int            // lines shown last
	Whole  bool           // it uses the full width
	Cancel func() tea.Cmd // for esc
}

// New shows lines without options; esc closes it.
func New(s *screen.Screen, title string, lines func(w int) []string) *Choice {
	return &Choice{s: s, title: title, lines: lines, Cancel: Nothing}
}

// Offer adds an option and its key.
func (c *Choice) Offer(key, doc string, do func() tea.Cmd) {
	c.offers = append(c.offers, offer{key, doc, do})
}

type offer struct {
	key, doc string
	do       func() tea.Cmd
}

// no returns the answer no of a yes-or-no question, which enter gives: it never agrees to anything. Nil:
// another kind of question.
func (c *Choice) no() *offer {
	if i := slices.IndexFunc(c.offers, func(o offer) bool { return o.key == "n" }); i >= 0 {
		return &c.offers[i]
	}
	return nil
}

// Draw is as narrow as is easy to read, unless Whole is set.
func (c *Choice) Draw(w, h int) ([]string, *tea.Cursor) {
	if !c.Whole {
		w = min(w, box.Handy)
	}
	inner := w - 4
	lines := c.lines(inner)
	var foot []string
	for i, o := range c.offers {
		key := o.key
		if c.no() == &c.offers[i] {
			key += ", enter"
		}
		foot = append(foot, "["+key+"] "+o.doc)
	}
	keys := line.Wrap(strings.Join(foot, "   "), inner)
	room := max(1, h-3-len(keys))
	c.page = max(1, room-1) // the last row says how many more there are
	c.Scroll = max(0, min(c.Scroll, len(lines)-room))
	if len(lines) > room {
		more := len(lines) - room - c.Scroll
		lines = lines[c.Scroll:min(len(lines), c.Scroll+room)]
		if more > 0 {
			lines[len(lines)-1] = c.s.Theme.Warn.On(fmt.Sprintf("… %d more lines: pgdown", more+1))
		}
	}
	lines = append(append(lines[:len(lines):len(lines)], ""), line.Inked(c.s.Theme.Focus, keys)...)
	return box.Around(c.s.Theme, c.title, lines, w), nil
}

// Update executes the option of the pressed key, and scrolls.
func (c *Choice) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if m, wheel := msg.(tea.MouseWheelMsg); wheel {
			c.Scroll += map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp]
		}
		return nil
	}
	switch k.String() {
	case "up":
		c.Scroll--
	case "down":
		c.Scroll++
	case "pgup":
		c.Scroll -= max(1, c.page)
	case "pgdown":
		c.Scroll += max(1, c.page)
	case "esc", "ctrl+c":
		c.s.Pop(c)
		return c.Cancel()
	case "enter":
		if no := c.no(); no != nil {
			c.s.Pop(c)
			return no.do()
		}
	}
	for _, o := range c.offers {
		if k.String() == o.key {
			c.s.Pop(c)
			return o.do()
		}
	}
	return nil
}

// Write shows a file before it is written.
func Write(s *screen.Screen, dir string, f slash.File) *Choice {
	f.Text = s.Clean(f.Text)
	c := New(s, "Write "+line.One(s.Clean(f.Path))+"?", func(w int) []string { return markdown.Code(s.Theme, "markdown", f.Text, w) })
	c.Cancel = func() tea.Cmd { s.Tell("not written"); return nil }
	c.Offer("y", "write it", func() tea.Cmd {
		if err := f.Create(dir); err != nil {
			s.Fail(err)
		} else {
			s.Tell("Written: " + f.Path)
		}
		return nil
	})
	c.Offer("n", "do not", c.Cancel)
	return c
}

// Panel shows lines until the person closes it.
func Panel(s *screen.Screen, title string, lines func(w int) []string) *Choice {
	c := New(s, title, lines)
	c.Offer("enter", "close", Nothing)
	s.Push(c)
	return c
}

// Nothing is done.
func Nothing() tea.Cmd { return nil }
