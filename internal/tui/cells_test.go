package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/socrates-cli/socrates/internal/tui/roompage"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// What is drawn is as wide for us as for the terminal, whichever way it counts.
func TestCountable(t *testing.T) {
	d := New(t.Context(), Wiring{Home: homeOf(t, t.TempDir(), same, same)}, Start{})
	d.open(func(id int) screen.Page { return roompage.New(d.Screen, id) })
	text := "👍🏽 ❤️ 👨‍👩‍👧 1️⃣ 🇩🇪 é 日本"
	if got := d.Clean(text); ansi.StringWidth(got) != ansi.StringWidthWc(got) {
		t.Errorf("%q is %d cells by grapheme, %d by letter", got, ansi.StringWidth(got), ansi.StringWidthWc(got))
	}
	d.Update(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	if got := d.Clean(text); got != text {
		t.Errorf("a terminal that counts by grapheme is shown %q", got)
	}
}
