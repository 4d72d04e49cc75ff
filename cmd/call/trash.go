package call

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// TrashDays is how long deleted debates are kept, in words.
var TrashDays = fmt.Sprintf("%d days", int(engine.TrashTime.Hours()/24))

// UntilText says how long something stays.
// Days are rounded, so that what was deleted just now has the whole time left.
func UntilText(d time.Duration) string {
	switch {
	case d <= 0:
		return "next to be removed"
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h left", int(d.Hours()))
	}
	return fmt.Sprintf("%d days left", int((d+12*time.Hour).Hours()/24))
}

// ParseAge reads an age in words such as 30d.
// Units are m, h, d and w; fractions are allowed, negative ages and those beyond what a Duration holds (292 years) are
// not.
func ParseAge(text string) (time.Duration, error) {
	bad := failure.Usage(fmt.Sprintf("--older-than must be an age such as 30d, 8w or 12h, not %q", text),
		"add --dry-run to see what would be deleted")
	if text == "" {
		return 0, bad
	}
	unit, ok := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[text[len(text)-1]]
	n, err := strconv.ParseFloat(text[:len(text)-1], 64)
	if !ok || err != nil || !(n >= 0 && n*float64(unit) < math.MaxInt64) {
		return 0, bad
	}
	return time.Duration(n * float64(unit)), nil
}

// Deleted says what was deleted, and to a program until when it can be restored.
func (a *Call) Deleted(key string, names any, sentences ...string) error {
	until := time.Now().Add(engine.TrashTime).UTC().Truncate(time.Second)
	return a.Out.Done(map[string]any{key: names, "until": until}, sentences...)
}

// Trash is what was deleted of a noun, to be listed and restored.
// Listing is the same for debates and conversations; restoring is not, so it is not here.
type Trash[T any] struct {
	Are  string                                                             // debates
	All  func(ctx context.Context, e *engine.Engine, most int) ([]T, error) // the last deleted first; most 0: every one
	Text func(T) string                                                     // what is searched for words
	Line func(T) string
}

// List lists what has all words, at most limit of them unless it is 0.
func (t Trash[T]) List(ctx context.Context, a *Call, words []string, limit int) error {
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	most := limit
	if len(words) > 0 {
		most = 0
	}
	all, err := t.All(ctx, e, most)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(all, func(x T) bool { return !out.Matches(t.Text(x), words) })
	if limit > 0 {
		kept = kept[:min(limit, len(kept))]
	}
	return out.List[T]{Rows: kept, Line: t.Line, None: "No matching deleted " + t.Are + ".\n"}.Write(a.Out)
}
