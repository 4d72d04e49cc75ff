package eval

import (
	"math/rand/v2"

	"github.com/socrates-cli/socrates/internal/debate"
)

// Checker is a simulated check: how often it passes what is right, and what is wrong.
type Checker struct{ TruePass, FalsePass float64 }

func (c Checker) pass(right bool, rng *rand.Rand) bool {
	if right {
		return rng.Float64() < c.TruePass
	}
	return rng.Float64() < c.FalsePass
}

// Control runs the checker on n variants known to be good and n known to be wrong.
func (c Checker) Control(n int, rng *rand.Rand) debate.Controls {
	var seen debate.Controls
	for range n {
		for _, good := range []bool{true, false} {
			seen = seen.Count(debate.Trial{Grade: debate.Executed, Good: good, Passed: c.pass(good, rng)})
		}
	}
	return seen
}

// Learned gives the rules after n + n control runs of the checker.
func (c Checker) Learned(r debate.Rules, n int, rng *rand.Rand) debate.Rules {
	return r.WithControls(map[debate.Grade]debate.Controls{debate.Executed: c.Control(n, rng)})
}
