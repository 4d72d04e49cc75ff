package folder

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// Near returns up to three of names that look most like name, the most similar first. A quarter of the letters of the
// last part may differ. Among equals the nearest folder comes first.
func Near(name string, names []string) []string {
	type guess struct {
		name     string
		distance int
	}
	var guesses []guess
	base := strings.ToLower(path.Base(name))
	for _, other := range names {
		b := strings.ToLower(path.Base(other))
		allowed := len(base)/4 + 1
		if len(b)-len(base) > allowed || len(base)-len(b) > allowed {
			continue
		}
		if d := spelling.Distance(base, b); d <= allowed {
			guesses = append(guesses, guess{other, d})
		}
	}
	slices.SortFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance),
			cmp.Compare(spelling.Distance(path.Dir(name), path.Dir(a.name)), spelling.Distance(path.Dir(name), path.Dir(b.name))),
			strings.Compare(a.name, b.name))
	})
	var near []string
	for _, g := range guesses[:min(3, len(guesses))] {
		near = append(near, clean.Line(g.name))
	}
	return near
}
