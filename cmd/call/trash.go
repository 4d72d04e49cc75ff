package call

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
)

// TrashDays says in words how long deleted debates are kept.
var TrashDays = fmt.Sprintf("%d days", int(engine.TrashTime.Hours()/24))

// ParseAge parses an age such as 30d. Units are m, h, d and w. It allows fractions, but not negative ages or those
// beyond a Duration (292 years).
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
