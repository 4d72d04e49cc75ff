package tui

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/dialog"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/picker"
)

// session is a conversation or a debate in the list.
type session struct {
	Kept
	title, dir string // what people read
	running    bool
	last       time.Time
	mark       string
	state      string // of a debate: its result
}

// sessionList is the state of the list of past conversations and debates.
type sessionList struct {
	d       *Desk
	pick    *dialog.Pick
	all     []session
	shown   []session // of them, in the order of the list
	here    bool      // only those of this folder
	gists   map[Kept]*gist
	hits    map[Kept][]conversation.Hit // messages there that match the typed text
	asked   *atomic.Int64               // the number of searches
	deleted []session                   // deleted here, the newest last
}

// debated returns a debate's entry in the list.
func debated(r rooms.Info) session {
	came, _, _ := strings.Cut(r.Standing(), ": ") // its page says why
	return session{Kept: Kept{Page: "debate", Name: r.Room}, title: conversation.Headline(r.Question), dir: r.Dir, running: r.Running,
		last: r.Started, mark: markOf(r), state: came}
}

// markOf returns the mark of a debate in the list.
func markOf(r rooms.Info) string {
	switch {
	case r.Running && !r.Waits:
		return "●"
	case r.End != nil && r.Rehearsal:
		return "○"
	case r.Status == rooms.Active:
		return "?"
	case r.End.Outcome.Decision():
		return "∴"
	}
	return "■"
}

// mostRooms is how many debates are listed, the newest; older ones are found by their words.
const mostRooms = 300

// sessions lists all conversations and debates, or those with the words, to open, rename, delete or export one.
func (d *Desk) sessions(words string) tea.Cmd {
	s := &sessionList{d: d, gists: map[Kept]*gist{}, asked: &atomic.Int64{}}
	s.pick = dialog.NewPick(d.Screen, "", nil, s.open)
	s.pick.List.Nothing = "looking…"
	s.pick.List.Preview = s.preview
	s.pick.Keys = map[string]func(i picker.Item) tea.Cmd{"ctrl+r": s.rename, "ctrl+d": s.remove, "ctrl+e": s.export}
	s.pick.Always = map[string]func() tea.Cmd{"tab": s.narrow, "ctrl+z": s.takeBack}
	s.pick.Moved, s.pick.Sought = s.look, s.seek
	s.fill()
	s.pick.List.Filter(words)
	d.Push(s.pick)
	return s.load()
}

// load reads the list. The selected row stays selected.
func (s *sessionList) load() tea.Cmd {
	return s.d.Away(func(ctx context.Context) func() tea.Cmd {
		trees, err := conversation.In(s.d.Engine).List(ctx, "")
		var debates []rooms.Info
		if err == nil {
			debates, err = rooms.In(s.d.Engine).List(ctx, mostRooms)
		}
		return func() tea.Cmd {
			if err != nil {
				s.d.Fail(err)
				s.pick.List.Nothing = s.d.Note.Text
				return nil
			}
			s.all = nil
			for _, t := range trees {
				mark := " "
				if t.Running {
					mark = "●"
				}
				s.all = append(s.all, session{Kept: Kept{Page: "chat", Name: t.Name}, title: t.Heading(), dir: t.Dir, running: t.Running,
					last: t.Last, mark: mark})
			}
			for _, r := range debates {
				s.all = append(s.all, debated(r))
			}
			slices.SortStableFunc(s.all, func(a, b session) int { return cmp.Or(s.group(a)-s.group(b), b.last.Compare(a.last)) })
			s.pick.List.Nothing = "no messages yet"
			s.fill()
			return s.again()
		}
	})
}

// again reads what the selected row needs.
func (s *sessionList) again() tea.Cmd {
	cmds := []tea.Cmd{s.seek(s.pick.List.Typed())}
	if i, ok := s.pick.List.Current(); ok {
		cmds = append(cmds, s.look(i))
	}
	return tea.Batch(cmds...)
}

// groups are running ones first, then those of this folder, then all others; in each the last used comes first.
var groups = []string{"running now", "in this folder", "in other folders"}

func (s *sessionList) group(e session) int {
	switch {
	case e.running:
		return 0
	case e.dir == s.d.Dir:
		return 1
	}
	return 2
}

// fill fills the list.
func (s *sessionList) fill() {
	l := s.pick.List
	l.Title = "Conversations and debates"
	l.Keys = []picker.Key{{Name: "tab", Does: "this folder"}, {Name: "ctrl+r", Does: "rename"}, {Name: "ctrl+d", Does: "delete"},
		{Name: "ctrl+e", Does: "export"}}
	if s.here {
		l.Title, l.Keys[0].Does = "Conversations and debates in this folder", "all folders"
	}
	if len(s.deleted) > 0 {
		l.Keys = append(l.Keys, picker.Key{Name: "ctrl+z", Does: "undo delete"})
	} else {
		l.Keys = append(l.Keys, picker.Key{Name: "ctrl+z"})
	}
	s.shown = s.shown[:0]
	var items []picker.Item
	for _, e := range s.all {
		if s.here && e.dir != s.d.Dir {
			continue
		}
		title := line.One(s.d.Clean(e.title))
		note := strings.TrimPrefix(e.state+"  "+line.Age(time.Since(e.last)), "  ")
		if e.dir != s.d.Dir {
			note = s.d.Clean(filepath.Base(e.dir)) + "  " + note
		}
		s.shown = append(s.shown, e)
		items = append(items, picker.Item{Title: title, Note: note, Mark: e.mark,
			Group: groups[s.group(e)], Value: e})
	}
	l.SetItems(items)
}

// narrow shows those of this folder alone, or all.
func (s *sessionList) narrow() tea.Cmd {
	s.here = !s.here
	s.fill()
	return s.again()
}

// open shows one, at the message that matched the search.
func (s *sessionList) open(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	cmd := s.d.pages.reopen(e.Kept)
	if p, ok := s.d.current().(*chatpage.Page); ok && len(s.hits[e.Kept]) > 0 {
		p.Seek(s.hits[e.Kept][0].Node)
	}
	return cmd
}

func (s *sessionList) rename(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	if e.Page == "debate" {
		s.d.Tell("only conversations can be renamed")
		return nil
	}
	return s.d.commands.askRename(e.Name, e.title, s.load)
}

// remove deletes the selected one if the person agrees.
func (s *sessionList) remove(i picker.Item) tea.Cmd {
	e, d := i.Value.(session), s.d
	op, back := engine.Op(conversation.Delete{Trees: []string{e.Name}}), "socrates tree restore "+e.Name
	if e.Page == "debate" {
		op, back = rooms.Delete{Rooms: []string{e.Name}}, "socrates debate restore "+e.Name
	}
	days := int(engine.TrashTime.Hours() / 24)
	c := dialog.New(d.Screen, "Delete "+line.Clip(line.One(d.Clean(e.title)), 40)+"?", func(w int) []string {
		return append(line.Wrap(d.Clean(e.Page+" "+e.Name), w),
			line.Wrap(fmt.Sprintf("To undo: ctrl+z in the list or, for %d days, %s", days, back), w)...)
	})
	c.Offer("y", "delete it", func() tea.Cmd {
		return d.Do(op, func(err error) tea.Cmd {
			if err == nil {
				s.deleted = append(s.deleted, e)
				d.pages.closeKept(e.Kept)
				d.Tell(fmt.Sprintf("deleted %s; to undo: ctrl+z in this list or, for %d days, %s",
					line.One(d.Clean(e.title)), days, back))
			}
			return s.load()
		})
	})
	c.Offer("n", "keep it", dialog.Nothing)
	d.Push(c)
	return nil
}

// takeBack restores what was last deleted here.
func (s *sessionList) takeBack() tea.Cmd {
	n := len(s.deleted) - 1
	if n < 0 {
		s.d.Tell("nothing deleted in this session; for earlier ones: socrates tree list --deleted")
		return nil
	}
	e := s.deleted[n]
	op := engine.Op(conversation.Restore{Tree: e.Name})
	if e.Page == "debate" {
		op = rooms.Restore{Room: e.Name}
	}
	return s.d.Do(op, func(err error) tea.Cmd {
		if err == nil {
			s.deleted = s.deleted[:n]
			s.d.Tell("restored " + line.One(s.d.Clean(e.title)))
		}
		return s.load()
	})
}

// closeKept closes the tabs that show what no longer exists.
func (pg *pages) closeKept(gone Kept) {
	for i := len(pg.d.tabs) - 1; i >= 0; i-- {
		k := pg.d.tabs[i].Kept()
		if k.Name == gone.Name && (k.Page == "debate") == (gone.Page == "debate") {
			pg.d.closeTab(i)
		}
	}
}

func (s *sessionList) export(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	return s.d.commands.export(e.Kept, e.Name+".md")
}

// reopen shows a saved page.
func (pg *pages) reopen(k Kept) tea.Cmd {
	switch k.Page {
	case "chat":
		if k.Name == "" {
			pg.d.open(pg.newChat)
			return nil
		}
		return pg.openChat(k.Name)
	case "debate":
		return pg.openDebate(k.Name, k.Back)
	case "tree":
		return pg.openTree(k.Name)
	case "run", "runs":
		return pg.runs(k.Name)
	}
	return nil
}
