package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tui/chatpage"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

func TestSpan(t *testing.T) {
	lines := []string{" \x1b[1mfirst line\x1b[m       │ side", " 日本語 wide      │ more", " last/path.go: end│ rest"}
	at := func(x, y int) tea.Position { return tea.Position{X: x, Y: y} }
	for _, c := range []struct {
		from, to tea.Position
		want     string
	}{
		{at(7, 0), at(5, 1), "line\n日本語"},
		{at(5, 1), at(7, 0), "line\n日本語"},
		{at(1, 0), at(40, 2), "first line\n日本語 wide\nlast/path.go: end"},
		{at(3, 0), at(3, 0), "r"},
	} {
		s := newSpan(lines, scroll.Zone{X0: 1, X1: 18, Y1: 3}, tea.MouseClickMsg{})
		s.from, s.to, s.moved = c.from, c.to, true
		if got := s.text(); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
		for i, l := range s.draw(theme.All[3]) {
			if ansi.Strip(l) != ansi.Strip(lines[i]) {
				t.Errorf("what is selected changes the line: %q", l)
			}
		}
	}
	word := newSpan(lines, scroll.Zone{X0: 1, X1: 18, Y1: 3}, tea.MouseClickMsg{X: 7, Y: 2})
	if word.grow(2); word.text() != "last/path.go:" {
		t.Errorf("the word is %q", word.text())
	}
	if word.grow(3); strings.TrimSpace(word.text()) != "last/path.go: end" {
		t.Errorf("the line is %q", word.text())
	}
}

// A click above, below or beside a page chooses nothing there, on no page.
func TestClicksElsewhere(t *testing.T) {
	onStage(t, func(s *stage) {
		s.grove()
		for _, page := range []string{"f3", "f4", "f5", "f2"} {
			for _, at := range []tea.Mouse{{X: 1, Y: -2}, {X: -3, Y: 5}, {X: 1, Y: 400}, {X: 400, Y: 3}, {X: 1, Y: 0}, {X: 1, Y: 23}} {
				at.Button = tea.MouseLeft
				s.tell(tea.MouseClickMsg(at), tea.MouseReleaseMsg(at))
				s.current().Update(tea.MouseClickMsg(at)) // as the page sees it, from its own top
			}
			s.press(page)
		}
	})
}

// Whoever pulls a selection over the edge of the messages gets all that comes into sight, in its order and once, also while a
// reply grows below; two clicks take a word and three a line.
func TestPull(t *testing.T) {
	onStage(t, func(s *stage) {
		var reply strings.Builder
		for i := range 200 {
			fmt.Fprintf(&reply, "Line %d of it.\n\n", i)
		}
		s.script("scripted", script.Rule{Contains: "more", PaceMS: 30, Piece: 5, Reply: strings.Repeat("And on it goes. ", 100)}, script.Rule{Reply: reply.String()})
		s.frame(80, 24)
		s.say("Tell me.")
		s.write("And more.")
		s.press("enter")
		p := s.current().(*chatpage.Page)
		mouse := func(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }
		whole := func() string {
			var all []string
			b := p.Blocks()
			for i := range b.N {
				for _, l := range b.Draw(i) {
					all = append(all, strings.TrimPrefix(strings.TrimRight(ansi.Strip(l), " "), "  "))
				}
			}
			return strings.Join(all, "\n")
		}
		s.press("ctrl+home")
		s.wait(0)
		s.press("pgdown", "pgdown", "pgdown")
		for _, way := range []struct {
			from, to, most int
		}{{5, 0, 0}, {9, 23, 1 << 20}, {9, 0, 30}, {5, 22, 40}} {
			s.tell(tea.MouseClickMsg(mouse(1, way.from)), tea.MouseMotionMsg(mouse(40, way.to)))
			before := s.pointer.span.text()
			s.wait(2 * time.Second)
			if way.most == 1<<20 { // and back again, over where it began
				s.tell(tea.MouseMotionMsg(mouse(40, 0)))
				s.wait(500 * time.Millisecond)
				s.tell(tea.MouseMotionMsg(mouse(40, 23)))
				s.wait(500 * time.Millisecond)
			}
			s.tell(tea.MouseMotionMsg(mouse(40, 8)))
			got := s.pointer.span.text()
			if all := whole(); !strings.Contains(all, got) || len(got) < 10 {
				t.Errorf("from %d to %d: no part of what is there, or little of it (before: %q): %q", way.from, way.to, before, got)
			}
			s.frame(80, 24)
			if lines := s.pointer.span.draw(s.Theme); len(lines) != 24 {
				t.Errorf("%d lines are drawn", len(lines))
			}
			s.tell(tea.MouseReleaseMsg(mouse(40, 8)))
			s.wait(pullTime)
			if !strings.HasPrefix(s.Note.Text, "copied ") {
				t.Errorf("nothing is copied: %q", s.Note.Text)
			}
		}
		s.press("ctrl+home")
		s.tell(tea.MouseClickMsg(mouse(7, 3)), tea.MouseReleaseMsg(mouse(7, 3)), tea.MouseClickMsg(mouse(7, 3)))
		if s.Note.Text != "copied 1 character" {
			t.Errorf("two clicks: %q", s.Note.Text)
		}
		s.tell(tea.MouseReleaseMsg(mouse(7, 3)), tea.MouseClickMsg(mouse(7, 3)))
		if s.Note.Text != "copied 13 characters" {
			t.Errorf("three clicks: %q", s.Note.Text)
		}
	})
}
