package statistics

import "math"

// Needed returns how many paired items show a difference with 80 % power at the two-sided 5 % level. Both arguments are shares of the
// items: discordance, on which exactly one arm is right, and difference, by which one arm is right more often. A difference of 0
// gives 2^31-1.
//
// It is the sample size of McNemar's test after Connor, 1987.
func Needed(discordance, difference float64) int {
	difference = math.Abs(difference)
	if difference == 0 || math.IsNaN(discordance+difference) {
		return math.MaxInt32
	}
	// The difference cannot exceed the discordance.
	discordance = max(discordance, difference)
	const power = 0.8416212
	root := Z*math.Sqrt(discordance) + power*math.Sqrt(discordance-difference*difference)
	return int(min(math.MaxInt32, math.Ceil(root*root/(difference*difference))))
}

// Visible returns the smallest difference, as a share of the items, that n paired items show with 80 % power at the two-sided 5 %
// level, given this discordance, or the difference itself if that is larger. It is 1 if they cannot show even the largest.
func Visible(n int, discordance float64) float64 {
	if Needed(1, 1) > n {
		return 1
	}
	low, high := 0.0, 1.0
	for range 50 {
		if mid := (low + high) / 2; Needed(discordance, mid) <= n {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
