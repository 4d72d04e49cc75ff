package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// sizes are those that every page, dialog and state is drawn at.
var sizes = [][2]int{{80, 24}, {140, 40}}

// frame is the screen at a size, as it is drawn.
func (s *stage) frame(w, h int) ([]string, *tea.Cursor) {
	s.tell(tea.WindowSizeMsg{Width: w, Height: h})
	if s.below.shown() {
		return s.below.draw(w, h)
	}
	return s.draw(w, h)
}

// golden holds the screen against testdata/NAME.golden.
func (s *stage) golden(name string) { s.compare(name, false, sizes...) }

// inked does the same with the inks of the first size.
func (s *stage) inked(name string) { s.compare(name, true, sizes...) }

func (s *stage) compare(name string, inks bool, sizes ...[2]int) {
	s.t.Helper()
	var b strings.Builder
	for _, size := range sizes {
		lines, cursor := s.frame(size[0], size[1])
		s.sound(lines, size[0], size[1])
		fmt.Fprintf(&b, "=== %d×%d", size[0], size[1])
		if cursor != nil {
			fmt.Fprintf(&b, ", cursor at %d,%d", cursor.X, cursor.Y)
		}
		b.WriteString("\n")
		for _, l := range lines {
			b.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
		}
	}
	if inks {
		lines, _ := s.frame(sizes[0][0], sizes[0][1])
		b.WriteString("=== inks\n")
		for _, l := range lines {
			b.WriteString(strings.TrimRight(ends.ReplaceAllString(begins.ReplaceAllString(theme.Unmarked(l), "⟨$1 "), "⟩"), " ") + "\n")
		}
	}
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := b.String(); got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		s.t.Errorf("%s differs from what is drawn now:\n%s", file, got)
	}
}

var (
	begins = regexp.MustCompile(`\x1b\[([0-9;]+)m`)
	ends   = regexp.MustCompile(`\x1b\[m`)
)

// sound checks what must be true of every frame: as many lines as there is room for, none too wide, and in them no control
// but the inks.
func (s *stage) sound(lines []string, w, h int) {
	s.t.Helper()
	if len(lines) != h && !s.below.shown() || len(lines) > h {
		s.t.Errorf("%d lines on a screen of %d", len(lines), h)
	}
	for i, l := range lines {
		if n := line.Wide(l); n > w {
			s.t.Errorf("line %d is %d wide on a screen of %d: %q", i, n, w, l)
		}
		for _, r := range ends.ReplaceAllString(begins.ReplaceAllString(l, ""), "") {
			if r < ' ' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(hidden, r) {
				s.t.Fatalf("line %d holds %U: %q", i, r, l)
			}
		}
	}
}

// hidden are letters that turn around, hide or break what stands beside them.
const hidden = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\u00ad\U0010eeee"

// fileOf is a name of a case as part of the name of a file.
func fileOf(name string) string { return strings.ReplaceAll(name, " ", "-") }
