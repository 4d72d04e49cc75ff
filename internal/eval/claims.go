package eval

import (
	"math/rand/v2"
	"slices"
)

// Claim is one claim of a simulated seat, with what every seat would say as its judge.
type Claim struct {
	Option   int
	Supports bool
	Says     []bool // by seat: yes to both questions; the judge without a seat, if any, is last
}

// How simulated judges behave, as the acceptance tables assume.
const (
	claimsPerSeat = 3
	judgeErrs     = .05 // an honest judge's chance to misread whether lines show a claim
	judgeFooled   = .3  // its chance to call a true but irrelevant quote relevant
	fooledAlike   = .5  // share of these cases in which all honest judges are fooled together
	irrelevant    = .4  // share of an honest claim's failures that are due to relevance
)

// Adversary is the strategy of a seat that knows the truth, the lure (the most common wrong answer) and the rules. The zero value is
// honest.
type Adversary struct {
	Votes    Vote
	Judges   bool // judges falsely: yes to claims for its side, no to all others
	Strawmen bool // also writes bad claims for rivals, and true but trivial ones against them
	Quotes   int  // true but irrelevant quotes for its own option
}

// Vote is what an adversary votes for.
type Vote int

// The votes of adversaries. ForTruth is infiltration: it votes with the right side and cites nonsense.
const (
	Honest Vote = iota
	ForLure
	ForTruth
	ForThird
	Abstaining
)

// vote returns an adversary's vote.
func (a Adversary) vote(it Item, options int) int {
	switch a.Votes {
	case ForLure:
		return it.Lure
	case ForTruth:
		return it.Truth
	case ForThird:
		for o := range options {
			if o != it.Truth && o != it.Lure {
				return o
			}
		}
		return it.Lure
	}
	return Abstains
}

// side reports whether an adversary wants an option to win.
func (a Adversary) side(it Item, option int) bool {
	if a.Votes == ForLure {
		return option == it.Lure
	}
	return option != it.Truth
}

// claims draws what every seat writes for its vote, and what all judges would say about it.
func (w World) claims(it Item, rng *rand.Rand) [][]Claim {
	out := make([][]Claim, len(w.Seats))
	judges := w.judges()
	for s, seat := range w.Seats {
		write := func(option int, supports bool, pass func() func() bool) {
			c := Claim{Option: option, Supports: supports, Says: make([]bool, len(judges))}
			says := pass()
			for j, judge := range judges {
				// Drawn even if it does not count, so that one more adversary does not change the others' draws.
				if c.Says[j] = says(); judge.Plays.Judges {
					c.Says[j] = judge.Plays.side(it, option) == supports
				}
			}
			out[s] = append(out[s], c)
		}
		switch a := seat.Plays; {
		case a.Votes == Honest:
			for range claimsPerSeat {
				write(it.Votes[s], true, func() func() bool { return w.Checker.judged(it.Votes[s] == it.Truth, rng) })
			}
		default:
			for range a.Quotes {
				if it.Votes[s] >= 0 {
					write(it.Votes[s], true, func() func() bool { return fooled(rng) })
				}
			}
			for o := range w.Options {
				if a.Strawmen && o != it.Votes[s] {
					write(o, true, func() func() bool { return func() bool { return rng.Float64() < judgeErrs } })
					write(o, false, func() func() bool { return func() bool { return rng.Float64() >= judgeErrs } })
				}
			}
		}
	}
	return out
}

// unseated is the honest judge without a seat.
var unseated = Voter{Name: "judge", Lineage: "judge"}

// judges returns all who may be asked about a claim.
func (w World) judges() []Voter {
	if !w.Judge {
		return w.Seats
	}
	return append(slices.Clone(w.Seats), unseated)
}

// judged draws a claim that an honest seat writes for a right or wrong option, and returns a function that draws one more honest
// judge's answer. Over all such claims a judge passes TruePass of the right and FalsePass of the wrong ones; the quality of the claim
// is the same for all its judges.
func (c Checker) judged(right bool, rng *rand.Rand) func() bool {
	rate := c.FalsePass
	if right {
		rate = c.TruePass
	}
	// Compute the share of good claims that gives the rate.
	bad := (1-irrelevant)*judgeErrs + irrelevant*judgeFooled // chance that a bad claim passes
	good := (rate - bad) / (1 - judgeErrs - bad)
	switch u := rng.Float64(); {
	case good < 0 || good > 1: // such judges cannot give so high or low a rate: each draws independently
		return func() bool { return rng.Float64() < rate }
	case u < good:
		return func() bool { return rng.Float64() >= judgeErrs }
	case u < good+(1-good)*irrelevant:
		return fooled(rng)
	}
	return func() bool { return rng.Float64() < judgeErrs }
}

// fooled returns a function that draws what honest judges say about a true but irrelevant quote.
func fooled(rng *rand.Rand) func() bool {
	all := rng.Float64() < judgeFooled*fooledAlike
	each := judgeFooled * (1 - fooledAlike) / (1 - judgeFooled*fooledAlike)
	return func() bool { return all || rng.Float64() < each }
}
