package eval

import (
	"math/rand/v2"

	"github.com/socrates-cli/socrates/internal/llm/simulated"
)

// Reference is the world the acceptance rows are set in: five equal seats of five lineages, four options, questions
// of ease Beta(2.1, .9), and a checker that passes right options with chance .9 and wrong ones with chance .3.
func Reference() World {
	return World{Options: 4, Distractor: simulated.UsualDistractor, Seats: Seats(0, 0, 0, 0, 0), Ease: simulated.Beta{A: 2.1, B: .9}, Checker: Checker{.9, .3}, Checkable: 1}
}

// Latent is a world whose seats have these accuracies and correlate by a Gaussian factor all have in common.
func Latent(common float64, accuracy ...float64) World {
	w := Reference()
	w.Ease, w.Common, w.Seats = simulated.Beta{}, common, Seats(accuracy...)
	return w
}

// Seats makes seats of these accuracies, each of a lineage of its own.
func Seats(accuracy ...float64) []Voter {
	seats := make([]Voter, len(accuracy))
	for i, a := range accuracy {
		name := string(rune('a' + i))
		seats[i] = Voter{Name: "seat-" + name, Lineage: "lineage-" + name, Accuracy: a}
	}
	return seats
}

// Seed gives the generator of a seed. Equal seeds give equal worlds.
func Seed(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x736f6372)) }
