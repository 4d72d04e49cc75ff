package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// session is a conversation or a debate in the list of those there are.
type session struct {
	Kept
	title, dir string
	running    bool
	last       time.Time
}

// sessionList is what the list of past conversations and debates knows beside the list itself.
type sessionList struct {
	d     *Desk
	pick  *pick
	texts map[Kept]string // what they were about, in Markdown
}

// sessions lists the conversations and debates there are, to open, rename, delete or export one.
func (d *Desk) sessions() tea.Cmd {
	s := &sessionList{d: d, texts: map[Kept]string{}}
	s.pick = newPick(d, "Conversations and debates", nil, func(i picker.Item) tea.Cmd { return d.reopen(i.Value.(session).Kept) })
	l := s.pick.list
	l.Nothing = "nothing was said yet"
	l.Keys = []picker.Key{{Name: "ctrl+r", Does: "rename"}, {Name: "ctrl+d", Does: "delete"}, {Name: "ctrl+e", Does: "export"}}
	l.Preview = s.preview
	s.pick.keys = map[string]func(i picker.Item) tea.Cmd{"ctrl+r": s.rename, "ctrl+d": s.remove, "ctrl+e": s.export}
	s.pick.moved = s.look
	d.push(s.pick)
	return s.load()
}

// load looks up what there is. The row that has the keys keeps them.
func (s *sessionList) load() tea.Cmd {
	return s.d.away(func(ctx context.Context) func() tea.Cmd {
		trees, err := s.d.Engine.Trees(ctx, "")
		var rooms []engine.RoomInfo
		if err == nil {
			rooms, err = s.d.Engine.Rooms(ctx)
		}
		return func() tea.Cmd {
			if err != nil {
				s.d.fail(err)
				return nil
			}
			s.pick.list.SetItems(s.items(trees, rooms))
			if i, ok := s.pick.list.Current(); ok {
				return s.look(i)
			}
			return nil
		}
	})
}

// items are those at work first, then those of this folder, then all others; in each the last used first.
func (s *sessionList) items(trees []engine.TreeInfo, rooms []engine.RoomInfo) (items []picker.Item) {
	var all []session
	for _, t := range trees {
		all = append(all, session{Kept{Page: "chat", Name: t.Name}, t.Title, t.Dir, t.Running, t.Last})
	}
	for _, r := range rooms {
		all = append(all, session{Kept{Page: "debate", Name: r.Room}, r.Question, r.Dir, r.Running, r.Started})
	}
	slices.SortStableFunc(all, func(a, b session) int { return b.last.Compare(a.last) })
	groups := []string{"at work now", "in this folder", "in other folders"}
	group := func(e session) int {
		switch {
		case e.running:
			return 0
		case e.dir == s.d.Dir:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b session) int { return group(a) - group(b) })
	for _, e := range all {
		title := oneLine(s.d.Clean(e.title))
		if title == "" {
			title = s.d.Clean(e.Name)
		}
		note := age(time.Since(e.last)) + "  " + e.Page + " " + s.d.Clean(e.Name)
		if e.dir != s.d.Dir {
			note = s.d.Clean(filepath.Base(e.dir)) + "  " + note
		}
		items = append(items, picker.Item{Title: title, Note: note, Mark: map[bool]string{true: "●", false: " "}[e.running],
			Group: groups[group(e)], Value: e})
	}
	return items
}

// age is how long ago something was, as people say it.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// look looks up what the one at hand was about.
func (s *sessionList) look(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	if _, known := s.texts[e.Kept]; known {
		return nil
	}
	s.texts[e.Kept] = ""
	return s.d.away(func(ctx context.Context) func() tea.Cmd {
		text := s.d.gist(ctx, e)
		return func() tea.Cmd {
			s.texts[e.Kept] = text
			s.pick.list.Redraw()
			return nil
		}
	})
}

// mostGist is how many lines of a conversation are shown before it is opened.
const mostGist = 40

// gist is what a conversation or debate was about.
func (d *Desk) gist(ctx context.Context, e session) string {
	head := "**" + e.Name + "**, " + e.last.Local().Format("2 Jan 2006 15:04") + "\n\n`" + e.dir + "`\n\n"
	if e.Page == "debate" {
		root, err := d.Engine.Room(ctx, e.Name)
		if err != nil {
			return head + err.Error()
		}
		res, err := d.Engine.Result(ctx, root)
		if err != nil {
			return head + err.Error()
		}
		return head + res.Decision
	}
	t, err := d.Engine.OpenTree(ctx, e.Name)
	if err != nil {
		return head + err.Error()
	}
	path, err := d.Engine.Path(ctx, t.Head)
	if err != nil {
		return head + err.Error()
	}
	lines := talk.Outline(path)
	for _, l := range lines[max(0, len(lines)-mostGist):] {
		if l.Role != "" {
			head += "**" + strings.ToLower(l.Role) + "** "
		}
		head += l.Text + "\n\n"
	}
	return head
}

func (s *sessionList) preview(i picker.Item, w, h int) []string {
	text := s.texts[i.Value.(session).Kept]
	if text == "" {
		return []string{s.d.Theme.Dim.On("…")}
	}
	m := markdown.New(s.d.Theme)
	m.Set(s.d.Clean(text), w)
	return m.Lines()[:min(h, len(m.Lines()))]
}

func (s *sessionList) rename(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	if e.Page == "debate" {
		s.d.tell("only conversations can be renamed")
		return nil
	}
	return s.d.askRename(e.Name, s.load)
}

// remove deletes the one at hand once the person agreed.
func (s *sessionList) remove(i picker.Item) tea.Cmd {
	e, d := i.Value.(session), s.d
	op, back := engine.Op(engine.DeleteTree{Trees: []string{e.Name}}), "socrates tree restore "+e.Name
	if e.Page == "debate" {
		op, back = engine.Delete{Rooms: []string{e.Name}}, "socrates debate restore "+e.Name
	}
	days := int(engine.TrashTime.Hours() / 24)
	c := &choice{d: d, title: "Delete " + e.Name + "?", cancel: func() tea.Cmd { return nil }}
	c.lines = func(w int) []string {
		return append(wrap(oneLine(d.Clean(e.title)), w), wrap(fmt.Sprintf("For %d days it can be taken back: %s", days, back), w)...)
	}
	c.offers = []offer{{"y", "delete it", func() tea.Cmd {
		return d.do(op, func(err error) tea.Cmd {
			if err == nil {
				d.closeKept(e.Kept)
				d.tell(fmt.Sprintf("%s is deleted; for %d days it can be taken back: %s", e.Name, days, back))
			}
			return s.load()
		})
	}}, {"n", "keep it", func() tea.Cmd { return nil }}}
	d.push(c)
	return nil
}

// closeKept closes the tabs that show what is not there any more.
func (d *Desk) closeKept(gone Kept) {
	for i := len(d.tabs) - 1; i >= 0; i-- {
		k := d.tabs[i].Kept()
		if k.Name == gone.Name && (k.Page == "debate") == (gone.Page == "debate") {
			d.closeTab(i)
		}
	}
}

func (s *sessionList) export(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	return s.d.export(e.Kept, e.Name+".md")
}

// reopen shows a page that was kept.
func (d *Desk) reopen(k Kept) tea.Cmd {
	switch k.Page {
	case "chat":
		return d.openChat(k.Name)
	case "debate":
		return d.openDebate(k.Name, k.Back)
	case "tree":
		return d.openTree(k.Name)
	}
	return nil
}
