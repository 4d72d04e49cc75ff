package tui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/line"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Notifier returns how a terminal calls a person: by its bell, and by a desktop notification if that is wanted
// and known to work. The environment says which terminal it is, also inside tmux, which passes a notification
// on if its allow-passthrough is on and drops it otherwise. An unknown terminal, or one inside screen, has the
// bell.
func Notifier(setting string, env func(string) string) (calls bool, form string) {
	if setting == "desktop" && env("STY") == "" {
		form = notification(env)
	}
	return setting != "off", form
}

// notice returns what a sentence's notification sends to a terminal.
func notice(t screen.Terminal, text string) string {
	out := strings.Replace(t.Notice, "TEXT", strings.ReplaceAll(line.Clip(line.One(text), 120), ";", ","), 1)
	if t.Tmux && out != "" {
		out = ansi.TmuxPassthrough(out)
	}
	return "\a" + out
}

// notification returns the sequence that makes a terminal notify, with TEXT for the text; empty: none is known.
func notification(env func(string) string) string {
	term, program := env("TERM"), strings.ToLower(env("TERM_PROGRAM"))
	switch {
	case strings.Contains(term, "kitty") || env("KITTY_WINDOW_ID") != "":
		return "\x1b]99;;TEXT\x1b\\"
	case program == "iterm.app" || program == "wezterm" || program == "ghostty" || env("LC_TERMINAL") == "iTerm2" ||
		env("WEZTERM_PANE") != "" ||
		env("GHOSTTY_RESOURCES_DIR") != "" || env("WT_SESSION") != "":
		return "\x1b]9;TEXT\a"
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") || env("VTE_VERSION") != "":
		return "\x1b]777;notify;socrates;TEXT\a"
	}
	return ""
}

// watch tracks whether the person looks at the terminal, and calls them.
type watch struct {
	d       *Desk
	focus   focus
	typedOn time.Time // when a key was last pressed
}

// awayTime is how long nobody must have typed to count as away, if the terminal does not report focus.
const awayTime = 10 * time.Second

// away reports whether the person does not see the screen.
func (wt *watch) away() bool {
	if wt.focus == unknown {
		return time.Since(wt.typedOn) >= awayTime
	}
	return wt.focus == blurred
}

// focus is the reported focus of the terminal.
type focus int

const (
	unknown focus = iota // some terminals, and tmux unless its focus-events is on, never report it
	focused
	blurred
)

// call calls the person to a tab that waits for them or has finished, if they look elsewhere: at another window
// or, if the tab waits, at another tab.
func (wt *watch) call(t *tab, m screen.Mark) tea.Cmd {
	if !wt.d.Calls || !wt.away() && (m != screen.Waiting || wt.d.current() == t.Page) {
		return nil
	}
	what := map[screen.Mark]string{screen.Waiting: " waits for you"}[m]
	return tea.Raw(notice(wt.d.Terminal, wt.d.Clean(t.Title())+cmp.Or(what, " is done")))
}
