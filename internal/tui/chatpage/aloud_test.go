package chatpage

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tui/screen"
	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// Read aloud, a line that could go on in the next is not cut.
func TestNothingIsCutAloud(t *testing.T) {
	long := strings.Repeat("some words ", 30) + "end"
	s := &screen.Screen{World: screen.World{Theme: theme.Theme{Plain: true}, Clean: func(text string) string { return text }}}
	pn := &pen{s, 60}
	drawn := map[string][]string{"ran": pn.ran(long, long, false), "typed": pn.typed(long), "folded": pn.folded(long, "", false)}
	for name, e := range map[string]scene.Entry{
		"called":        {Sort: scene.Called, Text: "read " + long, Who: "read"},
		"said":          {Sort: scene.Called, Text: "bash ls", Who: "bash", Result: long},
		"failed":        {Sort: scene.Called, Text: "bash " + long, Who: "bash", Reason: long, Show: talk.Show{Failed: true}},
		"failed inside": {Sort: scene.Called, Text: "bash go test", Who: "bash", Result: "error: " + long + "\n[exit status 1]"},
		"answered":      {Sort: scene.Answered, Who: long, Text: "yes", State: talk.Done},
		"merged":        {Sort: scene.Merged, Who: long, Text: "yes"},
		"asked": {Sort: scene.Asked, Need: &asking.Need{Question: &tool.Question{Text: long}},
			Answer: &asking.Answered{Choice: long}},
	} {
		drawn[name] = pn.entry(&e, false)
	}
	for name, lines := range drawn {
		if text := strings.Join(lines, "\n"); strings.Contains(text, "…") || !strings.Contains(text, "end") {
			t.Errorf("%s is cut:\n%s", name, text)
		}
	}
}
