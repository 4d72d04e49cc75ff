package tui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Notifier is how a terminal calls a person: by its bell, and where that is wanted and known to work, by a notification of
// the desktop. The environment says which terminal it is; one that is unknown, or inside tmux or screen, has the bell.
func Notifier(setting string, env func(string) string) func(text string) string {
	if setting == "off" {
		return nil
	}
	form := ""
	term, program := env("TERM"), strings.ToLower(env("TERM_PROGRAM"))
	switch {
	case setting != "desktop" || env("TMUX") != "" || env("STY") != "":
	case strings.Contains(term, "kitty"):
		form = "\x1b]99;;TEXT\x1b\\"
	case program == "iterm.app" || program == "wezterm" || program == "ghostty" || env("WT_SESSION") != "":
		form = "\x1b]9;TEXT\a"
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") || env("VTE_VERSION") != "":
		form = "\x1b]777;notify;socrates;TEXT\a"
	}
	return func(text string) string {
		return "\a" + strings.Replace(form, "TEXT", strings.ReplaceAll(clip(oneLine(text), 120), ";", ","), 1)
	}
}

// call calls the person to a tab that waits for them, or whose work has ended, if they look elsewhere: at another window, or
// where somebody is waited for, at another tab.
func (d *Desk) call(t *tab, m mark) tea.Cmd {
	if d.Notify == nil || !d.blurred && (m != waiting || d.current() == t.page) {
		return nil
	}
	what := map[mark]string{waiting: " waits for you"}[m]
	return tea.Raw(d.Notify(d.Clean(t.Title()) + cmp.Or(what, " is done")))
}
