package builtin

import (
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/spelling"
)

const comparedLines = 20_000 // lines of a file, to find the one that was meant; this limits the time of a refused edit

// nearest describes the place in body that old most likely means, and where the two differ.
func nearest(body, old string) string {
	sought := squeezed(old)
	start := 0
	for start < len(sought) && sought[start] == "" {
		start++
	}
	if start == len(sought) {
		return "it contains only whitespace"
	}
	have := squeezed(body)
	best, score := -1, 0
	for i, line := range have[:min(len(have), comparedLines)] {
		if s := likeness(have[i:], line, sought[start:]); s > score {
			best, score = i, s
		}
	}
	if best < 0 {
		return "nothing in it is similar: read the file again"
	}
	for i, want := range sought[start:] {
		if best+i == len(have) {
			return fmt.Sprintf("it begins like line %d, but the file ends at line %d", best+1, len(have))
		}
		if got := have[best+i]; got != want {
			return fmt.Sprintf("nearest is line %d: there is %q where old has %q", best+i+1, short(got), short(want))
		}
	}
	return fmt.Sprintf("nearest is line %d, which differs only in whitespace", best+1)
}

// likeness is how similar the lines from here are to sought: the equal lines count (1000 and more), then how similar
// the first is (below 1000). 0: not at all.
func likeness(have []string, line string, sought []string) int {
	equal := 0
	for i := 0; i < min(len(have), len(sought), 50) && have[i] == sought[i]; i++ {
		equal++
	}
	if equal > 0 {
		return 1000 + equal
	}
	first := sought[0]
	if line == "" || len(line) > 2*len(first)+8 || len(first) > 2*len(line)+8 {
		return 0
	}
	if len(line) > 100 || len(first) > 100 {
		line, first = line[:min(len(line), 100)], first[:min(len(first), 100)]
	}
	if d := spelling.Distance(line, first); 2*d < max(len(line), len(first)) {
		return 1000 - 1000*d/max(len(line), len(first))
	}
	return 0
}

// squeezed returns the lines of a text with every run of blanks as one.
func squeezed(s string) []string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

// short returns a line as part of a message.
func short(line string) string { return cut(clean.Line(line), 120) }
