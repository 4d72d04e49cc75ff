package verdict

import "slices"

// Objection is a security or data claim of the highest impact against an option, with its judgements.
type Objection struct {
	Claim string   `json:"claim"`
	Seat  string   `json:"seat"`
	State string   `json:"state"`
	Yes   []string `json:"affirmed,omitempty"` // lineages that found it true, about the option and as grave as stated
	No    []string `json:"denied,omitempty"`

	// The fields below are not published: they tell what may be asked next.
	asked []string // lineages
	begun bool
	void  bool
	run   bool // a command or page was tried, which takes time whatever the result
}

// States of an objection.
const (
	Blocks    = "blocks"    // two lineages other than the author's affirmed it
	Rejected  = "rejected"  // more denied than affirmed it, or its evidence is missing
	Contested = "contested" // one affirmed it and was not outvoted: a person decides
	Unjudged  = "unjudged"  // nobody judged it: another of its lineage was judged, or no judge answered
)

// Objections returns the objections against an option (empty: any), in the ledger's order. No rating changes one: two drawn lineages
// judge it, a third if they differ. A person lifts it by vetoing its claim.
func (l Ledger) Objections(option string) []Objection {
	var out []Objection
	for i := range l.Claims {
		if c := &l.Claims[i]; c.Objects() && (option == "" || c.Option == option) {
			out = append(out, l.objection(c))
		}
	}
	return out
}

// blockworthy reports whether an objection could block the leader: a judge affirmed it and the others did not reject it. One that
// nobody affirmed opens no checks: otherwise anyone who objects could have a unanimous panel's claims judged, which may overturn it.
func (d *docket) blockworthy(l Ledger) bool {
	leads := d.winner(d.cases(nobody, nobody))
	if leads < 0 {
		return false
	}
	for i := range l.Claims {
		if c := &l.Claims[i]; c.Objects() && c.Option == d.options[leads] {
			if o := l.objection(c); len(o.Yes) > 0 && o.State != Rejected {
				return true
			}
		}
	}
	return false
}

// Objects reports whether a claim is an objection that could block: a security or data claim of the highest impact against an option.
func (c *Claim) Objects() bool {
	return c.Vetoed == "" && !c.Supports && c.Option != "" && c.Impact == 5 && (c.Kind == "security" || c.Kind == "data")
}

// objection computes the state of an objection from all its checks.
func (l Ledger) objection(c *Claim) Objection {
	o := Objection{Claim: c.ID, Seat: c.Seat, State: Unjudged}
	author := l.Lineage(c.Seat)
	for _, k := range l.Checks {
		if k.Claim != c.ID && !slices.Contains(c.Merged, k.Claim) {
			continue
		}
		o.run = o.run || k.By == "" && (k.Kind == "command" || k.Kind == "source")
		switch {
		case k.By == "" && (k.Result == Fail || k.Same || k.Kind == "command" && k.Result == Skipped):
			o.void = true
		case k.By == "":
			o.begun = o.begun || k.Kind != "quote"
			continue
		case k.Lineage == author || slices.Contains(o.asked, k.Lineage):
		case k.Result == Pass:
			o.Yes = append(o.Yes, k.Lineage)
		case k.Result == Fail:
			o.No = append(o.No, k.Lineage)
		}
		if k.By != "" {
			o.begun, o.asked = true, append(o.asked, k.Lineage)
		}
	}
	slices.Sort(o.Yes)
	slices.Sort(o.No)
	switch yes, no := len(o.Yes), len(o.No); {
	case o.void || no > 1 && no > yes:
		o.State = Rejected
	case yes > 1:
		o.State = Blocks
	case yes == 1:
		o.State = Contested
	case no == 1:
		o.State = Rejected
	}
	return o
}

// NextObjection returns which objection against the leading option to judge next, or once more: of each lineage the one drawn first,
// if its evidence can be checked. It is false once all that may block are decided.
func NextObjection(l Ledger, r Rules, ready func(c *Claim) bool, left func(c *Claim) int) (Step, bool) {
	bs := Posterior(l, r)
	if len(bs) == 0 || bs[0].Votes == 0 || tied(bs) {
		return Step{}, false
	}
	var step Step
	var at uint64
	offer := func(c *Claim, why string) {
		if d := draw(l.DrawKey, "objection", c); step.Claim == "" || d < at {
			step, at = Step{Claim: c.ID, Why: why}, d
		}
	}
	judged := map[string]int{}
	for _, o := range l.Objections("") {
		c := l.Claim(o.Claim)
		if !o.begun && !(r.UnrunIsNone && o.run) {
			continue
		}
		judged[l.Lineage(c.Seat)]++
		if why := o.next(); why != "" && left(c) > 0 {
			offer(c, why)
		}
	}
	// An objection that was begun is finished before another begins.
	if step.Claim != "" {
		return step, true
	}
	// Only against the leader: an objection to a losing option stops nothing.
	for _, o := range l.Objections(bs[0].Option) {
		if c := l.Claim(o.Claim); !o.begun && !o.void && judged[l.Lineage(c.Seat)] < r.ObjectionsPerLineage && ready(c) && left(c) > 0 {
			offer(c, drawn)
		}
	}
	return step, step.Claim != ""
}

// next returns why another judge is asked; empty: the objection is decided.
func (o Objection) next() string {
	switch yes, no := len(o.Yes), len(o.No); {
	case o.void || yes > 1 || no > 1:
		return ""
	case yes+no == 0:
		return drawn
	case yes == 1 && no == 1:
		return tieBreak
	case no == 1:
		return afterNo
	}
	return confirming
}
