package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/picker"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Answer is an answer to compare with another one.
type Answer struct{ Who, Text string }

// Compare lets a person choose two answers, and shows them. Two are marked if both answer the same question.
func Compare(s *screen.Screen, items []picker.Item, twins []int) {
	if len(items) < 2 {
		s.Refuse("needs two answers to compare")
		return
	}
	p := NewPick(s, "Mark two answers with the space bar; Enter shows them side by side", items, nil)
	p.List.Multi = true
	p.List.Preview = func(i picker.Item, w, h int) []string {
		m := markdown.New(s.Theme)
		m.Set(s.Clean(i.Value.(Answer).Text), w)
		return m.Lines()[:min(h, len(m.Lines()))]
	}
	for _, i := range twins {
		p.List.Mark(i)
	}
	p.Several = func(chosen []picker.Item) tea.Cmd {
		if len(chosen) != 2 {
			s.Tell(fmt.Sprintf("mark two answers to compare; %d are marked", len(chosen)))
			s.Push(p)
			return nil
		}
		sideBySide(s, chosen[0].Value.(Answer), chosen[1].Value.(Answer))
		return nil
	}
	s.Push(p)
}

func sideBySide(s *screen.Screen, a, b Answer) {
	var lines []string
	width := 0
	Panel(s, "Two answers", func(w int) []string {
		if w != width {
			width = w
			lines = markdown.Pair(s.Theme, [2]string{s.Clean(a.Who), s.Clean(b.Who)}, s.Clean(a.Text), s.Clean(b.Text), w)
		}
		return lines
	}).Whole = true
}
