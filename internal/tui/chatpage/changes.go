package chatpage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/tui/box"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

type changed struct {
	name, diff     string
	shown          string // the name as drawn
	added, removed int
	sort           string // new or deleted; empty: neither
}

// changesDialog shows changed files, and beside them the diff of the current one.
type changesDialog struct {
	s      *screen.Screen
	title  string
	files  []changed
	at     int
	scroll int
	height int
	drawn  []string // the current file, drawn for the width below
	width  int
}

// Changes shows which files changed since the conversation began, with one of them selected.
func (p *Page) Changes(file string) tea.Cmd {
	c := &changesDialog{s: p.d, title: "Files changed since the conversation began", files: p.changed.all}
	if !p.changed.kept {
		c.title = "Files changed by this conversation's tool calls"
	}
	if len(c.files) == 0 {
		p.d.Refuse("no files changed in this conversation")
		return nil
	}
	c.at = max(0, slices.IndexFunc(c.files, func(f changed) bool { return f.name == file }))
	p.d.Push(c)
	return nil
}

// compare computes the changed files in the background, after nodes that report changes.
func (ch *changes) compare(nodes []tree.Node) tea.Cmd {
	says := func(n tree.Node) bool { return n.Kind == string(margin.SnapKind) }
	if !slices.ContainsFunc(nodes, says) {
		return nil
	}
	at, known := ch.scene.Tree, len(ch.scene.Entries)
	return ch.d.Away(func(ctx context.Context) func() tea.Cmd {
		diff, err := conversation.In(ch.d.Engine).Diff(ctx, at, at.Root, at.Head)
		files := splitPatch(diff.Patch)
		return func() tea.Cmd {
			if err == nil && diff.Kept && ch.scene.Has(at.Head) { // otherwise it was moved meanwhile
				ch.kept, ch.before, ch.known = true, files, known
				ch.tally()
			}
			return nil
		}
	})
}

// changes are the files changed in a conversation.
type changes struct {
	*standing
	kept   bool      // snapshots exist
	before []changed // according to the snapshots
	known  int       // number of entries of the scene that those include
	all    []changed // including later calls
}

// tally adds the changes of later calls to those of the snapshots.
func (ch *changes) tally() {
	c := ch
	c.all = slices.Clone(c.before)
	for _, e := range ch.scene.Entries[min(c.known, len(ch.scene.Entries)):] {
		if e.Sort != scene.Called || e.Show.Diff == "" {
			continue
		}
		name := cmp.Or(strings.Join(e.Show.Wrote, ", "), "?")
		i := slices.IndexFunc(c.all, func(f changed) bool { return f.name == name })
		if i < 0 {
			i, c.all = len(c.all), append(c.all, changed{name: name})
		}
		c.all[i].diff += strings.TrimRight(e.Show.Diff, "\n") + "\n"
		c.all[i].count()
	}
	for i := range c.all {
		c.all[i].shown = line.One(ch.d.Clean(clean.Reveal(c.all[i].name)))
	}
}

// splitPatch splits a patch into its files.
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
			for _, head := range []string{"--- ", "+++ "} {
				if name, ok := strings.CutPrefix(l, head); ok && !strings.HasPrefix(name, "/dev/null") {
					_, c.name, _ = strings.Cut(markdown.Unquoted(strings.TrimRight(name, "\t")), "/") // after a/ or b/
				}
			}
		}
		if first, _, _ := strings.Cut(part, "\n"); c.name == part { // a binary file, or an empty one
			_, after, _ := strings.Cut(first, " b/")
			if _, quoted, ok := strings.Cut(first, ` "b/`); ok {
				after = markdown.Unquoted(`"` + quoted)
			}
			c.name = cmp.Or(after, first)
		}
		c.count()
		out = append(out, c)
	}
	return out
}

// count counts the lines added and removed.
func (c *changed) count() {
	inside := false
	c.added, c.removed = 0, 0
	lines := strings.Split(c.diff, "\n")
	for i, l := range lines {
		if i+2 < len(lines) && strings.HasPrefix(l, "--- ") && strings.HasPrefix(lines[i+1], "+++ ") &&
			strings.HasPrefix(lines[i+2], "@@") {
			inside = false // the head of another diff
		}
		switch {
		case !inside && (strings.HasPrefix(l, "new file mode ") || strings.HasPrefix(l, "--- /dev/null")):
			c.sort = "new"
		case !inside && (strings.HasPrefix(l, "deleted file mode ") || strings.HasPrefix(l, "+++ /dev/null")):
			c.sort = "gone"
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

// much describes how much of a file changed.
func (c *changed) much() string {
	out := ""
	if c.sort != "" {
		out = " " + c.sort
	}
	if c.added > 0 {
		out += fmt.Sprintf(" +%d", c.added)
	}
	if c.removed > 0 {
		out += fmt.Sprintf(" −%d", c.removed)
	}
	return cmp.Or(out, " changed")
}

// Draw draws the list beside the diff of its current file; on a narrow screen, that file's line above it.
func (c *changesDialog) Draw(w, h int) ([]string, *tea.Cursor) {
	t, inner := c.s.Theme, w-4
	room := max(3, h-4)
	listed := min(40, inner/3)
	narrow := inner < 70 || c.s.Plain
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
		body = box.Beside(list[from:], c.diff(inner-listed-3, room), listed, room, " "+t.Line.On("│")+" ")
	}
	foot := "[↑↓] file   [pgup/pgdown] scroll   [y] copy diff   [a] copy all   [esc] close"
	body = append(box.Fill(body, inner, room), t.Focus.On(line.Clip(foot, inner)))
	return box.Around(t, fmt.Sprintf("%s (%d)", c.title, len(c.files)), body, w), nil
}

func (c *changesDialog) list(w int) (out []string) {
	t := c.s.Theme
	for i, f := range c.files {
		counts := f.much()
		name := line.Named(f.shown, max(4, w-2-line.Wide(counts)))
		if i == c.at {
			out = append(out, t.Chosen.On(line.Pad("▸ "+name, max(0, w-line.Wide(counts)))+counts))
			continue
		}
		out = append(out, line.Pad("  "+name, max(0, w-line.Wide(counts)))+t.Dim.On(counts))
	}
	return out
}

// diff returns the visible part of the current diff.
func (c *changesDialog) diff(w, h int) []string {
	if c.drawn == nil || c.width != w {
		c.drawn, c.width = markdown.Diff(c.s.Theme, c.s.Clean(clean.Reveal(c.files[c.at].diff)), w), w
	}
	c.height = h
	c.scroll = max(0, min(c.scroll, len(c.drawn)-h))
	return c.drawn[c.scroll:min(len(c.drawn), c.scroll+h)]
}

// Update scrolls with the wheel; keys move in the list or close it.
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
		c.s.Pop(c)
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
	c.s.Tell("copied")
	return c.s.Copy(c.s.Clean(text))
}
