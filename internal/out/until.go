package out

import (
	"fmt"
	"time"
)

// Until formats how long something stays. Days are rounded, so that what was deleted just now has the whole
// time left.
func Until(d time.Duration) string {
	switch {
	case d <= 0:
		return "next to be removed"
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h left", int(d.Hours()))
	}
	return fmt.Sprintf("%d days left", int((d+12*time.Hour).Hours()/24))
}
