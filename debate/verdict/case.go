package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Case is what one lineage contributes to one option: the log-odds of its votes and of the checks of its own claims, never below 0.
// So a lineage moves only its own case, and a voter never harms the option it votes for.
type Case struct {
	Option   string  `json:"option"`
	Lineage  string  `json:"lineage"`
	Votes    float64 `json:"votes"`    // Σ w·ln(a/(1−a)) over its seats that voted for the option
	Evidence float64 `json:"evidence"` // Σ ln ratio over its checked claims for the option
	Value    float64 `json:"value"`    // max(0, votes + evidence)
}

// Why a seat is asked to judge a claim.
const (
	drawn      = "drawn"
	afterNo    = "after a no"
	tieBreak   = "tie-break"
	confirming = "confirming" // the answer depended on one lineage's judgements; Skipped: nobody was left to confirm
)

// docket is a ledger prepared for the rules since version 4, indexed by option and lineage. It is built anew for each question about
// a ledger and must not outlive the call: it shares the ledger's claims.
type docket struct {
	r        Rules
	options  []string
	lineages []string
	// The numbers of options and lineages follow their order by key and name, so nothing depends on the order of the
	// ledger.
	votes    [][][]float64 // by option and lineage: weighted log-odds of each vote
	weight   [][]float64   // by option: weights of its votes
	exhibits []exhibit     // the claims that may count, by id
	judge    *Judge        // judges before any seat does; nil: there is none
	seats    []Vote
	urn      *urn
}

// exhibit is a claim that may count, with what is known about it.
type exhibit struct {
	claim           *Claim
	option, lineage int
	grade           Grade
	judges          int            // how many alike settle a dispute
	code            string         // the result of its command: Pass, Fail or level; empty: nothing to run, or not yet
	yes, no         []int          // lineages by their judgement
	by              map[int]string // the seat that judged, by lineage
	asked           []int          // lineages that were asked, also those that gave no judgement
	void            bool           // its evidence is missing
	alone           bool           // nobody was left to confirm its one yes
	spent           bool
	draw            uint64 // 0: not drawn yet
	found           *Proof // where code found its quote; nil: not checked, or not found
}

// drawn returns the number that orders claims.
func (d *docket) drawn(x *exhibit) uint64 {
	if x.draw == 0 {
		x.draw = d.urn.draw("claim", x.claim)
	}
	return x.draw
}

// level is the outcome of a check that was spent and shows nothing.
const level = "level"

func newDocket(l Ledger, r Rules) *docket {
	d := &docket{r: r, judge: l.Judge, seats: l.Votes, urn: newUrn(l.DrawKey)}
	optionAt, lineageAt := map[string]int{}, map[string]int{}
	for i, o := range l.Options {
		d.options = append(d.options, o.Key)
		optionAt[o.Key] = i
	}
	for _, v := range l.Votes {
		if _, ok := lineageAt[v.Lineage]; !ok {
			lineageAt[v.Lineage] = 0
			d.lineages = append(d.lineages, v.Lineage)
		}
	}
	for _, k := range l.Checks {
		if _, ok := lineageAt[k.Lineage]; !ok && k.By != "" {
			lineageAt[k.Lineage] = 0
			d.lineages = append(d.lineages, k.Lineage)
		}
	}
	slices.Sort(d.lineages)
	for i, g := range d.lineages {
		lineageAt[g] = i
	}
	d.votes, d.weight = make([][][]float64, len(d.options)), make([][]float64, len(d.options))
	for o := range d.votes {
		d.votes[o] = make([][]float64, len(d.lineages))
	}
	w := l.Weights(r)
	author := make(map[string]Vote, len(l.Votes))
	for _, v := range l.Votes {
		author[v.Seat] = v
		o, ok := optionAt[v.Option]
		if v.Status != Voted || !ok {
			continue
		}
		g := lineageAt[v.Lineage]
		d.votes[o][g] = append(d.votes[o][g], w[v.Seat]*logOdds(v.Accuracy, r))
		d.weight[o] = append(d.weight[o], w[v.Seat])
	}
	d.exhibits = make([]exhibit, 0, len(l.Claims))
	at := make(map[string]int, len(l.Claims))
	for i := range l.Claims {
		c := &l.Claims[i]
		v, seated := author[c.Seat]
		o, offered := optionAt[c.Option]
		if c.Vetoed != "" || !seated || !offered || v.Status != Voted || v.Option != c.Option || !c.Supports {
			continue
		}
		// A claim that others were merged into, before version 4, answers to their ids as well.
		at[c.ID] = len(d.exhibits)
		for _, id := range c.Merged {
			at[id] = len(d.exhibits)
		}
		d.exhibits = append(d.exhibits, exhibit{claim: c, option: o, lineage: lineageAt[v.Lineage], grade: c.Evidence.Grade(),
			judges: r.Judges})
	}
	for _, k := range l.Checks {
		if i, ok := at[k.Claim]; ok {
			d.exhibits[i].enter(k, lineageAt, r)
		}
	}
	return d
}

// Grade returns the grade of a check that judges this evidence.
func (e Evidence) Grade() Grade {
	switch e.Kind {
	case "command":
		return Executed
	case "source":
		return Fetched
	case "quote":
		return Entailed
	}
	return Nothing
}

// enter adds a check to what is known about a claim.
func (x *exhibit) enter(k Check, lineageAt map[string]int, r Rules) {
	switch {
	case r.UnrunIsNone && k.Kind == "command" && k.By == "" && k.Result == Skipped:
		x.void = true
	case k.By != "" || k.Asked == confirming && k.Result == Skipped:
		x.spent = true
		if k.By == "" {
			x.alone = true
			return
		}
		g := lineageAt[k.Lineage]
		if slices.Contains(x.asked, g) {
			// The first judgement of a lineage counts, so asking again until somebody agrees gains nothing.
			return // no lineage judges a claim twice
		}
		x.asked = append(x.asked, g)
		if x.by == nil {
			x.by = map[int]string{}
		}
		x.by[g] = k.By
		if k.Result == Pass {
			x.yes = append(x.yes, g)
		} else if k.Result == Fail {
			x.no = append(x.no, g)
		}
	case k.Kind == "quote" || k.Kind == "source":
		// A missing quote, or a page that does not say so, voids its author's claim and affects nobody else.
		x.void = x.void || k.Result == Fail
		if k.Result == Pass {
			x.found = k.Proof
		}
		x.spent = x.spent || k.Kind == "source" && k.Result == Pass
	case k.Kind == "command":
		x.spent = true
		x.code = k.Result
		if k.Same || k.Result == Skipped {
			// The command has the same result where the claim plays no part, so it says nothing about the claim.
			x.code = level
		}
	default: // a judgement that nobody was left to give
		x.spent = true
	}
}

// settled returns the judges' result for a claim: one yes is enough, a no takes two, and two alike outvote a third. A dispute that is
// not settled is level: it moves nothing, as if nobody had been asked.
func (x *exhibit) settled() string {
	switch yes, no := len(x.yes), len(x.no); {
	case x.void || x.code == level:
		return level
	case x.code == Fail || no > yes && no >= x.judges:
		return Fail
	case yes > no && (yes > 1 || no == 0 && !x.alone):
		return Pass
	}
	return level
}

// without returns the majority result of the judges that are not gone. Here a single no counts: it asks what the rest of the panel
// would have found, not what is safe to act on.
func (x *exhibit) without(gone func(lineage int) bool) string {
	yes, no := 0, 0
	for _, g := range x.yes {
		if !gone(g) {
			yes++
		}
	}
	for _, g := range x.no {
		if !gone(g) {
			no++
		}
	}
	switch {
	case yes == len(x.yes) && no == len(x.no):
		return x.settled()
	case x.void || x.code == level:
		return level
	case x.code == Fail || no > yes:
		return Fail
	case yes > no:
		return Pass
	}
	return level
}

// open returns why a claim whose check has begun needs another judgement; empty: it needs none.
func (x *exhibit) open() string {
	switch yes, no := len(x.yes), len(x.no); {
	case !x.spent || x.void || x.code == Fail || x.code == level:
		return ""
	case yes == 0 && no == 0:
		return drawn
	case yes == 0 && no == 1 && x.judges > 1:
		return afterNo
	case yes == 1 && no == 1:
		return tieBreak
	}
	return ""
}

// nobody leaves out no lineage.
func nobody(int) bool { return false }

// only leaves out these lineages.
func only(gone ...int) func(int) bool { return func(g int) bool { return slices.Contains(gone, g) } }

// cases returns the log-odds of every lineage for every option, leaving out the votes and claims of the lineages that are gone and
// the judgements of those that are mute.
func (d *docket) cases(gone, mute func(lineage int) bool) [][]Case {
	out := make([][]Case, len(d.options))
	evidence := make([][]float64, len(d.lineages))
	for o := range d.options {
		out[o] = make([]Case, len(d.lineages))
		clear(evidence)
		for i := range d.exhibits {
			if x := &d.exhibits[i]; x.option == o && x.spent {
				if ratio := d.ratio(x, x.without(mute), mute); ratio > 0 && !math.IsInf(ratio, 1) && ratio != 1 {
					evidence[x.lineage] = append(evidence[x.lineage], math.Log(ratio))
				}
			}
		}
		for g, lineage := range d.lineages {
			c := Case{Option: d.options[o], Lineage: lineage}
			if !gone(g) {
				c.Votes, c.Evidence = sum(d.votes[o][g]), sum(evidence[g])
			}
			c.Value = max(0, c.Votes+c.Evidence)
			out[o][g] = c
		}
	}
	return out
}

// sum adds in order of size, so that the last bits do not depend on the order given.
func sum(terms []float64) float64 {
	// The caller's order stays as it is.
	if len(terms) > 1 {
		terms = slices.Clone(terms)
	}
	return inOrder(terms)
}

// inOrder is sum for a slice that it may sort in place.
func inOrder(terms []float64) float64 {
	slices.Sort(terms)
	total := 0.
	for _, t := range terms {
		total += t
	}
	return total
}

// beliefs turns cases into the probability of each option, the most probable first, level ones in order of key.
func (d *docket) beliefs(cases [][]Case) []Belief {
	out := make([]Belief, len(d.options))
	for o := range d.options {
		out[o] = Belief{Option: d.options[o], Votes: sum(d.weight[o]), log: d.logOdds(cases[o])}
	}
	normalise(out)
	slices.SortStableFunc(out, byBelief)
	return out
}

func byBelief(a, b Belief) int {
	// Differences below rounding errors are level. The key then decides which is listed first, not which wins.
	if math.Abs(a.log-b.log) < 1e-9 {
		return cmp.Compare(a.Option, b.Option)
	}
	return cmp.Compare(b.log, a.log)
}

// winner returns the number of the leading option; -1: it is level with another, or nobody voted.
func (d *docket) winner(cases [][]Case) int {
	best, level := -1, false
	var top float64
	for o := range d.options {
		log := d.logOdds(cases[o])
		switch {
		case best < 0 || log > top+1e-9:
			best, top, level = o, log, false
		case log > top-1e-9:
			level = true
		}
	}
	if level || top <= 0 {
		return -1
	}
	return best
}

// counted returns the cases that are not zero, in order of option and lineage.
func (d *docket) counted(cases [][]Case) []Case {
	var out []Case
	for o := range cases {
		for _, c := range cases[o] {
			if c.Votes != 0 || c.Evidence != 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// prove fills in proof whether each claim stands: 1 verified, -1 refuted; a missing quote refutes its claim.
func (d *docket) prove(l Ledger, proof map[string]int) {
	for _, k := range l.Checks {
		if c := l.Claim(k.Claim); c != nil && k.By == "" && k.Result == Fail {
			proof[c.ID] = -1
		}
	}
	for i := range d.exhibits {
		switch x := &d.exhibits[i]; {
		case x.spent && x.settled() == Pass:
			proof[x.claim.ID] = 1
		case x.spent && x.settled() == Fail:
			proof[x.claim.ID] = -1
		}
	}
	for _, o := range l.Objections("") {
		if o.State == Blocks {
			proof[o.Claim] = 1
		}
	}
}

// unsoundCases is [Ledger.Unsound] since version 4: after each check the ratio must be what the rules compute from all that is known
// about its claim by then.
func (l Ledger) unsoundCases(r Rules) error {
	if err := r.Learned.unsound(); err != nil {
		return err
	}
	for g, ratio := range r.Ratios {
		if !ratio.sound() {
			return fmt.Errorf("the record weighs a %s check %.4g to 1 and %.4g to 1; the maximum is %d to 1", g, ratio.Pass, ratio.Fail,
				mostRatio)
		}
	}
	checks := l.Checks
	for i, k := range checks {
		l.Checks = checks[:i+1]
		c := l.Claim(k.Claim)
		if c != nil && c.Vetoed != "" {
			continue // a person vetoed it later
		}
		if err := l.misjudged(c, k); err != nil {
			return err
		}
		if want := r.Worth(l, l.Claim(k.Claim), k); math.Abs(k.Ratio-want) > 1e-9 {
			return fmt.Errorf("check %s of %s counts %.4g to 1, but its rules say %.4g to 1", k.ID, k.Claim, k.Ratio, want)
		}
	}
	return nil
}

// misjudged returns an error if a judgement contradicts itself or is one that no room records. It is for records from elsewhere: the
// room that made a record cannot have done so.
func (l Ledger) misjudged(c *Claim, k Check) error {
	switch {
	case k.By == "" || c == nil:
		return nil
	case k.Lineage != l.Lineage(k.By) || k.Lineage == l.Lineage(c.Seat):
		return fmt.Errorf("check %s of %s was judged by %s of lineage %s, which is impossible", k.ID, k.Claim, k.By, k.Lineage)
	case l.Checks[len(l.Checks)-1].ID == k.ID && l.judgedBefore(k):
		return fmt.Errorf("check %s: lineage %s judged %s twice", k.ID, k.Lineage, k.Claim)
	case k.Result == Skipped:
		return nil
	case k.Grade != c.Evidence.Grade():
		return fmt.Errorf("check %s of %s has the grade %s, but its evidence is a %s", k.ID, k.Claim, k.Grade, c.Evidence.Kind)
	case k.Answers != nil && (k.Result == Pass) != k.Answers.pass(c.Objects()):
		return fmt.Errorf("check %s of %s is a %s, but its judge's answers are not", k.ID, k.Claim, k.Result)
	}
	return nil
}

// pass reports whether every question was answered with yes.
func (a Answers) pass(objection bool) bool {
	return a.Shows == "yes" && a.Bears == "yes" && (!objection || a.Grave == "yes")
}

// judgedBefore reports whether the lineage of the last check judged its claim before.
func (l Ledger) judgedBefore(k Check) bool {
	return slices.ContainsFunc(l.Checks[:len(l.Checks)-1], func(o Check) bool {
		return o.By != "" && o.Lineage == k.Lineage && o.Claim == k.Claim
	})
}

// settledCases is [Settled] since version 4. The voters of a lineage share its weight with its seats that may still vote, so the
// leader is counted at its least and every rival at its most.
func settledCases(l Ledger, r Rules) bool {
	type standing struct {
		waiting, voted int
		by             map[string]int
		u              float64
	}
	lineages := map[string]*standing{}
	for _, v := range l.Votes {
		g := lineages[v.Lineage]
		if g == nil {
			g = &standing{by: map[string]int{}}
			lineages[v.Lineage] = g
		}
		g.u = max(g.u, logOdds(v.Accuracy, r))
		switch v.Status {
		case "":
			g.waiting++
		case Voted:
			g.voted++
			g.by[v.Option]++
		}
	}
	bs := Posterior(l, r)
	if len(bs) == 0 || bs[0].Votes == 0 {
		return false
	}
	least := 0.
	for _, v := range l.Votes {
		if g := lineages[v.Lineage]; v.Status == Voted && v.Option == bs[0].Option {
			least += logOdds(v.Accuracy, r) / (1 + float64(g.voted+g.waiting-1)*r.within(v.Lineage))
		}
	}
	for _, b := range bs[1:] {
		most := 0.
		for name, g := range lineages {
			if k := float64(g.by[b.Option] + g.waiting); k > 0 {
				most += g.u * k / (1 + (k-1)*r.within(name))
			}
		}
		if most >= least-1e-9 {
			return false
		}
	}
	return true
}

// worth returns the current ratio of a claim.
func (d *docket) worth(c *Claim) float64 {
	for i := range d.exhibits {
		if x := &d.exhibits[i]; x.claim == c && x.spent {
			return d.ratio(x, x.settled(), nobody)
		}
	}
	return 1
}
