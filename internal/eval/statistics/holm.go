package statistics

import (
	"cmp"
	"slices"
)

// Holm corrects the p values of several comparisons for there being several, by Holm's step-down rule: each stays in
// its place, none gets smaller, and at any level the chance of even one false finding is held.
//
// p is not changed. Nothing gives nothing.
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
