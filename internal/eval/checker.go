package eval

import (
	"math/rand/v2"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// Checker is a simulated check: how often it passes claims for the right option, and claims for a wrong one.
type Checker struct{ TruePass, FalsePass float64 }

func (c Checker) pass(right bool, rng *rand.Rand) bool {
	if right {
		return rng.Float64() < c.TruePass
	}
	return rng.Float64() < c.FalsePass
}

// Control runs the checker on n variants known to be good and n known to be wrong.
// The order of the runs is fixed, so that equal generators give equal controls.
func (c Checker) Control(n int, rng *rand.Rand) verdict.Controls {
	var seen verdict.Controls
	for range n {
		for _, good := range []bool{true, false} {
			seen = seen.Count(verdict.Trial{Grade: verdict.Entailed, Good: good, Passed: c.pass(good, rng)})
		}
	}
	return seen
}

// Learned returns the rules after n + n control runs of the checker.
func (c Checker) Learned(r verdict.Rules, n int, rng *rand.Rand) verdict.Rules {
	return r.WithControls(map[verdict.Grade]verdict.Controls{verdict.Entailed: c.Control(n, rng)})
}
