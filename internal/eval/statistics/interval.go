// Package statistics computes the figures of an evaluation: intervals, tests, agreement and the power of a comparison.
//
// Every figure is reported as an [Interval]. [Wilson] is for shares, [Mean] for means of many numbers, [Difference] for two arms on
// the same items, [Bootstrap] for any figure that can be computed from resampled data. [McNemar] and [Holm] are tests, [Needed] and
// [Visible] say what a test can show before anything is paid, [Agree] and [Mistakes] what several seats have in common.
//
// All of them depend only on their arguments: draws come from a seed, so equal input gives equal figures on every machine. Shares are
// in [0, 1], never in percent. Without data the result is the widest interval, not NaN, since figures go into JSON. Mean is an
// exception: below two numbers its interval is infinite.
package statistics

import (
	"fmt"
	"math"
)

// Z is the two-sided 95 % point of the normal distribution.
const Z = 1.959964

// Interval is a figure with its 95 % interval. The zero value is a figure without data.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// String writes the figure without a unit.
func (i Interval) String() string { return fmt.Sprintf("%.4f [%.4f, %.4f]", i.Value, i.Low, i.High) }

// Wilson returns the share hits/n with its Wilson interval; 0 in [0, 1] if n is 0. hits and n may be sums of weights. Unlike the
// normal interval, Wilson's (1927) stays in [0, 1] and is right for few items. The share itself is always in it.
func Wilson(hits, n float64) Interval {
	if n <= 0 {
		return Interval{High: 1}
	}
	p := hits / n
	mid := (p + Z*Z/(2*n)) / (1 + Z*Z/n)
	half := Z * math.Sqrt(p*(1-p)/n+Z*Z/(4*n*n)) / (1 + Z*Z/n)
	return Interval{p, max(0, min(p, mid-half)), min(1, max(p, mid+half))}
}

// Mean accumulates numbers for their mean. Its zero value is empty. It is not safe for concurrent use; give each goroutine one and
// combine them with Plus.
type Mean struct {
	n         int
	sum, sum2 float64
}

// Add adds a number.
func (m *Mean) Add(x float64) { m.n, m.sum, m.sum2 = m.n+1, m.sum+x, m.sum2+x*x }

// Plus adds all numbers of o.
func (m *Mean) Plus(o Mean) { m.n, m.sum, m.sum2 = m.n+o.n, m.sum+o.sum, m.sum2+o.sum2 }

// N returns how many numbers were added.
func (m Mean) N() int { return m.n }

// Interval returns the mean with its normal interval, which is infinite below two numbers.
func (m Mean) Interval() Interval {
	if m.n < 2 {
		return Interval{m.sum, math.Inf(-1), math.Inf(1)}
	}
	n := float64(m.n)
	mean := m.sum / n
	half := Z * math.Sqrt(max(0, m.sum2-n*mean*mean)/(n-1)/n)
	return Interval{mean, mean - half, mean + half}
}
