package tui

import "testing"

func TestNotifier(t *testing.T) {
	for _, c := range []struct {
		setting string
		env     map[string]string
		want    string
	}{
		{"bell", map[string]string{"TERM": "xterm-kitty"}, "\a"},
		{"desktop", map[string]string{"TERM": "xterm-256color"}, "\a"},
		{"desktop", map[string]string{"TERM": "xterm-kitty"}, "\a\x1b]99;;a, b\x1b\\"},
		{"desktop", map[string]string{"TERM": "xterm-kitty", "TMUX": "x"}, "\a"},
		{"desktop", map[string]string{"TERM_PROGRAM": "WezTerm"}, "\a\x1b]9;a, b\a"},
		{"desktop", map[string]string{"TERM": "foot"}, "\a\x1b]777;notify;socrates;a, b\a"},
		{"desktop", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\a\x1b]777;notify;socrates;a, b\a"},
	} {
		if got := Notifier(c.setting, func(k string) string { return c.env[k] })("a; b\x1b\a"); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.setting, c.env, got, c.want)
		}
	}
	if Notifier("off", func(string) string { return "" }) != nil {
		t.Error("off is not off")
	}
}
