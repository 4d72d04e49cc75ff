package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
)

// changed is a file with what changed in it.
type changed struct {
	name, diff     string
	added, removed int
}

// changesDialog shows changed files, and beside them what changed in the one at hand.
type changesDialog struct {
	d      *Desk
	title  string
	files  []changed
	at     int
	scroll int
	height int
	drawn  []string // of the file at hand, for the width below
	width  int
}

// changes shows what changed in the files since the conversation began: as they were kept, else as its tools told.
func (d *Desk) changes() tea.Cmd {
	p, ok := d.current().(*chatPage)
	if !ok || p.env.Tree == "" {
		d.tell("changed files are those of a conversation that has begun")
		return nil
	}
	at, told := p.scene.Tree, toldChanges(p.scene.Entries)
	return d.away(func(ctx context.Context) func() tea.Cmd {
		apart, err := d.Engine.Apart(ctx, at, at.Root, at.Head)
		return func() tea.Cmd {
			c := &changesDialog{d: d, title: "Files changed since the conversation began", files: splitPatch(apart.Patch)}
			if err != nil || !apart.Kept {
				c.title, c.files = "Files changed by the calls of this conversation", told
			}
			if len(c.files) == 0 {
				d.tell("no file was changed in this conversation")
				return nil
			}
			d.push(c)
			return nil
		}
	})
}

// toldChanges are the changes as the calls of a conversation told them.
func toldChanges(entries []scene.Entry) (out []changed) {
	for _, e := range entries {
		if e.Sort != scene.Called || e.Show.Diff == "" {
			continue
		}
		name := cmp.Or(strings.Join(e.Show.Wrote, ", "), "?")
		i := slices.IndexFunc(out, func(c changed) bool { return c.name == name })
		if i < 0 {
			i, out = len(out), append(out, changed{name: name})
		}
		out[i].diff += strings.TrimRight(e.Show.Diff, "\n") + "\n"
	}
	for i := range out {
		out[i].count()
	}
	return out
}

// splitPatch parts a patch into its files.
func splitPatch(patch string) (out []changed) {
	for i, part := range strings.Split("\n"+patch, "\ndiff --git ") {
		if i == 0 {
			continue
		}
		part = strings.TrimSuffix(part, "\n")
		c := changed{name: part, diff: "diff --git " + part + "\n"}
		for _, l := range strings.Split(part, "\n") {
			if strings.HasPrefix(l, "@@") {
				break
			}
			for _, head := range []string{"--- a/", "+++ b/"} {
				if name, ok := strings.CutPrefix(l, head); ok {
					c.name = strings.TrimRight(name, "\t")
				}
			}
		}
		if first, _, _ := strings.Cut(part, "\n"); c.name == part { // a file of bytes, an empty one
			_, after, _ := strings.Cut(first, " b/")
			c.name = cmp.Or(after, first)
		}
		c.count()
		out = append(out, c)
	}
	return out
}

// count counts the lines that came and went.
func (c *changed) count() {
	inside := false
	for _, l := range strings.Split(c.diff, "\n") {
		switch {
		case strings.HasPrefix(l, "@@"):
			inside = true
		case strings.HasPrefix(l, "diff --git "):
			inside = false
		case inside && strings.HasPrefix(l, "+"):
			c.added++
		case inside && strings.HasPrefix(l, "-"):
			c.removed++
		}
	}
}

func (c *changesDialog) Draw(w, h int) ([]string, *tea.Cursor) {
	t, inner := c.d.Theme, w-4
	room := max(3, h-4)
	listed := min(40, inner/3)
	narrow := inner < 70 || c.d.Plain
	if narrow {
		listed = inner
	}
	list := c.list(listed)
	var body []string
	if narrow {
		list = list[c.at : c.at+1]
		body = append(list, c.diff(inner, room-1)...)
	} else {
		from := max(0, min(c.at-room/2, len(list)-room))
		body = beside(list[from:], c.diff(inner-listed-3, room), listed, room, " "+t.Line.On("│")+" ")
	}
	foot := "[↑↓] file   [pgup/pgdown] scroll   [y] copy its diff   [a] copy all   [esc] close"
	body = append(fill(body, inner, room), t.Focus.On(clip(foot, inner)))
	return boxed(t, fmt.Sprintf("%s (%d)", c.title, len(c.files)), body, w), nil
}

func (c *changesDialog) list(w int) (out []string) {
	t := c.d.Theme
	for i, f := range c.files {
		counts := fmt.Sprintf(" +%d −%d", f.added, f.removed)
		name := clip(oneLine(c.d.Clean(f.name)), max(4, w-2-wide(counts)))
		if i == c.at {
			out = append(out, t.Chosen.On(pad("▸ "+name, max(0, w-wide(counts)))+counts))
			continue
		}
		out = append(out, pad("  "+name, max(0, w-wide(counts)))+t.Dim.On(counts))
	}
	return out
}

// diff is the part of the diff at hand that is in sight.
func (c *changesDialog) diff(w, h int) []string {
	if c.drawn == nil || c.width != w {
		c.drawn, c.width = markdown.Diff(c.d.Theme, c.d.Clean(c.files[c.at].diff), w), w
	}
	c.height = h
	c.scroll = max(0, min(c.scroll, len(c.drawn)-h))
	return c.drawn[c.scroll:min(len(c.drawn), c.scroll+h)]
}

func (c *changesDialog) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		c.scroll += map[bool]int{true: -3, false: 3}[m.Button == tea.MouseWheelUp]
	case tea.KeyPressMsg:
		return c.key(m.String())
	}
	return nil
}

func (c *changesDialog) key(k string) tea.Cmd {
	switch k {
	case "esc", "ctrl+c", "q", "enter":
		c.d.pop(c)
	case "up", "k":
		c.choose(c.at - 1)
	case "down", "j", "tab":
		c.choose(c.at + 1)
	case "pgup", "K", "shift+up":
		c.scroll -= max(1, c.height-2)
	case "pgdown", "J", "shift+down", "space":
		c.scroll += max(1, c.height-2)
	case "home", "g":
		c.scroll = 0
	case "end", "G":
		c.scroll = len(c.drawn)
	case "y", "c":
		return c.copy(c.files[c.at : c.at+1])
	case "a":
		return c.copy(c.files)
	}
	return nil
}

func (c *changesDialog) choose(i int) {
	if i = max(0, min(i, len(c.files)-1)); i != c.at {
		c.at, c.scroll, c.drawn = i, 0, nil
	}
}

func (c *changesDialog) copy(files []changed) tea.Cmd {
	text := ""
	for _, f := range files {
		text += f.diff
	}
	c.d.tell("copied")
	return c.d.copy(c.d.Clean(text))
}
