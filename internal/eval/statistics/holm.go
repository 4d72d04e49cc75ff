package statistics

import (
	"cmp"
	"slices"
)

// Holm corrects p values for multiple comparisons by Holm's step-down rule: each stays in its place, none gets smaller, and the
// chance of even one false finding stays below the level.
//
// p is not changed. Without values the result is empty.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		out[i] = least
	}
	return out
}
