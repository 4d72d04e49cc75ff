package statistics

// McNemar returns the exact two-sided p value that two arms are equal, from how many items each alone got right. Without such items
// it is 1.
//
// The exact test throws a fair coin for every item that only one of the two got right.
func McNemar(one, other int) float64 {
	return min(1, 2*Binomial(min(one, other), one+other))
}
