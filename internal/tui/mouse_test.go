package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
		s := &span{lines: lines, from: c.from, to: c.to, x0: 1, x1: 18, moved: true}
		if got := s.text(); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
		for i, l := range s.draw(theme.All[3]) {
			if ansi.Strip(l) != ansi.Strip(lines[i]) {
				t.Errorf("what is selected changes the line: %q", l)
			}
		}
	}
	word := &span{lines: lines, from: at(7, 2), to: at(7, 2), x0: 1, x1: 18}
	if word.grow(2); word.text() != "last/path.go:" {
		t.Errorf("the word is %q", word.text())
	}
	if word.grow(3); strings.TrimSpace(word.text()) != "last/path.go: end" {
		t.Errorf("the line is %q", word.text())
	}
}
