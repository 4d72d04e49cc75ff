package dialog

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// Enter is no dead key in a question of yes and no, and never a yes; a box with other answers is not closed by it.
func TestEnterNeverAgrees(t *testing.T) {
	for answers, want := range map[string]string{"yn": "n", "as": ""} {
		s, got := &screen.Screen{}, ""
		c := New(s, "Quit?", func(int) []string { return nil })
		for _, key := range strings.Split(answers, "") {
			c.Offer(key, key, func() tea.Cmd { got += key; return nil })
		}
		s.Push(c)
		c.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		if closed := len(s.Dialogs) == 0; got != want || closed != (want != "") {
			t.Errorf("of %s, enter chose %q, closed %v", answers, got, closed)
		}
	}
}
