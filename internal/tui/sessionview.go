package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/theme"
	"github.com/socrates-cli/socrates/internal/tui/treepage"
)

// mostFound is how many matches are searched for at once, mostShown how many of one conversation are shown
// before it is opened.
const (
	mostFound = 200
	mostShown = 3
)

// lowPreview is the height below which a preview has one line of head.
const lowPreview = 12

// seekPause is how long nothing must have been typed before the store is asked.
const seekPause = 120 * time.Millisecond

// seek searches messages of all conversations and decisions of debates.
func (s *sessionList) seek(text string) tea.Cmd {
	s.hits = nil
	mine := s.asked.Add(1)
	if terms := (conversation.Query{Words: text}).Terms(); len(terms) == 0 {
		return nil
	}
	return s.d.Away(func(ctx context.Context) func() tea.Cmd {
		select {
		case <-ctx.Done():
		case <-time.After(seekPause):
		}
		if s.asked.Load() != mine { // other words were typed meanwhile
			return nil
		}
		found, _, err := conversation.In(s.d.Engine).Search(ctx, conversation.Query{Words: text, Most: mostFound})
		var debates []rooms.Decision
		if err == nil {
			debates, _, err = rooms.In(s.d.Engine).Decisions(ctx, "", text, mostFound)
		}
		return func() tea.Cmd {
			if s.asked.Load() != mine {
				return nil
			}
			s.d.Fail(err)
			s.found(text, found, debates)
			if i, ok := s.pick.List.Current(); ok {
				return s.look(i)
			}
			return nil
		}
	})
}

// found shows the matches.
func (s *sessionList) found(text string, found []conversation.Hit, rooms []rooms.Decision) {
	s.hits = map[Kept][]conversation.Hit{}
	for _, h := range found {
		k := Kept{Page: "chat", Name: h.Tree}
		s.hits[k] = append(s.hits[k], h)
	}
	decided := map[string]bool{}
	known := len(s.all)
	for _, r := range rooms {
		if decided[r.Room] = true; !slices.ContainsFunc(s.all[:known],
			func(e session) bool { return e.Page == "debate" && e.Name == r.Room }) {
			s.all = append(s.all, debated(r.Info)) // older than those listed
		}
	}
	if len(s.all) > known {
		s.fill()
	}
	var all []picker.Found
	for i, e := range s.shown {
		if n := len(s.hits[e.Kept]); n > 0 {
			all = append(all, picker.Found{Index: i, Note: fmt.Sprintf("found %s  %s", line.Times(n), e.Name)})
		} else if e.Page == "debate" && decided[e.Name] {
			all = append(all, picker.Found{Index: i, Note: "decided  " + e.Name})
		}
	}
	s.pick.List.Find(text, all)
	s.pick.List.Redraw()
}

// gist summarizes a conversation or debate: its last message, or its decision.
type gist struct {
	lines []outline.Line
	last  string // Markdown
}

// look reads the gist of the selected one.
func (s *sessionList) look(i picker.Item) tea.Cmd {
	e := i.Value.(session)
	if s.gists[e.Kept] != nil {
		return nil
	}
	s.gists[e.Kept] = &gist{}
	return s.d.Away(func(ctx context.Context) func() tea.Cmd {
		g := s.d.gist(ctx, e)
		return func() tea.Cmd {
			s.gists[e.Kept] = g
			s.pick.List.Redraw()
			return nil
		}
	})
}

// mostGist is how many nodes of a conversation are read before it is opened, and mostLast how much of its last
// message is shown.
const (
	mostGist = 60
	mostLast = 4000
)

func (d *Desk) gist(ctx context.Context, e session) *gist {
	g := &gist{}
	var err error
	if e.Page == "debate" {
		res, e1 := rooms.Named(ctx, rooms.In(d.Engine), e.Name)
		g.last, err = document.Of(res).Markdown(), e1
	} else {
		t, e1 := conversation.In(d.Engine).Open(ctx, e.Name)
		if err = e1; err == nil {
			path, e2 := conversation.In(d.Engine).PathEnd(ctx, t.Head, mostGist)
			g.lines, err = outline.Of(path), e2
			for i := len(path) - 1; i >= 0 && g.last == ""; i-- {
				g.last, _ = outline.Words(path[i])
			}
		}
	}
	if err != nil {
		g.last, _ = d.Explain(err)
	}
	if e.Page != "debate" && len(g.last) > mostLast {
		g.last = "…\n\n" + markdown.Tail(g.last, mostLast)
	}
	return g
}

// preview shows where a session took place, the matching messages, and its end.
func (s *sessionList) preview(i picker.Item, w, h int) []string {
	e, t := i.Value.(session), s.d.Theme
	out := []string{theme.Bold.On(line.Clip(line.One(s.d.Clean(e.title))+", "+e.last.Local().Format("2 Jan 2006 15:04"), w)),
		t.Dim.On(line.Clip(line.One(s.d.Clean(e.dir)), w))}
	low := h < lowPreview
	if low {
		out = []string{t.Dim.On(line.Clip(line.One(s.d.Clean(e.title+", "+e.last.Local().Format("2 Jan 2006 15:04")+", "+e.dir)), w))}
	}
	words := conversation.Query{Words: s.pick.List.Typed()}.Terms()
	for n, hit := range s.hits[e.Kept] {
		if n == mostShown {
			out = append(out, t.Dim.On(fmt.Sprintf("… and %s more", line.Times(len(s.hits[e.Kept])-n))))
			break
		}
		if n == 0 && !low {
			out = append(out, "")
		}
		said := line.Wrap(strings.TrimPrefix(hit.Role+": ", ": ")+line.One(s.d.Clean(hit.Excerpt)), w-2)
		for j, l := range said[:min(2, len(said))] {
			for _, word := range words {
				l = line.Lit(t.Found, l, word)
			}
			out = append(out, map[bool]string{true: "▸ ", false: "  "}[j == 0]+l)
		}
	}
	g := s.gists[e.Kept]
	if g == nil || g.last == "" && len(g.lines) == 0 {
		return append(out, "", t.Dim.On("…"))
	}
	end := s.d.drawGist(g, w)
	if !low {
		out = append(out, t.Line.On(strings.Repeat("─", w)))
	}
	room := h - len(out)
	if room < 1 {
		return out
	}
	if e.Page == "debate" { // it begins with the decision
		return append(out, end[:min(room, len(end))]...)
	}
	return append(out, end[max(0, len(end)-room):]...)
}

// drawGist draws the lines before the last message, and that in full.
func (d *Desk) drawGist(g *gist, w int) (out []string) {
	for _, l := range g.lines[:max(0, len(g.lines)-1)] {
		ink := d.Theme.Dim
		text := treepage.Told(l)
		if l.Kind == string(talk.RootKind) { // its name for scripts
			continue
		}
		if l.Role == "User" {
			ink, text = d.Theme.Person, "▌ "+l.Text
		}
		out = append(out, ink.On(line.Clip(line.One(d.Clean(text)), w)))
	}
	m := markdown.New(d.Theme)
	m.Set(d.Clean(g.last), w)
	if len(out) > 0 {
		out = append(out, "")
	}
	return append(out, m.Lines()...)
}
