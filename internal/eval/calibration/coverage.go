package calibration

import (
	"cmp"
	"slices"
)

// Point is a point on a risk-coverage curve: if only the surest share of answers is kept, what share of them is wrong.
type Point struct {
	Coverage float64 `json:"coverage"`
	Risk     float64 `json:"risk"`
}

// RiskCoverage returns the curve of an arm that may decline to answer: one point for each stated chance, the surest first; and the
// area under it: the mean risk over all numbers of kept answers, averaged over all orders of answers with equal chance. Less is
// better. Without outcomes there is no curve, and the area is 0.
func RiskCoverage(outcomes []Outcome) (curve []Point, area float64) {
	sorted := slices.Clone(outcomes)
	slices.SortStableFunc(sorted, func(a, b Outcome) int { return cmp.Compare(b.P, a.P) })
	n := float64(len(sorted))
	kept, wrong := 0.0, 0.0
	for len(sorted) > 0 {
		size, more := 0, 0.0
		for size < len(sorted) && sorted[size].P == sorted[0].P {
			more += 1 - sorted[size].Credit
			size++
		}
		for i := range size {
			k := float64(i + 1)
			area += (wrong + more*k/float64(size)) / (kept + k)
		}
		kept, wrong = kept+float64(size), wrong+more
		curve = append(curve, Point{kept / n, wrong / kept})
		sorted = sorted[size:]
	}
	return curve, area / max(1, n)
}
