// Package eval simulates panels: worlds of questions, and the seats, checks and councils that answer them. All results of a World are
// simulated and say nothing about real models.
//
// A [World] is a population of questions with the seats that answer them, and [World.Draw] makes one [Item]: the right option, each
// seat's vote and what each claim's judges would say. A [Council] decides an item by the product's own rules (package
// debate/verdict): it keeps a ledger as a room does, and the rules say what to check next, when to stop and what won. A [Simulation]
// does so with thousands of items and computes an [Expectation].
//
// Since everything about an item is drawn before anybody decides, arms are compared on the same draws: with and without checks, with
// one seat more or less. Draws come from a seed, batch by batch, so a simulation gives the same figures on any number of processors.
//
// Packages below: contest runs real arms on real questions, suite and puzzle have the questions, statistics, calibration and advice
// compute figures, report is what people read.
package eval

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/socrates-cli/socrates/internal/llm/simulated"
)

// World is a population of questions and of the seats and the checker that answer them.
//
// Seats err together by a latent normal variable: a share of it is common to all (Common), a share common to a lineage (Family), the
// rest each seat's own; the two must not sum to more than 1. With Ease set every seat has the question's own chance instead, and
// errors are independent given the question.
type World struct {
	Options    int     // answers per question, at least 2
	Distractor float64 // chance that a wrong vote names the most common wrong answer
	Seats      []Voter
	Ease       simulated.Beta // per question, the chance of every seat to be right; zero: each seat has its own accuracy
	Common     float64        // share of a seat's latent ability in common with all; ignored if Ease is set
	Family     float64        // share in common with its lineage, on top of Common
	Checker    Checker
	Checkable  float64 // share of questions whose options can be checked
	Judge      bool    // an honest judge of another lineage, without a seat, is asked first
}

// Voter is one simulated voter.
type Voter struct {
	Name, Lineage string
	Accuracy      float64 // chance to be right; ignored if World.Ease is set
	Known         float64 // its accuracy in the ledger; 0: the rules' default
	Plays         Adversary
}

// Item is one question with everything that seats and checker would say about it, so that arms are compared on the same draws. Votes
// may be an option, Absent or Abstains.
type Item struct {
	Truth     int     // index of the right option
	Lure      int     // index of the most common wrong option
	Ease      float64 // chance of every seat to be right; 0: seats have their own accuracies
	Votes     []int   // blind vote of each seat, an index of an option
	Checkable bool
	Claims    [][]Claim // of each seat
	Key       string    // decides among equals
}

// Draw makes one question. The right option is uniformly random, so that breaking ties by name gains nothing.
func (w World) Draw(rng *rand.Rand) Item {
	it := Item{Truth: rng.IntN(w.Options), Votes: make([]int, len(w.Seats)), Key: strconv.FormatUint(rng.Uint64(), 36)}
	it.Lure = (it.Truth + 1 + rng.IntN(w.Options-1)) % w.Options
	var right func(seat int) bool
	if w.Ease == (simulated.Beta{}) {
		right = w.latent(rng)
	} else {
		it.Ease = w.Ease.Draw(rng)
		right = func(int) bool { return rng.Float64() < it.Ease }
	}
	for s := range w.Seats {
		it.Votes[s] = it.Truth
		if !right(s) {
			it.Votes[s] = w.mistake(it, rng)
		}
		if a := w.Seats[s].Plays; a.Votes != Honest {
			it.Votes[s] = a.vote(it, w.Options)
		}
	}
	it.Checkable = rng.Float64() < w.Checkable
	if it.Checkable {
		it.Claims = w.claims(it, rng)
	}
	return it
}

// latent draws what the seats share on one question and returns a function that draws whether a seat is right.
func (w World) latent(rng *rand.Rand) func(seat int) bool {
	all := math.Sqrt(w.Common) * rng.NormFloat64()
	family := make(map[string]float64, len(w.Seats))
	// The variance is 1, so that a seat is right at the rate of its accuracy, whatever it shares with others.
	own := math.Sqrt(1 - w.Common - w.Family)
	return func(s int) bool {
		lineage := w.Seats[s].Lineage
		if _, ok := family[lineage]; !ok && w.Family > 0 {
			family[lineage] = math.Sqrt(w.Family) * rng.NormFloat64()
		}
		return all+family[lineage]+own*rng.NormFloat64() < simulated.Quantile(w.Seats[s].Accuracy)
	}
}

// mistake draws a wrong option.
func (w World) mistake(it Item, rng *rand.Rand) int {
	if w.Options == 2 || rng.Float64() < w.Distractor {
		return it.Lure
	}
	skip := rng.IntN(w.Options - 2)
	for o := range w.Options {
		if o == it.Truth || o == it.Lure {
			continue
		}
		if skip == 0 {
			return o
		}
		skip--
	}
	return it.Lure
}
