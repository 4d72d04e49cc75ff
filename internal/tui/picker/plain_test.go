package picker

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Where signs are words, the row that is chosen has no sign that a screen reader cannot say.
func TestChosenInPlain(t *testing.T) {
	p := New(theme.Theme{Plain: true}, "Models", []Item{{Title: "one"}, {Title: "two"}})
	p.SetItems([]Item{{Title: "one", Mark: "∴", Note: "free"}, {Title: "two", Now: true, Note: "paid"}, {Title: "three", Now: true}})
	text := strings.Join(p.Lines(60, 10), "\n")
	if strings.ContainsAny(text, "●∴") || !strings.Contains(text, "current, paid") || strings.Count(text, "current") != 2 {
		t.Errorf("it shows %s", text)
	}
	if text := strings.Join(p.Lines(60, 10), "\n"); !strings.Contains(text, "> one") || strings.Contains(text, "›") {
		t.Errorf("it shows %s", text)
	}
}
