package scroll

import (
	"fmt"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tui/theme"
)

// A page that goes on below says by how many lines, and its end does not.
func TestPage(t *testing.T) {
	for name, tc := range map[string]struct {
		lines, off int
		text, want string
	}{
		"short row":      {10, 0, "row", "row 3 ↓ 6 more"},
		"row too long":   {10, 0, "a longer row", "↓ 7 more"},
		"in the middle":  {10, 4, "row", "row 7 ↓ 2 more"},
		"end":            {10, 6, "row", "row 9"},
		"fits":           {4, 0, "row", "row 3"},
		"more than most": {2000, 0, "row", "↓ 999+ more"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for i := range tc.lines {
				lines = append(lines, fmt.Sprintf("%s %d", tc.text, i))
			}
			s := Scroll{Away: true, Height: 4}
			s.Move(Flat(lines), tc.off)
			got := s.Page(theme.Theme{}, Flat(lines), 18, 4)
			if last := strings.Join(strings.Fields(got[len(got)-1]), " "); last != tc.want {
				t.Errorf("the last line is %q, not %q", last, tc.want)
			}
		})
	}
}
