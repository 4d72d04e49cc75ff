package screen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/tui/line"
)

// Part is a piece of the status line. If there is no room, those of the highest rank are shortened first.
type Part struct {
	Text, Short string // an empty one is left out
	Rank        int
	Right       bool // aligned right
}

// Between separates two parts.
const Between = " · "

// Fitted shortens parts until they fit in a line. If that is not enough, the end is cut.
func Fitted(parts []Part, w int) (left, right string) {
	parts = slices.Clone(parts)
	order := make([]int, len(parts))
	for i := range parts {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[b].Rank, parts[a].Rank) })
	for _, i := range order {
		left, right = joined(parts)
		gap := 3
		if left != "" && right != "" {
			gap = 2 + line.Wide(Between)
		}
		if line.Wide(left)+line.Wide(right)+gap <= w || parts[i].Rank == 0 {
			break
		}
		parts[i].Text = parts[i].Short
	}
	left, right = joined(parts)
	right = line.Clip(right, max(0, w-3))
	return line.Clip(left, max(0, w-line.Wide(right)-3)), right
}

func joined(parts []Part) (left, right string) {
	var l, r []string
	for _, p := range parts {
		if p.Text != "" && p.Right {
			r = append(r, p.Text)
		} else if p.Text != "" {
			l = append(l, p.Text)
		}
	}
	return strings.Join(l, Between), strings.Join(r, Between)
}
