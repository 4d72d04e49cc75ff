package verdict

import (
	"cmp"
	"math"
	"slices"
)

// Step is what a room does next about evidence: begin a check of a claim, or have one more seat judge one. It does not name the seat:
// [Ledger.DrawJudge] draws the judge.
type Step struct {
	Claim string  `json:"claim"`
	Why   string  `json:"why"`             // [drawn], [afterNo], [tieBreak] or [confirming]
	Stop  float64 `json:"stop,omitempty"`  // of a new check: the winner's probability if checking stopped here
	Worth float64 `json:"worth,omitempty"` // the probability expected of going on, after its price
	// Others are the claims that could have been checked instead, with the probability expected of that.
	Others []Candidate `json:"others,omitempty"`
}

// Candidate is a claim that could be checked, with the winner's probability expected of the check, after its price.
type Candidate struct {
	Claim string  `json:"claim"`
	Worth float64 `json:"worth"`
}

// Next returns what to do next under the rules since version 4: judge what is open, then begin the check that pays most, then confirm
// what depends on one lineage's judgements. It is false once nothing is worth its price. ready reports whether a claim's evidence can
// be checked, and left counts the lineages that can still judge it: a check begins only if they are enough to settle it, or if code
// alone can refute the claim. Next asks nobody and changes nothing: the room takes the step, adds the check to the ledger and calls
// it again. Looking ahead costs twice the number of options to the power of [CaseRules].LookAhead.
func Next(l Ledger, r Rules, ready func(c *Claim) bool, left func(c *Claim) int) (Step, bool) {
	d := newDocket(l, r)
	judge := func(c *Claim) bool { return left(c) > 0 }
	if s, ok := d.unsettled(judge); ok {
		return s, true
	}
	if l.Disagree() || r.Unanimous || r.Blockworthy && d.blockworthy(l) {
		begin := func(c *Claim) bool { return ready(c) && (c.Evidence.Kind == "command" || left(c) >= r.Judges) }
		if s, ok := d.choose(begin); ok {
			return s, true
		}
	}
	return d.unconfirmed()
}

// unsettled finds a check that has begun and needs another judgement.
func (d *docket) unsettled(judge func(c *Claim) bool) (Step, bool) {
	return d.first(func(x *exhibit) string {
		why := x.open()
		if why == "" && d.r.Confirm && len(x.yes) == 1 && len(x.no) == 0 && !x.void && x.code != Fail && x.code != level {
			why = confirming
		}
		if why != "" && judge(x.claim) {
			return why
		}
		return ""
	})
}

// first is the step for the claim that is drawn first among those with a reason.
func (d *docket) first(reason func(x *exhibit) string) (Step, bool) {
	var found *exhibit
	var why string
	for i := range d.exhibits {
		x := &d.exhibits[i]
		if w := reason(x); w != "" && (found == nil || d.before(x, found)) {
			found, why = x, w
		}
	}
	if found == nil {
		return Step{}, false
	}
	return Step{Claim: found.claim.ID, Why: why}, true
}

// before reports whether one claim is drawn before another. The same words of two lineages go by lineage, as in [Ledger.Group], so
// that the claim that is shown is also the one checked.
func (d *docket) before(a, b *exhibit) bool {
	x, y := d.drawn(a), d.drawn(b)
	return x < y || x == y && a.lineage < b.lineage
}

// unconfirmed finds a check that one lineage alone judged, if without that lineage's judgements, or without those it gave alone,
// another option would win.
func (d *docket) unconfirmed() (Step, bool) {
	if d.r.Judges < 2 {
		return Step{}, false
	}
	now := d.winner(d.cases(nobody, nobody))
	// In order of name, so that the same ledger is confirmed in the same order everywhere.
	for g := range d.lineages {
		lone := func(x *exhibit) string {
			if x.settled() == Pass && len(x.yes) == 1 && x.yes[0] == g {
				return confirming
			}
			return ""
		}
		s, ok := d.first(lone)
		if ok && (d.winner(d.cases(nobody, only(g))) != now || d.winnerBut(func(x *exhibit) bool { return lone(x) != "" }) != now) {
			return s, true
		}
	}
	return Step{}, false
}

// winnerBut returns the winner if these claims showed nothing.
func (d *docket) winnerBut(without func(x *exhibit) bool) int {
	other := *d
	other.exhibits = slices.Clone(d.exhibits)
	for i := range other.exhibits {
		if x := &other.exhibits[i]; without(x) {
			x.alone = true
		}
	}
	return d.winner(other.cases(nobody, nobody))
}

// branch is an option while looking ahead.
type branch struct {
	rows  []row
	spent int
}

// row is a lineage's case for an option while looking ahead.
type row struct {
	votes float64
	raw   float64   // before the floor
	spent int       // checks of its claims
	queue []*waiter // claims still to be checked, in the order they are drawn
}

// waiter is a claim that can be checked, with its draw and what a check of it would count.
type waiter struct {
	draw  uint64
	claim *Claim
	ratio Ratio
}

// choose returns the check that is worth most, if any is worth its price.
func (d *docket) choose(ready func(c *Claim) bool) (Step, bool) {
	state := d.branches(ready)
	stop, left := d.best(state), false
	for o := range state {
		left = left || d.candidate(&state[o]) >= 0
	}
	if !left {
		return Step{}, false
	}
	values := make([]float64, len(state))
	worth, at := d.look(state, d.r.LookAhead, values)
	// Claims are left, but none is worth its price.
	if at < 0 {
		return Step{}, false
	}
	step := Step{Why: drawn, Stop: stop, Worth: worth}
	for o := range state {
		row := d.candidate(&state[o])
		if row < 0 {
			continue
		}
		if id := state[o].rows[row].queue[0].claim.ID; o == at {
			step.Claim = id
		} else {
			step.Others = append(step.Others, Candidate{id, values[o]})
		}
	}
	return step, true
}

// branches returns the current cases with the claims that can be checked: one of those that cite the same evidence.
func (d *docket) branches(ready func(c *Claim) bool) []branch {
	cases := d.cases(nobody, nobody)
	out := make([]branch, len(d.options))
	waits := d.waiting(ready)
	heirs := d.heirs()
	for o := range out {
		out[o].rows = make([]row, len(d.lineages))
		for g, c := range cases[o] {
			out[o].rows[g].votes, out[o].rows[g].raw = c.Votes, c.Votes+c.Evidence
		}
	}
	for _, x := range d.inOrder() {
		b := &out[x.option]
		rw := &b.rows[x.lineage]
		switch {
		case x.spent:
			b.spent++
			rw.spent++
		case heirs[x] && waits[x]:
			rw.queue = append(rw.queue, &waiter{d.drawn(x), x.claim, d.expected(x)})
		}
	}
	return out
}

// inOrder returns the claims in the order of their draws.
func (d *docket) inOrder() []*exhibit {
	all := make([]*exhibit, len(d.exhibits))
	for i := range d.exhibits {
		all[i] = &d.exhibits[i]
	}
	slices.SortFunc(all, func(a, b *exhibit) int { return cmp.Compare(d.drawn(a), d.drawn(b)) })
	return all
}

// waiting returns the claims that can still be checked. A seat's claims drawn beyond its limit are recorded and never checked.
func (d *docket) waiting(ready func(c *Claim) bool) map[*exhibit]bool {
	waits, made := map[*exhibit]bool{}, map[string]int{}
	for _, x := range d.inOrder() {
		made[x.claim.Seat]++
		if !x.spent && !x.void && made[x.claim.Seat] <= d.r.ClaimsPerSeat && ready(x.claim) {
			waits[x] = true
		}
	}
	return waits
}

// candidate returns the lineage whose claim for an option would be checked next: the one with the fewest checks there, among equals
// the one whose claim is drawn first. It is -1 if the option has had its checks or no claim waits.
func (d *docket) candidate(b *branch) int {
	found := -1
	if b.spent >= d.r.ChecksPerOption {
		return found
	}
	for g := range b.rows {
		x := &b.rows[g]
		if len(x.queue) == 0 || x.spent >= d.r.ChecksPerCase {
			continue
		}
		if found < 0 || x.spent < b.rows[found].spent || x.spent == b.rows[found].spent && x.queue[0].draw < b.rows[found].queue[0].draw {
			found = g
		}
	}
	return found
}

// look returns the value of a state with up to depth more checks, and the option to check first; -1: stop. If values is not nil, it
// is filled with the value of checking each option first.
func (d *docket) look(state []branch, depth int, values []float64) (worth float64, at int) {
	worth, at = d.best(state), -1
	if depth == 0 {
		return worth, at
	}
	logs := d.logsOf(state)
	var drawn uint64
	for o := range state {
		b := &state[o]
		g := d.candidate(b)
		if g < 0 {
			continue
		}
		rw := &b.rows[g]
		next := rw.queue[0]
		pass, fail := next.ratio.rates()
		p := probability(logs, o)
		p = p*pass + (1-p)*fail
		raw, queue := rw.raw, rw.queue
		// The state is changed and restored, not copied: this runs thousands of times.
		rw.queue, rw.spent, b.spent = queue[1:], rw.spent+1, b.spent+1
		rw.raw = raw + math.Log(next.ratio.Pass)
		yes, _ := d.look(state, depth-1, nil)
		rw.raw = raw + math.Log(next.ratio.Fail)
		no, _ := d.look(state, depth-1, nil)
		rw.raw, rw.queue, rw.spent, b.spent = raw, queue, rw.spent-1, b.spent-1
		v := p*yes + (1-p)*no - d.r.CheckPrice
		if values != nil {
			values[o] = v
		}
		if v > worth+1e-12 || at >= 0 && v > worth-1e-12 && next.draw < drawn {
			worth, at, drawn = max(v, worth), o, next.draw
		}
	}
	return worth, at
}

// rates are the chances that a check passes a right and a wrong option, which follow from its ratio.
func (r Ratio) rates() (right, wrong float64) {
	if r.Pass-r.Fail < 1e-9 {
		return .5, .5
	}
	wrong = (1 - r.Fail) / (r.Pass - r.Fail)
	return min(1, r.Pass*wrong), wrong
}

// logsOf returns the log-odds of each option while looking ahead. It applies the floor of each case.
func (d *docket) logsOf(state []branch) []float64 {
	out := make([]float64, len(state))
	for o := range state {
		rows := state[o].rows
		for _, rw := range rows {
			out[o] += max(0, rw.raw)
		}
		_, off := d.shared(func(g int) float64 { return standing(rows[g].votes, rows[g].raw) })
		out[o] -= off
	}
	return out
}

// probability returns the probability of an option, from the log-odds of all.
func probability(logs []float64, option int) float64 {
	total := 0.
	for _, x := range logs {
		total += math.Exp(x - logs[option])
	}
	return 1 / total
}

// best returns the probability of the most probable option.
func (d *docket) best(state []branch) float64 {
	logs := d.logsOf(state)
	return probability(logs, slices.Index(logs, slices.Max(logs)))
}
