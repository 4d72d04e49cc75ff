package statistics

import (
	"math"
)

// Binomial returns the chance of at most k heads in n throws of a fair coin. It adds logarithms, so that thousands of throws do not
// overflow. For k < 0 it is 0.
func Binomial(k, n int) float64 {
	var sum float64
	all, _ := math.Lgamma(float64(n + 1))
	for i := range min(k, n) + 1 {
		heads, _ := math.Lgamma(float64(i + 1))
		tails, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - heads - tails - float64(n)*math.Ln2)
	}
	return min(1, sum)
}
