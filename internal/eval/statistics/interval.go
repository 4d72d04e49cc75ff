// Package statistics computes the figures of an evaluation: intervals, tests, agreement and the power of a comparison.
//
// [Interval] is what every figure is reported as. [Wilson] is for shares, [Mean] for means of many numbers,
// [Difference] for two arms on the same items, [Bootstrap] for any figure that can be computed of resampled data.
// [McNemar] and [Holm] test, [Needed] and [Visible] say what a test can see before anybody is paid, [Agree] and
// [Mistakes] what several seats have in common.
//
// All of them are functions of their arguments: what is drawn is drawn from a seed, so equal input gives equal
// figures on every machine. Shares lie in [0, 1], never in percent. Where nothing was tried the answer is the widest
// interval and no NaN, since figures go into JSON. Mean is an exception: of less than two numbers its interval is
// endless.
package statistics

import (
	"fmt"
	"math"
)

// Z is the two-sided 95 % point of the normal distribution.
const Z = 1.959964

// Interval is a figure with its 95 % interval. The zero value is a figure nothing is known of.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// String prints the figure as it is, without a unit.
func (i Interval) String() string { return fmt.Sprintf("%.4f [%.4f, %.4f]", i.Value, i.Low, i.High) }

// Wilson is the share hits/n with its Wilson interval. Nothing tried gives 0 in [0, 1].
// hits and n may be sums of weights. The interval of Wilson, 1927: unlike the normal one it stays in [0, 1] and is
// right for few items. The share itself is always in it.
func Wilson(hits, n float64) Interval {
	if n <= 0 {
		return Interval{High: 1}
	}
	p := hits / n
	mid := (p + Z*Z/(2*n)) / (1 + Z*Z/n)
	half := Z * math.Sqrt(p*(1-p)/n+Z*Z/(4*n*n)) / (1 + Z*Z/n)
	return Interval{p, max(0, min(p, mid-half)), min(1, max(p, mid+half))}
}

// Mean gathers numbers for their mean. Its zero value is empty.
// It is not safe for concurrent use; give each goroutine one and add them up with Plus.
type Mean struct {
	n         int
	sum, sum2 float64
}

// Add takes one more number.
func (m *Mean) Add(x float64) { m.n, m.sum, m.sum2 = m.n+1, m.sum+x, m.sum2+x*x }

// Plus takes all numbers that o has taken.
func (m *Mean) Plus(o Mean) { m.n, m.sum, m.sum2 = m.n+o.n, m.sum+o.sum, m.sum2+o.sum2 }

// N is how many numbers were added.
func (m Mean) N() int { return m.n }

// Interval is the mean with its normal interval, which is endless below two numbers.
func (m Mean) Interval() Interval {
	if m.n < 2 {
		return Interval{m.sum, math.Inf(-1), math.Inf(1)}
	}
	n := float64(m.n)
	mean := m.sum / n
	half := Z * math.Sqrt(max(0, m.sum2-n*mean*mean)/(n-1)/n)
	return Interval{mean, mean - half, mean + half}
}
