package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/chatpage"

	"github.com/socrates-cli/socrates/internal/llm/script"
)

// A command that fails says that it failed, and nothing else; its line stands above.
func TestFailedCommandSaysSo(t *testing.T) {
	onStage(t, func(s *stage) {
		s.script("scripted", script.Rule{Reply: "Good day."})
		s.say("Hello.")
		for command, wrong := range map[string]string{"/merge nosuch": "merged", "/label a b c": "labelled", "/switch nosuch": "switched to",
			"/back nosuch": "your last message here", "/diff nosuch": "only in"} {
			s.say(command)
			s.wait(time.Second)
			lines, _ := s.frame(120, 36)
			text := ansi.Strip(strings.Join(lines, "\n"))
			_, after, said := strings.Cut(text, "▌ "+command+"\n")
			if !said || !strings.HasPrefix(strings.TrimSpace(after), "no branch, label or node") {
				t.Errorf("%s says:\n%s", command, text)
			}
			if strings.Contains(text, wrong) {
				t.Errorf("%s says that it worked:\n%s", command, text)
			}
			s.press("ctrl+u")
		}
	})
}

// What changed stands in the sidebar while the conversation is read again: the line that has the keys does not become another one.
func TestSideStands(t *testing.T) {
	onStage(t, func(s *stage) {
		s.keeps = true
		s.script("scripted", script.Rule{Reply: "Good day."})
		s.say("Hello.")
		s.say("!echo two > made.txt")
		s.wait(time.Second)
		side := func() string {
			lines, _ := s.frame(160, 40)
			return ansi.Strip(strings.Join(lines, "\n"))
		}
		if !strings.Contains(side(), "Changed files") {
			t.Fatal("there is no sidebar")
		}
		cmd := s.current().(*chatpage.Page).Load()
		s.Update(cmd()) // it is shown, and what changed is compared beside the screen
		if got := side(); !strings.Contains(got, "Changed files") {
			t.Errorf("what changed is gone while it is compared:\n%s", got)
		}
	})
}

// The sidebar can be made wider and less wide, and by how much stays within bounds.
func TestSideWidth(t *testing.T) {
	onStage(t, func(s *stage) {
		s.worker()
		s.say("Mend the chair.")
		at := func() int {
			lines, _ := s.frame(160, 40)
			for _, l := range lines {
				if text := ansi.Strip(l); strings.Contains(text, "Changed files") {
					return ansi.StringWidth(text[:strings.Index(text, "Changed files")])
				}
			}
			t.Fatal("there is no sidebar")
			return 0
		}
		begins := at()
		s.press("tab", "tab", "<")
		if got := at(); got != begins-4 {
			t.Errorf("wider, it begins at %d, not %d", got, begins-4)
		}
		s.press(">", ">")
		if got := at(); got != begins+4 {
			t.Errorf("less wide, it begins at %d, not %d", got, begins+4)
		}
		for range 30 {
			s.tell(tea.KeyPressMsg{Code: '<', Text: "<"})
		}
		if got := 160 - at(); got < 50 || got > 62 {
			t.Errorf("at its widest it takes %d columns", got)
		}
	})
}
