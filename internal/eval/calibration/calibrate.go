// Package calibration compares stated chances with outcomes: how far they are off, and which map corrects that.
//
// An [Outcome] is a stated chance and whether it came true. [Fit] learns a map from stated to real chances for package learn; [ECE],
// [Brier], [RiskCoverage] and [WrongAmong] measure how far stated chances can be relied on, for reports of evaluations and
// simulations. All are functions without state. Fit and ECE use weights; the other measures count every outcome as one.
package calibration

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/eval/statistics"
)

// Outcome is one decision with a known answer: its posterior, and whether it was right. Credit is between 0 and 1 if options were
// tied.
type Outcome struct {
	P      float64 `json:"p"`
	Credit float64 `json:"credit"`
	Weight float64 `json:"weight,omitempty"` // below 1 if it has faded; 0: counts fully
}

func (o Outcome) weight() float64 { return cmp.Or(o.Weight, 1) }

// weights returns the sum of the outcomes' weights.
func weights(outcomes []Outcome) (sum float64) {
	for _, o := range outcomes {
		sum += o.weight()
	}
	return sum
}

// Fit learns the map from recorded outcomes by penalised logistic regression. The penalty pulls towards the identity with the weight
// of a few dozen outcomes, so that 50 to 200 recorded ones improve the map and a few cannot spoil it. Without outcomes the map is the
// identity.
//
// The penalised likelihood is concave, so it has one maximum. A negative slope becomes 0, since otherwise a higher chance would map
// to a lower one.
func Fit(outcomes []Outcome) verdict.Calibration {
	c := verdict.Calibration{Slope: 1, N: int(math.Round(weights(outcomes)))}
	// Each step maximises a quadratic that bounds the likelihood from below (p(1-p) <= 1/4), so none overshoots.
	h00, h01, h11 := shiftPenalty, 0.0, slopePenalty
	for _, o := range outcomes {
		x, w := logit(o.P), o.weight()/4
		h00, h01, h11 = h00+w, h01+w*x, h11+w*x*x
	}
	det := h00*h11 - h01*h01
	for range 500 {
		g0, g1 := -c.Shift*shiftPenalty, (1-c.Slope)*slopePenalty
		for _, o := range outcomes {
			x := logit(o.P)
			miss := o.weight() * (o.Credit - logistic(c.Shift+c.Slope*x))
			g0, g1 = g0+miss, g1+miss*x
		}
		d0, d1 := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		c.Shift, c.Slope = c.Shift+d0, c.Slope+d1
		if math.Abs(d0)+math.Abs(d1) < 1e-7 {
			break
		}
	}
	c.Slope = max(0, c.Slope)
	return c
}

// The penalties are in units of one outcome's curvature.
const shiftPenalty, slopePenalty = 10.0, 20.0

// logit returns the log odds of p, which is clamped to [.0001, .9999].
func logit(p float64) float64 {
	p = min(1-1e-4, max(1e-4, p))
	return math.Log(p / (1 - p))
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// ECE returns the expected calibration error in ten bins of equal width: how far stated and actual chance are apart, on average over
// the outcomes. Without outcomes it is 0.
func ECE(outcomes []Outcome) float64 {
	var stated, real [10]float64
	for _, o := range outcomes {
		// A chance of 1 belongs to the last bin.
		b, w := min(9, max(0, int(o.P*10))), o.weight()
		stated[b] += w * o.P
		real[b] += w * o.Credit
	}
	var sum float64
	for b := range stated {
		sum += math.Abs(stated[b] - real[b])
	}
	return sum / max(1, weights(outcomes))
}

// ECEInterval returns ECE with the middle 95 % of its values on resampled outcomes. With few outcomes the figure is too high, and so
// is its interval. Equal seeds give equal intervals; without outcomes it is 0 in [0, 1].
func ECEInterval(outcomes []Outcome, seed uint64) statistics.Interval {
	if len(outcomes) == 0 {
		return statistics.Interval{High: 1}
	}
	drawn := make([]Outcome, len(outcomes))
	low, high := statistics.Bootstrap(seed, func(rng *rand.Rand) float64 {
		for i := range drawn {
			drawn[i] = outcomes[rng.IntN(len(outcomes))]
		}
		return ECE(drawn)
	})
	value := ECE(outcomes)
	return statistics.Interval{Value: value, Low: min(low, value), High: max(high, value)}
}

// Brier returns the mean squared error of the stated chance; 0 without outcomes.
func Brier(outcomes []Outcome) float64 {
	var sum float64
	for _, o := range outcomes {
		sum += (o.P - o.Credit) * (o.P - o.Credit)
	}
	return sum / max(1, float64(len(outcomes)))
}

// WrongAmong returns the share of wrong outcomes among the given share of outcomes with the highest posterior. Outcomes tied at the
// edge count in equal parts. Without outcomes it is 0.
func WrongAmong(outcomes []Outcome, share float64) float64 {
	sorted := slices.SortedFunc(slices.Values(outcomes), func(a, b Outcome) int { return cmp.Compare(b.P, a.P) })
	want := share * float64(len(sorted))
	var wrong, taken float64
	for i := 0; i < len(sorted) && taken < want; {
		var n, bad float64
		for edge := sorted[i].P; i < len(sorted) && edge-sorted[i].P < 1e-9; i++ {
			n, bad = n+1, bad+1-sorted[i].Credit
		}
		part := min(1, (want-taken)/n)
		taken, wrong = taken+part*n, wrong+part*bad
	}
	return wrong / max(1e-9, want)
}
