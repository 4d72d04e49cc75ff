package line

import (
	"strings"
	"testing"
)

// A flag is not broken at its hyphens; other words may be.
func TestFlagsAreWhole(t *testing.T) {
	text := "use --rounds, --preset or --dry-run-all, of a well-known kind"
	for w := 16; w < 70; w++ {
		rows := Wrap(text, w)
		for _, row := range rows {
			for _, word := range strings.Fields(row) {
				if strings.HasSuffix(word, "-") && word != "well-" {
					t.Errorf("at %d: %q", w, rows)
				}
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(rows, " ")), " "); strings.ReplaceAll(got, "well- known", "well-known") != text {
			t.Errorf("at %d it became %q", w, got)
		}
	}
}
