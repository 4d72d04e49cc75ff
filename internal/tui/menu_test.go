package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/llm/script"
)

// What Enter does of what is typed and offered: what is typed in full is sent as it stands.
func TestEnter(t *testing.T) {
	for _, c := range []struct{ typed, keys, input, seen string }{
		{"/spe", "enter", "", "Cost of open tabs"}, // nothing can follow it
		{"/hel", "enter", "/help ", ""},
		{"/hel", "enter enter", "", "/aside TEXT "},
		{"/zzz", "enter", "", "unknown command /zzz"}, // refused: out of the way of the next one, and one key away
		{"/zzz", "enter up", "/zzz", ""},
		{"/label co", "enter", "", "labelled co"},
		{"/models opnai:big", "enter", "", "no model named opnai:big"},
		{"/models a", "enter", "/models a:big ", ""},
		{"/models big", "enter", "", "no model named big"},
		{"/models big", "down up enter", "/models a:big ", ""},
		{"/models bg", "tab", "/models a:big ", ""},
		{"see @main", "enter", "see @main.go ", ""},
		{"see @desk", "enter", "see @internal/desk.go ", ""},
		{"ask @mgo", "enter", "", "ask @mgo"},
		{"see @go.mod", "enter", "", "see @go.mod"},
		{"see @", "enter", "", "see @"},
		{"/", "enter", "/", ""},
		{"one\n/comp", "enter", "", "one"},
	} {
		t.Run(strings.ReplaceAll(c.typed, "/", "-")+" "+c.keys, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.script("scripted", script.Rule{Reply: "Well."})
				s.file("go.mod", "module m\n")
				s.say("begin")
				for i, line := range strings.Split(c.typed, "\n") {
					if i > 0 {
						s.press("alt+enter")
					}
					s.write(line)
				}
				s.wait(time.Second)
				s.press(strings.Fields(c.keys)...)
				s.wait(time.Second)
				if got := s.input().Text(); got != c.input {
					t.Errorf("the input is %q, want %q", got, c.input)
				}
				if c.seen != "" {
					s.see(c.seen)
				}
			})
		})
	}
}
