package terminal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Tidy says how the program that has ended left the terminal otherwise than it found it. A person types the next command into
// what is left.
func (t *Terminal) Tidy() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var left []string
	if !t.over {
		left = append(left, "the program still runs")
	}
	for m, on := range t.modes {
		if on != slices.Contains([]ansi.Mode{ansi.ModeTextCursorEnable, ansi.ModeAutoWrap}, m) {
			left = append(left, fmt.Sprintf("mode %s is %s", modeName(m), map[bool]string{true: "on", false: "off"}[on]))
		}
	}
	for name, value := range t.strays {
		left = append(left, name+": "+strings.TrimSpace(value))
	}
	at := t.em.CursorPosition()
	if at.X != 0 {
		left = append(left, fmt.Sprintf("the cursor is in column %d", at.X))
	}
	t.em.WriteString("q") // would show as a line, or coloured, were that left on
	if c := t.em.CellAt(at.X, at.Y); c == nil || c.Content != "q" || !c.Style.IsZero() || c.Link.URL != "" {
		left = append(left, fmt.Sprintf("what is written next looks like %+v", c))
	}
	if t.over && !reflect.DeepEqual(t.before, t.settled) {
		left = append(left, fmt.Sprintf("the terminal settings are %+v, not %+v", t.settled, t.before))
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	last := t.raw[max(0, len(t.raw)-200):]
	return fmt.Errorf("the terminal was not left as it was:\n  %s\nThe last that was written: %q", strings.Join(left, "\n  "), last)
}

// modeName is what a mode is called, by what a person would notice.
func modeName(m ansi.Mode) string {
	what := map[ansi.Mode]string{
		ansi.ModeAltScreenSaveCursor: "alternate screen", ansi.ModeAltScreen: "alternate screen", ansi.ModeTextCursorEnable: "cursor",
		ansi.ModeAutoWrap:       "wrap",
		ansi.ModeBracketedPaste: "marked pastes", ansi.ModeMouseNormal: "mouse", ansi.ModeMouseButtonEvent: "mouse",
		ansi.ModeMouseAnyEvent: "mouse",
		ansi.ModeMouseExtSgr:   "mouse", ansi.ModeFocusEvent: "focus", ansi.ModeSynchronizedOutput: "held output",
		ansi.ModeCursorKeys: "cursor keys",
	}[m]
	return strings.TrimSpace(fmt.Sprintf("?%d %s", m.Mode(), what))
}
