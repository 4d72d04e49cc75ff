package tui

import "testing"

// Terminals that are known to take links get them, unless the person says otherwise.
func TestLinking(t *testing.T) {
	for _, c := range []struct {
		setting string
		env     map[string]string
		want    bool
	}{
		{"auto", nil, false}, {"on", nil, true}, {"off", map[string]string{"TERM": "xterm-kitty"}, false},
		{"auto", map[string]string{"TERM": "xterm-kitty"}, true}, {"auto", map[string]string{"TERM_PROGRAM": "iTerm.app"}, true},
		{"auto", map[string]string{"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.3a"}, false},
		{"auto", map[string]string{"TERM_PROGRAM": "tmux", "TERM_PROGRAM_VERSION": "3.5a"}, true},
		{"auto", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, true},
		{"auto", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "4800"}, false},
	} {
		if got := Linking(c.setting, func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s %v: %v", c.setting, c.env, got)
		}
	}
}
