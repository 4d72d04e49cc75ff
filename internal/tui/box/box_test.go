package box

import (
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tui/line"
)

// A box over wide letters leaves the line as wide as it was, wherever it cuts them.
func TestOver(t *testing.T) {
	for w := range 12 {
		for bw := range 6 {
			for _, under := range []string{strings.Repeat("漢", 6), "a" + strings.Repeat("漢", 5) + "b", strings.Repeat("x", 12), ""} {
				lines, _, _ := Over([]string{under}, []string{strings.Repeat("#", bw)}, w, 1)
				if got, most := line.Wide(lines[0]), max(line.Wide(under), max(0, (w-bw)/2)+bw); got > most {
					t.Errorf("%q with %d over it, of %d: %q is %d wide, not %d", under, bw, w, lines[0], got, most)
				}
			}
		}
	}
}
