package verdict

import (
	"math"
	"slices"
)

// Belief is the probability that votes and checks give one option.
type Belief struct {
	Option string  `json:"option"`
	P      float64 `json:"p"`     // posterior, uncalibrated
	Votes  float64 `json:"votes"` // weighted blind votes
	log    float64
}

// Posterior computes P(option right) ∝ Π seats (a/(1-a))^w · Π checks LR from blind votes and check ratios only, most probable first,
// ties in order of key. Two-way odds are used whatever the number of options: seats err together, and the K-way form overstates what
// each contributes.
func Posterior(l Ledger, r Rules) []Belief {
	if r.Cases {
		d := newDocket(l, r)
		return d.beliefs(d.cases(nobody, nobody))
	}
	w := l.Weights(r)
	beliefs := make([]Belief, len(l.Options))
	at := make(map[string]int, len(l.Options))
	for i, o := range l.Options {
		beliefs[i].Option = o.Key
		at[o.Key] = i
	}
	for _, v := range l.Votes {
		i, ok := at[v.Option]
		if v.Status != Voted || !ok {
			continue
		}
		beliefs[i].Votes += w[v.Seat]
		beliefs[i].log += w[v.Seat] * logOdds(v.Accuracy, r)
	}
	claims := l.index()
	for _, c := range l.Checks {
		claim := claims[c.Claim]
		if claim == nil || !(c.Ratio > 0) || math.IsInf(c.Ratio, 1) {
			continue
		}
		if i, ok := at[claim.Option]; ok && claim.Supports {
			beliefs[i].log += math.Log(c.Ratio)
		} else if ok {
			beliefs[i].log -= math.Log(c.Ratio)
		}
	}
	normalise(beliefs)
	slices.SortStableFunc(beliefs, byBelief)
	return beliefs
}

// logOdds returns what one vote counts, ln(a/(1−a)). An accuracy of 0 means not measured. Since version 4 an accuracy below one half
// counts nothing, so that no seat gains by voting for what it does not want.
func logOdds(a float64, r Rules) float64 {
	if a == 0 || math.IsNaN(a) {
		a = r.Accuracy
	}
	if r.Cases {
		a = min(r.MostAccurate, max(.5, a))
	}
	a = min(.99, max(.01, a))
	return math.Log(a / (1 - a))
}

// normalise turns log-odds into probabilities. The largest is subtracted first, so that no exponential overflows.
func normalise(bs []Belief) {
	top := math.Inf(-1)
	for _, b := range bs {
		top = max(top, b.log)
	}
	var sum float64
	for _, b := range bs {
		sum += math.Exp(b.log - top)
	}
	for i := range bs {
		bs[i].P = math.Exp(bs[i].log-top) / sum
	}
}

// tied reports whether the first two beliefs are level.
func tied(bs []Belief) bool { return len(bs) > 1 && math.Abs(bs[0].log-bs[1].log) < 1e-9 }

// NextCheck names the option whose claims are worth checking next: the most probable one with at least one vote, fewer than the
// allowed checks that carried weight, and for which can reports that something is left to check. It is empty once one option's
// posterior has reached StopAt, or there is nothing to check.
func NextCheck(l Ledger, r Rules, can func(option string) bool) string {
	beliefs := Posterior(l, r)
	if len(beliefs) == 0 || beliefs[0].P >= r.StopAt {
		return ""
	}
	spent := map[string]int{}
	claims := l.index()
	for _, c := range l.Checks {
		if claim := claims[c.Claim]; claim != nil && c.CarriesWeight() && (!r.OwnCase || l.Eligible(*claim)) {
			spent[claim.Option]++
		}
	}
	for _, b := range beliefs {
		if b.Votes > 0 && spent[b.Option] < r.ChecksPerOption && can(b.Option) {
			return b.Option
		}
	}
	return ""
}

// Settled reports whether the seats still waiting to be asked can no longer change who leads. Of a waiting seat only name, lineage
// and accuracy count. If so, a room stops asking.
func Settled(l Ledger, r Rules, waiting ...Vote) bool {
	asked := len(l.Votes)
	l.Votes = slices.Concat(l.Votes, waiting)
	for i := range waiting {
		l.Votes[asked+i].Status = ""
	}
	if r.Cases {
		return settledCases(l, r)
	}
	w := l.Weights(r)
	var left float64
	for _, v := range waiting {
		left += w[v.Seat] * math.Abs(logOdds(v.Accuracy, r))
	}
	bs := Posterior(l, r)
	if len(bs) == 0 || bs[0].Votes == 0 {
		return false
	}
	return len(bs) == 1 || bs[0].log-bs[1].log > left+1e-9
}
