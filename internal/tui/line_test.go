package tui

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, tc := range []struct {
		path string
		w    int
		want string
	}{
		{"internal/session/session.go", 30, "internal/session/session.go"},
		{"internal/session/session.go", 20, "…/session/session.go"},
		{"internal/session/session.go", 15, "…/session.go"},
		{"internal/session/session.go", 8, "session…"},
		{"漢字/漢字.go", 9, "…/漢字.go"},
		{"a-very-long-name-of-a-file.go", 10, "a-very-lo…"},
		{"", 4, ""},
	} {
		if got := named(tc.path, tc.w); got != tc.want || wide(got) > tc.w {
			t.Errorf("named(%q, %d) = %q", tc.path, tc.w, got)
		}
	}
}

// A box over wide letters leaves the line as wide as it was, wherever it cuts them.
func TestOver(t *testing.T) {
	for w := range 12 {
		for bw := range 6 {
			for _, under := range []string{strings.Repeat("漢", 6), "a" + strings.Repeat("漢", 5) + "b", strings.Repeat("x", 12), ""} {
				lines, _, _ := over([]string{under}, []string{strings.Repeat("#", bw)}, w, 1)
				if got, most := wide(lines[0]), max(wide(under), max(0, (w-bw)/2)+bw); got > most {
					t.Errorf("%q with %d over it, of %d: %q is %d wide, not %d", under, bw, w, lines[0], got, most)
				}
			}
		}
	}
}
