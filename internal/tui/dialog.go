package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// choice asks the person to choose between a few things, each by a letter.
type choice struct {
	d      *Desk
	title  string
	lines  func(w int) []string
	offers []offer
	scroll int
	whole  bool           // it takes all the width there is
	cancel func() tea.Cmd // esc; nil: esc does nothing
}

// offer is one of the things.
type offer struct {
	key, doc string
	do       func() tea.Cmd
}

func (c *choice) Draw(w, h int) ([]string, *tea.Cursor) {
	if !c.whole {
		w = min(w, box.Handy)
	}
	inner := w - 4
	lines := c.lines(inner)
	var foot []string
	for _, o := range c.offers {
		foot = append(foot, "["+o.key+"] "+o.doc)
	}
	keys := line.Wrap(strings.Join(foot, "   "), inner)
	room := max(1, h-3-len(keys))
	c.scroll = max(0, min(c.scroll, len(lines)-room))
	if len(lines) > room {
		more := len(lines) - room - c.scroll
		lines = lines[c.scroll:min(len(lines), c.scroll+room)]
		if more > 0 {
			lines[len(lines)-1] = c.d.Theme.Warn.On(fmt.Sprintf("… %d lines more below: pgdown", more+1))
		}
	}
	lines = append(append(lines[:len(lines):len(lines)], ""), line.Inked(c.d.Theme.Focus, keys)...)
	return box.Around(c.d.Theme, c.title, lines, w), nil
}

func (c *choice) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if m, wheel := msg.(tea.MouseWheelMsg); wheel {
			c.scroll += map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp]
		}
		return nil
	}
	switch k.String() {
	case "up":
		c.scroll--
	case "down":
		c.scroll++
	case "pgup":
		c.scroll -= 10
	case "pgdown":
		c.scroll += 10
	case "esc", "ctrl+c":
		if c.cancel != nil {
			c.d.Pop(c)
			return c.cancel()
		}
	}
	for _, o := range c.offers {
		if k.String() == o.key {
			c.d.Pop(c)
			return o.do()
		}
	}
	return nil
}

// newQuit asks before what is at work is ended.
func newQuit(d *Desk) *choice {
	c := &choice{d: d, title: "Leave?", cancel: func() tea.Cmd { return nil }}
	c.lines = func(w int) []string {
		out := line.Wrap("Something is at work here:", w)
		for _, t := range d.tabs {
			if m := t.State().Mark; m == screen.Working || m == screen.Waiting {
				out = append(out, line.Clip("  "+tabMarks[m]+" "+line.One(d.Clean(t.Title())), w))
			}
		}
		return append(out, line.Wrap("If you leave, it ends; what was done and said is kept, and can be gone on with.", w)...)
	}
	c.offers = []offer{{"y", "leave", d.quit}, {"n", "stay", func() tea.Cmd { return nil }}}
	return c
}

// newWriteDialog shows a file before it is written.
func newWriteDialog(d *Desk, dir string, f slash.File) *choice {
	f.Text = d.Clean(f.Text)
	c := &choice{d: d, title: "Write " + line.One(d.Clean(f.Path)) + "?", cancel: func() tea.Cmd { d.Tell("It was not written."); return nil }}
	c.lines = func(w int) []string { return markdown.Code(d.Theme, "markdown", f.Text, w) }
	c.offers = []offer{
		{"y", "write it", func() tea.Cmd {
			if err := d.Write(dir, f); err != nil {
				d.Fail(err)
			} else {
				d.Tell("Written: " + f.Path)
			}
			return nil
		}},
		{"n", "do not", func() tea.Cmd { d.Tell("It was not written."); return nil }},
	}
	return c
}
