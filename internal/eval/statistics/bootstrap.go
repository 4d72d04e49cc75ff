package statistics

import (
	"math/rand/v2"
	"slices"
)

// resamples is how many samples a bootstrap draws.
const resamples = 10_000

// Difference returns by how much the second of two arms is better, on average over the same items, with its 95 % interval: the middle
// of 10,000 samples drawn with replacement within each stratum. a and b are the arms' credits per item, strata the items' strata;
// nil: there is one. Equal seeds give equal intervals. Without items the interval is [-1, 1].
func Difference(a, b []float64, strata []string, seed uint64) Interval {
	n := min(len(a), len(b))
	if n == 0 {
		return Interval{0, -1, 1}
	}
	groups := map[string][]float64{}
	sum := 0.0
	for i := range n {
		name := ""
		if strata != nil {
			name = strata[i]
		}
		groups[name] = append(groups[name], b[i]-a[i])
		sum += b[i] - a[i]
	}
	// In a fixed order, or equal seeds would not give equal draws.
	names := make([]string, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	low, high := Bootstrap(seed, func(rng *rand.Rand) float64 {
		sum := 0.0
		for _, name := range names {
			g := groups[name]
			for range g {
				sum += g[rng.IntN(len(g))]
			}
		}
		return sum / float64(n)
	})
	return Interval{sum / float64(n), low, high}
}

// Bootstrap returns the bounds of the middle 95 % of resampled figures. It calls figure 10,000 times, one after another.
func Bootstrap(seed uint64, figure func(rng *rand.Rand) float64) (low, high float64) {
	rng := rand.New(rand.NewPCG(seed, 0x626f6f74))
	all := make([]float64, resamples)
	for i := range all {
		all[i] = figure(rng)
	}
	slices.Sort(all)
	return Percentile(all, .025), Percentile(all, .975)
}

// Percentile returns the q-quantile of sorted numbers, interpolated linearly; 0 without numbers.
func Percentile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i])
}
