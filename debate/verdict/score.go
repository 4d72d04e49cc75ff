package verdict

import (
	"slices"
)

// Score measures how much of the panel is behind the winner, and why. Every number is in [0, 1] except Evidence, which is in [-1, 1].
// Value is Support times the uncontested share, limited by the caps.
type Score struct {
	Value     float64 `json:"value"`
	Support   float64 `json:"support"`
	Contested float64 `json:"contested"`
	Evidence  float64 `json:"evidence"`
	Stability float64 `json:"stability"`
	Coverage  float64 `json:"coverage"`
	Caps      []Cap   `json:"caps"`
}

// Cap is a ceiling that applied, whether or not it was the lowest.
type Cap struct {
	Name string  `json:"name"`
	At   float64 `json:"at"`
	Why  string  `json:"why"`
}

// scorer holds what the parts of the score share.
type scorer struct {
	l      Ledger
	r      Rules
	w      map[string]float64
	winner string
	voted  map[string]string // counted vote by seat
	total  float64           // all seated weight
	proof  map[string]int    // by claim: 1 verified, -1 refuted, absent unchecked
	docket *docket           // since rules version 4
}

func newScorer(l Ledger, r Rules, winner string) scorer {
	shares := r
	shares.Cases = false // of the whole panel: a missing seat stays in every share
	s := scorer{l: l, r: r, w: l.Weights(shares), winner: winner, voted: map[string]string{}, proof: map[string]int{}}
	for _, v := range l.Votes {
		s.total += s.w[v.Seat]
		if v.Status == Voted {
			s.voted[v.Seat] = l.Counted(v)
		}
	}
	if r.Cases {
		s.docket = newDocket(l, r)
		s.docket.prove(l, s.proof)
		return s
	}
	claims := l.index()
	for _, c := range l.Checks {
		if claim := claims[c.Claim]; claim != nil {
			s.proof[claim.ID] = proven(s.proof[claim.ID], c)
		}
	}
	return s
}

// proven adds one more check to a claim's standing. One refutation outweighs any number of passes; an existing quote alone verifies
// nothing, a missing one refutes.
func proven(have int, c Check) int {
	switch {
	case c.Result == Fail || have < 0:
		return -1
	case c.Result == Pass && c.CarriesWeight():
		return 1
	}
	return have
}

// support is S, and coverage the share that voted; both are shares of the weight of all seats.
func (s scorer) support() float64 {
	if s.total == 0 {
		return 0
	}
	var sum float64
	for _, v := range s.l.Votes {
		if s.voted[v.Seat] == s.winner && v.Status == Voted {
			sum += s.w[v.Seat]
		}
	}
	return sum / s.total
}

func (s scorer) coverage() float64 {
	if s.total == 0 {
		return 0
	}
	var sum float64
	for _, v := range s.l.Votes {
		if v.Status == Voted {
			sum += s.w[v.Seat]
		}
	}
	return sum / s.total
}

// agreement is the smoothed weighted share of voters on c that agree with it.
func (s scorer) agreement(c Claim) float64 {
	var agree, voters float64
	for _, v := range s.l.Votes {
		switch s.stance(c, v) {
		case Agree, Add, SameAs:
			agree += s.w[v.Seat]
			voters += s.w[v.Seat]
		case Object:
			voters += s.w[v.Seat]
		}
	}
	// Half a seat on each side: one seat's word alone is neither certain nor nothing.
	return (agree + .5) / (voters + 1)
}

// stance returns a seat's stance on c: its own, else AGREE for the author and for seats whose counted vote the claim supports, else
// ABSTAIN.
func (s scorer) stance(c Claim, v Vote) Verb {
	if said, ok := c.Stances[v.Seat]; ok {
		return said.Verb
	}
	if v.Seat == c.Seat || c.Supports && c.Option != "" && s.voted[v.Seat] == c.Option {
		return Agree
	}
	return Undecided
}

// bears tells how a claim relates to the winner: 1 supports it, -1 undermines it, 0 neutral. A claim for a rival undermines, a claim
// against a rival supports.
func (s scorer) bears(c Claim) int {
	switch {
	case c.Option == "":
		return 0
	case (c.Option == s.winner) == c.Supports:
		return 1
	}
	return -1
}

// contested is Σ impact·loss / Σ impact over the fixed set of claims put before the seats. Low-impact mass is
// scaled to at most a quarter of the rest. With no claim at all half the mass counts as contested.
func (s scorer) contested() float64 {
	var high, highLoss, low, lowLoss float64
	for _, c := range s.l.Claims {
		if !c.Put {
			continue
		}
		p, mass := s.agreement(c), float64(c.ImpactBy(s.w))
		loss := 1 - p
		switch s.bears(c) {
		case -1:
			loss = p
		case 0:
			loss, mass = 4*p*(1-p), mass/2
		}
		if c.ImpactBy(s.w) > 1 {
			high, highLoss = high+mass, highLoss+mass*loss
		} else {
			low, lowLoss = low+mass, lowLoss+mass*loss
		}
	}
	if high > 0 && low > high/4 {
		lowLoss *= high / 4 / low
		low = high / 4
	}
	// Nothing was discussed, so it is unknown how contested it would have been.
	if high+low == 0 {
		return .5
	}
	return (highLoss + lowLoss) / (high + low)
}

// evidence is the impact-weighted share of the winner's load-bearing claims that were verified; refuted ones count -1.
func (s scorer) evidence() float64 {
	var mass, sum float64
	for _, c := range s.loadBearing() {
		m := float64(c.ImpactBy(s.w))
		mass += m
		sum += m * float64(s.proof[c.ID])
	}
	if mass == 0 {
		return 0
	}
	return sum / mass
}

// loadBearing are the claims for the winner of impact 2 and up, or all of them if there are none such.
func (s scorer) loadBearing() []Claim {
	var all, heavy []Claim
	for _, c := range s.l.Claims {
		if c.Option == s.winner && c.Supports && c.SameAs == "" {
			all = append(all, c)
			if c.ImpactBy(s.w) > 1 {
				heavy = append(heavy, c)
			}
		}
	}
	if len(heavy) > 0 {
		return heavy
	}
	return all
}

// stability is the share of leave-one-seat-out and leave-one-lineage-out recomputations that keep the winner.
// Only removals that take away a vote are tried; a tie counts as not kept.
func (s scorer) stability() float64 {
	seen := map[string]bool{}
	kept, tried := 0, 0
	try := func(seats []string) {
		slices.Sort(seats)
		key := ""
		for _, id := range seats {
			key += id + "\x00"
		}
		if seen[key] || len(seats) == len(s.voted) {
			return
		}
		seen[key] = true
		tried++
		bs := Posterior(s.l.Without(seats...), s.r)
		if len(bs) > 0 && !tied(bs) && bs[0].Option == s.winner {
			kept++
		}
	}
	byLineage := map[string][]string{}
	for _, v := range s.l.Votes {
		if v.Status == Voted {
			try([]string{v.Seat})
			byLineage[v.Lineage] = append(byLineage[v.Lineage], v.Seat)
		}
	}
	for _, seats := range byLineage {
		try(seats)
	}
	if tried == 0 {
		return 0
	}
	return float64(kept) / float64(tried)
}

// objections are the verified high-impact claims against the winner.
func (s scorer) objections() []Claim {
	var out []Claim
	for _, c := range s.l.Claims {
		if c.Option == s.winner && !c.Supports && c.ImpactBy(s.w) == 5 && s.proof[c.ID] > 0 && s.confirmed(c) {
			out = append(out, c)
		}
	}
	return out
}

// confirmed reports whether a check of a grade that can carry weight passed on c.
func (s scorer) confirmed(c Claim) bool {
	for _, k := range s.l.Checks {
		if (k.Claim == c.ID || slices.Contains(c.Merged, k.Claim)) && k.Result == Pass && k.CarriesWeight() {
			return true
		}
	}
	return false
}
