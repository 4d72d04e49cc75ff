package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

func TestNotifier(t *testing.T) {
	for _, c := range []struct {
		setting string
		env     map[string]string
		want    string
	}{
		{"bell", map[string]string{"TERM": "xterm-kitty"}, "\a"},
		{"desktop", map[string]string{"TERM": "xterm-256color"}, "\a"},
		{"desktop", map[string]string{"TERM": "xterm-kitty"}, "\a\x1b]99;;a, b\x1b\\"},
		{"desktop", map[string]string{"TERM": "tmux-256color", "TMUX": "x"}, "\a"},
		{"desktop", map[string]string{"TERM": "tmux-256color", "TMUX": "x", "KITTY_WINDOW_ID": "1"}, "\a\x1bPtmux;\x1b\x1b]99;;a, b\x1b\x1b\\\x1b\\"},
		{"desktop", map[string]string{"TERM": "xterm-kitty", "STY": "x"}, "\a"},
		{"desktop", map[string]string{"LC_TERMINAL": "iTerm2"}, "\a\x1b]9;a, b\a"},
		{"desktop", map[string]string{"TERM_PROGRAM": "WezTerm"}, "\a\x1b]9;a, b\a"},
		{"desktop", map[string]string{"TERM": "foot"}, "\a\x1b]777;notify;socrates;a, b\a"},
		{"desktop", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\a\x1b]777;notify;socrates;a, b\a"},
	} {
		on := screen.Terminal{Tmux: c.env["TMUX"] != ""}
		on.Calls, on.Notice = Notifier(c.setting, func(k string) string { return c.env[k] })
		if got := notice(on, "a; b\x1b\a"); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.setting, c.env, got, c.want)
		}
	}
	if calls, _ := Notifier("off", func(string) string { return "" }); calls {
		t.Error("off is not off")
	}
}

// A person is called who looks elsewhere: as the terminal says, or if it does not, who has not typed for a while.
func TestCalled(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration
		focus tea.Msg
		want  int
	}{
		"away":                 {time.Second, tea.BlurMsg{}, 1},
		"looks":                {time.Minute, tea.FocusMsg{}, 0},
		"not told, long ago":   {time.Minute, nil, 1},
		"not told, just typed": {time.Second, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(s *stage) {
				s.Calls = true
				s.script("scripted", script.Rule{DelayMS: int(c.takes.Milliseconds()), Reply: "Done."})
				if c.focus != nil {
					s.tell(c.focus)
				}
				s.say("Do it.")
				s.wait(c.takes)
				if s.rung != c.want {
					t.Errorf("called %d times, want %d", s.rung, c.want)
				}
			})
		})
	}
}
