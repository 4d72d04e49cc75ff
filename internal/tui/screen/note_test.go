package screen_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/tui/screen"
)

// TestALongErrorIsCut: what a program printed by the megabyte neither stays in memory nor fills the screen.
func TestALongErrorIsCut(t *testing.T) {
	s := screen.New(t.Context(), screen.World{Clean: clean.Text})
	s.Fail(errors.New("the program failed: " + strings.Repeat("no such thing ", 1<<20)))
	if n := len(s.Log[0].Text); !strings.HasPrefix(s.Note.Text, "the program failed: no such thing") || n > 5000 || !s.Log[0].Bad {
		t.Errorf("%d bytes were kept of it: %.80s", n, s.Note.Text)
	}
}
