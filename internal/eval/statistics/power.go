package statistics

import "math"

// Needed is how many paired items show a difference with 80 % power at the two-sided 5 % level. Both arguments are
// shares of the items: on how many one arm alone is right, and by how many more one arm is right. A difference of 0
// gives the largest number there is, 2^31-1.
//
// It is the sample size of McNemar's test by Connor, 1987.
func Needed(discordance, difference float64) int {
	difference = math.Abs(difference)
	if difference == 0 || math.IsNaN(discordance+difference) {
		return math.MaxInt32
	}
	// One arm cannot be right alone more often than the two differ.
	discordance = max(discordance, difference)
	const power = 0.8416212
	root := Z*math.Sqrt(discordance) + power*math.Sqrt(discordance-difference*difference)
	return int(min(math.MaxInt32, math.Ceil(root*root/(difference*difference))))
}

// Visible is the smallest difference, as a share of the items, that n paired items show with 80 % power at the two-sided
// 5 % level, where the arms differ on this share of them, or on no more than the difference takes. It is 1 where even
// the largest cannot be seen.
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
