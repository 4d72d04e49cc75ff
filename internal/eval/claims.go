package eval

import (
	"math/rand/v2"
	"slices"
)

// Claim is one claim of a simulated seat, with what every seat would say if it were asked to judge it.
type Claim struct {
	Option   int
	Supports bool
	Says     []bool // by seat: yes to both questions; last the judge without a seat, if there is one
}

// What simulated judges do, as the acceptance tables assume it.
const (
	claimsPerSeat = 3
	judgeErrs     = .05 // an honest judge's chance to misread whether lines show a claim
	judgeFooled   = .3  // its chance to call a true but irrelevant quote relevant
	fooledAlike   = .5  // share of that in which all honest judges are fooled alike
	irrelevant    = .4  // share of an honest claim's failures that are failures of relevance
)

// Adversary is how a seat plays that knows the truth, the lure most wrong seats name, and the rules. The zero value
// is honest.
type Adversary struct {
	Votes    Vote
	Judges   bool // falsely: yes to claims for its side, no to all others
	Strawmen bool // it also writes bad claims for rivals and true trivial ones against them
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

// vote is an adversary's ballot.
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

// side says whether an adversary wants an option to win.
func (a Adversary) side(it Item, option int) bool {
	if a.Votes == ForLure {
		return option == it.Lure
	}
	return option != it.Truth
}

// claims are what every seat writes for its vote, and what all would say of it.
func (w World) claims(it Item, rng *rand.Rand) [][]Claim {
	out := make([][]Claim, len(w.Seats))
	judges := w.judges()
	for s, seat := range w.Seats {
		write := func(option int, supports bool, pass func() func() bool) {
			c := Claim{Option: option, Supports: supports, Says: make([]bool, len(judges))}
			says := pass()
			for j, judge := range judges {
				// It is drawn also where it does not count, so that one adversary more leaves the others' draws as
				// they are.
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

// unseated is the honest judge that holds no seat.
var unseated = Voter{Name: "judge", Lineage: "judge"}

// judges are all who may be asked about a claim.
func (w World) judges() []Voter {
	if !w.Judge {
		return w.Seats
	}
	return append(slices.Clone(w.Seats), unseated)
}

// judged draws a claim an honest seat writes for a right or wrong option, and gives what one more honest judge says
// of it. Over all such claims a judge passes TruePass of the right and FalsePass of the wrong; what the claim is
// stays the same for all judges.
func (c Checker) judged(right bool, rng *rand.Rand) func() bool {
	rate := c.FalsePass
	if right {
		rate = c.TruePass
	}
	// What is wanted is the share of good claims that makes the rate come out.
	bad := (1-irrelevant)*judgeErrs + irrelevant*judgeFooled // what a bad claim passes with
	good := (rate - bad) / (1 - judgeErrs - bad)
	switch u := rng.Float64(); {
	case good < 0 || good > 1: // a checker that sharp, or that blind, is not made of these judges: each draws by itself
		return func() bool { return rng.Float64() < rate }
	case u < good:
		return func() bool { return rng.Float64() >= judgeErrs }
	case u < good+(1-good)*irrelevant:
		return fooled(rng)
	}
	return func() bool { return rng.Float64() < judgeErrs }
}

// fooled gives what honest judges say of a true but irrelevant quote.
func fooled(rng *rand.Rand) func() bool {
	all := rng.Float64() < judgeFooled*fooledAlike
	each := judgeFooled * (1 - fooledAlike) / (1 - judgeFooled*fooledAlike)
	return func() bool { return all || rng.Float64() < each }
}
