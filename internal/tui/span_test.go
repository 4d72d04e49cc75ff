package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/markdown"
	"github.com/socrates-cli/socrates/internal/tui/scroll"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// What is copied is the source: without what is drawn beside it, and a line of code that had no room is one again.
func TestCopiedIsSource(t *testing.T) {
	code := "y := 0\nfunc f() string { return \"a string that is longer than thirty columns\" } // comment\nx := 1"
	prose := "Prose that is longer than forty columns, with anAddressThatIsLongerThanAllTheColumnsOfTheRow/of/it, goes on."
	for _, th := range theme.All {
		if th.Plain {
			continue
		}
		m := markdown.New(th)
		m.Set("> quoted\n> twice\n\n```go\n"+code+"\n```\n\n"+prose+"\n\n- "+prose+"\n", 40)
		s := newSpan(m.Lines(), scroll.Zone{X1: 40, Y1: len(m.Lines())}, tea.MouseClickMsg{})
		s.to = tea.Position{X: 39, Y: len(m.Lines()) - 1}
		if got, want := s.text(), "quoted twice\n\n"+code+"\n\n"+prose+"\n\n• "+prose; got != want {
			t.Errorf("%s: copied\n%s\nnot\n%s", th.Name, got, want)
		}
		diff := markdown.Diff(th, "--- a/x.go\n+++ b/x.go\n@@ -9,2 +9,2 @@\n-old := 1\n+now := 2\n", 40)
		s = newSpan(diff, scroll.Zone{X1: 40, Y1: len(diff)}, tea.MouseClickMsg{})
		s.to = tea.Position{X: 39, Y: len(diff) - 1}
		if got := s.text(); strings.Contains(got, "9") || !strings.Contains(got, "+ now := 2") {
			t.Errorf("%s: a diff is copied as %q", th.Name, got)
		}
	}
}

// What a person said is copied as it was typed, however it had to be broken; a row of a pane beside it joins nothing.
func TestCopiedWords(t *testing.T) {
	said := "one line that is longer than the twenty columns it has\n  and another\n\nand anUnbrokenOneOfMoreThanTwentyColumns"
	for _, th := range theme.All {
		lines := line.Flow(th, said, 20)
		for i, l := range lines {
			lines[i] = line.Pad(theme.Joined.Mark()+"left", 8) + line.Pad(th.Band.Under(l), 22) + theme.Joined.Mark() + "right"
		}
		s := newSpan(lines, scroll.Zone{X0: 8, X1: 29, Y1: len(lines)}, tea.MouseClickMsg{X: 8})
		s.to = tea.Position{X: 28, Y: len(lines) - 1}
		if got := s.text(); th.Plain == false && got != said {
			t.Errorf("%s: copied %q", th.Name, got)
		}
	}
}

// One block of code is copied as it was written: by a click on its language, by a key and by a command.
func TestCopyCode(t *testing.T) {
	onStage(t, func(s *stage) {
		s.script("scripted", script.Rule{Contains: "more", Reply: "No code."}, script.Rule{Reply: "First:\n\n```go\nif x {\n\treturn 1\n}\n```\n\n" +
			"- then\n\n  ```\n  $ go test\n  ```\n"})
		s.frame(80, 24)
		s.say("Tell me.")
		s.say("No more.")
		blocks := []string{"if x {\n\treturn 1\n}", "$ go test"}
		took := func(how, want, told string) {
			t.Helper()
			if s.settle(); s.copied != want || s.Note.Text != told {
				t.Errorf("%s: copied %q, said %q", how, s.copied, s.Note.Text)
			}
			s.copied = ""
		}
		lines, _ := s.frame(80, 24)
		for i, first := range []string{"if x {", "$ go test"} {
			y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(ansi.Strip(l), first) })
			at := tea.Mouse{X: 74, Y: y, Button: tea.MouseLeft}
			s.tell(tea.MouseClickMsg(at), tea.MouseReleaseMsg(at))
			took("a click", blocks[i], []string{"copied code block 1 of 2, 3 lines", "copied code block 2 of 2, 1 line"}[i])
			for _, at := range []tea.Mouse{{X: 74, Y: y + 1, Button: tea.MouseLeft}, {X: 12, Y: y, Button: tea.MouseLeft}} { // it only chooses
				s.wait(time.Second)
				s.tell(tea.MouseClickMsg(at), tea.MouseReleaseMsg(at))
				if s.settle(); s.copied != "" {
					t.Errorf("a click elsewhere, at %d,%d, copied %q", at.X, at.Y, s.copied)
				}
			}
		}
		s.press("c")
		took("c", blocks[0], "copied code block 1 of 2, 3 lines")
		s.press("c")
		took("c again", blocks[1], "copied code block 2 of 2, 1 line")
		s.press("esc")
		s.say("/copy code 2")
		took("/copy code 2", blocks[1], "copied code block 2 of 2, 1 line")
		s.say("/copy code 3")
		took("/copy code 3", "", "no code block 3: the last answer with code has 2")
		s.press("ctrl+u", "tab", "c")
		took("c without code", "No code.", "copied")
	})
}
