package document

import (
	"math"
	"slices"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// Move is one vote, or one check, and how it moved the leader against its strongest rival, in log-odds.
type Move struct {
	Label         string
	Lineage       string // of a vote; empty: a check
	Passed        bool   // of a check
	Before, After float64
	Percent       int // probability of the leader, afterwards
}

// moves adds one vote after another to a ledger, those for the leader first, then the checks in the order they ran. It leaves out
// those that moved nothing.
func (p page) moves() (out []Move) {
	rival := p.rival()
	if p.leading == "" || rival == "" {
		return nil
	}
	all := slices.Clone(p.ledger.Votes)
	slices.SortStableFunc(all, func(a, b verdict.Vote) int {
		switch for1, for2 := a.Option == p.leading, b.Option == p.leading; {
		case for1 && !for2:
			return -1
		case for2 && !for1:
			return 1
		}
		return 0
	})
	l, at := p.ledger, 0.
	l.Votes, l.Checks = nil, nil
	add := func(m Move) {
		odds, percent := p.odds(l, rival)
		if m.Before, m.After, m.Percent = at, odds, percent; math.Abs(odds-at) > 1e-9 {
			out, at = append(out, m), odds
		}
	}
	for _, v := range all {
		if l.Votes = append(l.Votes, v); v.Status == verdict.Voted {
			add(Move{Label: v.Seat, Lineage: v.Lineage})
		}
	}
	for _, k := range p.ledger.Checks {
		l.Checks = append(l.Checks, k)
		label := k.Claim
		if c := p.ledger.Claim(k.Claim); c != nil {
			label = c.ID
		}
		add(Move{Label: label, Passed: k.Result == verdict.Pass})
	}
	return out
}

// rival returns the strongest option besides the leader.
func (p page) rival() string {
	for _, b := range p.res.Beliefs {
		if b.Option != p.leading {
			return b.Option
		}
	}
	return ""
}

// odds returns the leader's log-odds against a rival, and its probability in percent.
func (p page) odds(l verdict.Ledger, rival string) (odds float64, percent int) {
	var leads, other float64
	for _, b := range verdict.Posterior(l, p.res.Rules) {
		switch b.Option {
		case p.leading:
			leads = b.P
		case rival:
			other = b.P
		}
	}
	if leads <= 0 || other <= 0 {
		return 0, 0
	}
	return math.Log(leads / other), whole(leads)
}
