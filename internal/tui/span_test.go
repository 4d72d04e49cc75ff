package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// What is copied is the source: without what is drawn beside it, and a line of code that had no room is one again.
func TestCopiedIsSource(t *testing.T) {
	code := "func f() string { return \"a string that is longer than thirty columns\" } // comment\nx := 1"
	for _, th := range theme.All {
		if th.Plain {
			continue
		}
		m := markdown.New(th)
		m.Set("> quoted\n> twice\n\n```go\n"+code+"\n```\n", 40)
		s := newSpan(m.Lines(), scroll.Zone{X1: 40, Y1: len(m.Lines())}, tea.MouseClickMsg{})
		s.to = tea.Position{X: 39, Y: len(m.Lines()) - 1}
		got := strings.ReplaceAll(s.text(), " go\n", "\n")
		for _, want := range []string{"quoted twice", "return \"a string that is longer than thirty columns\" } // comment", "x := 1"} {
			if !strings.Contains(got, want) || strings.ContainsAny(got, "│↳") {
				t.Errorf("%s: %q lacks %q", th.Name, got, want)
			}
		}
		diff := markdown.Diff(th, "--- a/x.go\n+++ b/x.go\n@@ -9,2 +9,2 @@\n-old := 1\n+now := 2\n", 40)
		s = newSpan(diff, scroll.Zone{X1: 40, Y1: len(diff)}, tea.MouseClickMsg{})
		s.to = tea.Position{X: 39, Y: len(diff) - 1}
		if got := s.text(); strings.Contains(got, "9") || !strings.Contains(got, "+ now := 2") {
			t.Errorf("%s: a diff is copied as %q", th.Name, got)
		}
	}
}
