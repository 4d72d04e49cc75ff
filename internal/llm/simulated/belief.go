package simulated

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Beta is the distribution Beta(A, B) on [0, 1]. The zero value is none.
type Beta struct{ A, B float64 }

// Draw draws a number from the distribution, as X/(X+Y) of two gamma variates of the shapes A and B, which must be
// above 0.
func (b Beta) Draw(rng *rand.Rand) float64 {
	x, y := gamma(b.A, rng), gamma(b.B, rng)
	return x / (x + y)
}

// gamma draws from the gamma distribution of this shape and scale 1, by squeezing a cubed normal: Marsaglia and
// Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26 (2000). A shape below 1 is drawn as one above,
// scaled by a power of a uniform number.
func gamma(shape float64, rng *rand.Rand) float64 {
	if shape < 1 {
		return gamma(shape+1, rng) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// Quantile is the inverse of the normal distribution function: -Inf at 0, +Inf at 1.
func Quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// Lot returns the generator for a seed and some words; the same ones give the same numbers on every machine. Recorded
// results depend on that, so neither the hash nor the generator can change.
func Lot(seed uint64, words ...string) *rand.Rand {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return rand.New(rand.NewPCG(seed^binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// chance is the probability that a seat of this kind is right on a question, given all that it shares with others.
// choose then draws what it does not share. If it shares everything, it is certain to be right or wrong.
func (s Profile) chance(question string) float64 {
	if s.Ease != (Beta{}) {
		return s.Ease.Draw(Lot(s.Seed, "ease", question))
	}
	shared := math.Sqrt(s.Common)*Lot(s.Seed, "all", question).NormFloat64() +
		math.Sqrt(s.Within)*Lot(s.Seed, "lineage", question, s.Lineage).NormFloat64()
	own := math.Sqrt(max(0, 1-s.Common-s.Within))
	x := Quantile(s.Accuracy) - shared
	if own == 0 {
		return map[bool]float64{true: 1}[x > 0]
	}
	return .5 * math.Erfc(-x/own/math.Sqrt2)
}

// choose returns what the seat answers by itself: the truth, or one of the wrong answers. Without wrong ones it is
// the truth.
func (s Profile) choose(question, name, truth string, wrong []string) string {
	rng := Lot(s.Seed, "own", question, s.Lineage, name)
	if rng.Float64() < s.chance(question) || len(wrong) == 0 {
		return truth
	}
	wrong = s.misleading(question, wrong)
	if len(wrong) == 1 || rng.Float64() < s.Distractor {
		return wrong[0]
	}
	return wrong[1+rng.IntN(len(wrong)-1)]
}

// misleading sorts wrong answers by how much they mislead: most wrong seats give the first. The order of two answers
// does not depend on the others.
func (s Profile) misleading(question string, wrong []string) []string {
	rank := make(map[string]uint64, len(wrong))
	for _, w := range wrong {
		rank[w] = Lot(s.Seed, "lure", question, w).Uint64()
	}
	sorted := slices.Clone(wrong)
	slices.SortFunc(sorted, func(a, b string) int {
		if rank[a] < rank[b] {
			return -1
		}
		return 1
	})
	return sorted
}
