package statistics

// McNemar is the exact two-sided p value that two arms are alike, from how many items each alone got right. Nothing
// they differ on gives 1.
//
// It is the exact test: a fair coin for every item that only one of the two got right.
func McNemar(one, other int) float64 {
	return min(1, 2*Binomial(min(one, other), one+other))
}
