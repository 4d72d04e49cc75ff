package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Outcome is the result of a debate.
type Outcome string

// The outcomes. Degraded is a decision by a panel that lost a seat.
const (
	Decided     Outcome = "decided"
	WithDissent Outcome = "decided-with-dissent"
	Degraded    Outcome = "degraded"
	Tie         Outcome = "tie"
	NoQuorum    Outcome = "no-quorum"
	Abstain     Outcome = "abstain" // not enough evidence
	Aborted     Outcome = "aborted" // the strategy gave up
	Ruled       Outcome = "ruled"   // a person chose
)

// Decision reports whether the outcome names a winner to act on.
func (o Outcome) Decision() bool {
	return o == Decided || o == WithDissent || o == Degraded || o == Ruled
}

var outcomeWords = map[Outcome]string{
	Decided: "decided", WithDissent: "decided, with dissent", Degraded: "decided by fewer seats than asked", Ruled: "decided by a person",
	Tie: "no decision: a tie", NoQuorum: "no decision: too few votes", Abstain: "no decision: not enough evidence",
	Aborted: "no decision: the panel was aborted",
}

// Words returns the outcome as a phrase for people; blocked are the objections that block it. An unknown outcome is returned as it
// is.
func (o Outcome) Words(blocked []string) string {
	if len(blocked) > 0 {
		return "no decision: blocked by " + strings.Join(blocked, ", ")
	}
	return cmp.Or(outcomeWords[o], string(o))
}

// Verdict is what code computes from a ledger. The same ledger and rules give the same verdict, byte for byte. It is a value: nothing
// in it points into the ledger it was computed from. It is compared as JSON, byte for byte.
type Verdict struct {
	Rules   string   `json:"rules"` // version
	Outcome Outcome  `json:"outcome"`
	Winner  string   `json:"winner,omitempty"` // key of an option; empty without a decision
	Reason  string   `json:"reason"`
	Gate    string   `json:"gate"` // proceed, evidence (one more round, then a person) or person
	Score   Score    `json:"score"`
	Beliefs []Belief `json:"beliefs"`
	Panel   Panel    `json:"panel"`
	Dissent Dissent  `json:"dissent"`
	Blocked []string `json:"blocked,omitempty"` // verified security or data objections that block

	// Since rules version 4.
	Cases      []Case      `json:"cases,omitempty"`
	Hinges     []Hinge     `json:"hinges,omitempty"`     // lineages and pairs without whom the answer would differ
	Objections []Objection `json:"objections,omitempty"` // against the winner
	Reasons    []Reason    `json:"reasons,omitempty"`    // of the gate
	Shares     []Share     `json:"shares,omitempty"`     // what options lose to lineages that err together
	Calibrated float64     `json:"calibrated,omitempty"` // the winner's measured chance of being right; 0: not measured
}

// Panel counts the seats by how their ballots came out.
type Panel struct {
	Seats     int `json:"seats"`
	Lineages  int `json:"lineages"`
	Voted     int `json:"voted"`
	Abstained int `json:"abstained"`
	NoVote    int `json:"no_vote"`
	Failed    int `json:"failed"` // includes expelled seats
}

// Dissent is the strongest losing option and what speaks for it.
type Dissent struct {
	Option      string   `json:"option,omitempty"`
	P           float64  `json:"p,omitempty"`
	Seats       []string `json:"seats,omitempty"`
	Claims      []string `json:"claims,omitempty"`      // surviving: not refuted
	Unsupported []Switch `json:"unsupported,omitempty"` // switches that named no reason
	Flip        []string `json:"flip,omitempty"`        // what would change the winner's seats' minds
}

// Decide computes the verdict of a ledger under rules. It is pure.
func Decide(l Ledger, r Rules) Verdict {
	l = l.inOrder()
	v := Verdict{Rules: r.Version, Panel: count(l), Beliefs: Posterior(l, r)}
	if len(v.Beliefs) == 0 || v.Panel.Voted == 0 {
		v.Outcome, v.Reason, v.Gate = Abstain, "no seat chose an option", "person"
		if v.Panel.Failed+v.Panel.NoVote > v.Panel.Abstained {
			v.Outcome, v.Reason = NoQuorum, "no seat gave a usable ballot"
		}
		if l.Aborted != "" {
			v.Outcome, v.Reason = Aborted, l.Aborted
		}
		if r.Cases {
			v.Reasons = []Reason{{"no-decision", fmt.Sprintf("%s: %s", v.Outcome, v.Reason)}}
		}
		if v.rule(l) {
			v.Reasons = nil
		}
		return round(v)
	}
	s := v.weigh(l, r, v.Beliefs[0].Option)
	// The scores are computed anyway, for their coverage, and then mostly discarded.
	level := r.Cases && tied(v.Beliefs) // then none leads, and what is computed for the first means nothing
	if level {
		v.Blocked, v.Hinges, v.Objections = nil, nil, nil
	}
	v.Outcome, v.Reason = s.outcome(v)
	v.Calibrated = r.calibrated(v.Beliefs[0].P)
	// The gate is computed before a person's choice is applied: a choice counts only if the gate asks for one.
	if r.Cases && v.Outcome.Decision() {
		v.Gate = s.open(&v)
	}
	if v.rule(l) {
		v.Reasons = nil
		s = v.weigh(l, r, v.Winner) // the numbers are those of the chosen option
	}
	if !v.Outcome.Decision() {
		v.Winner = ""
	}
	if level && v.Outcome != Ruled {
		v.Score, v.Dissent = Score{Coverage: v.Score.Coverage}, Dissent{Unsupported: v.Dissent.Unsupported}
	}
	if v.Winner == "" || v.Outcome == Ruled {
		v.Calibrated = 0
	}
	if v.Reasons = nil; r.Cases {
		v.Gate = s.open(&v)
	} else {
		v.Gate = s.gate(v)
	}
	return round(v)
}

// weigh scores an option as the winner.
func (v *Verdict) weigh(l Ledger, r Rules, winner string) scorer {
	s := newScorer(l, r, winner)
	v.Score = Score{Support: s.support(), Contested: s.contested(), Evidence: s.evidence(), Coverage: s.coverage()}
	if r.Cases {
		cases := s.docket.cases(nobody, nobody)
		// The cases are the same whichever option is scored; hinges and objections depend on it.
		v.Cases, v.Shares = s.docket.counted(cases), s.docket.shares(cases)
		one, two, stability := s.docket.hinges(winner)
		v.Hinges, v.Objections, v.Score.Stability = append(one, two...), l.Objections(winner), stability
	} else {
		v.Score.Stability = s.stability()
	}
	v.Score.Caps = s.caps(v.Score)
	v.Score.Value = v.Score.Support * (1 - v.Score.Contested)
	for _, c := range v.Score.Caps {
		v.Score.Value = min(v.Score.Value, c.At)
	}
	v.Winner, v.Dissent, v.Blocked = winner, s.dissent(v.Beliefs), s.blocking()
	return s
}

// rule applies a person's choice if the panel reached no decision or, since rules version 4, if a person was asked, and reports
// whether it did. A choice does not lift a block by a verified danger: the claim must be vetoed for that.
func (v *Verdict) rule(l Ledger) bool {
	if l.Ruling == nil || v.Outcome.Decision() && v.Gate != GatePerson || len(v.Blocked) > 0 {
		return false
	}
	v.Reason = fmt.Sprintf("%s: %s; a person chose", v.Outcome, v.Reason)
	if l.Ruling.Why != "" {
		v.Reason += ": " + l.Ruling.Why
	}
	v.Outcome, v.Winner = Ruled, l.Ruling.Option
	return true
}

// count counts the seats, their lineages and how their ballots came out.
func count(l Ledger) Panel {
	p := Panel{Seats: len(l.Votes)}
	var lineages []string
	for _, v := range l.Votes {
		if !slices.Contains(lineages, v.Lineage) {
			lineages = append(lineages, v.Lineage)
		}
		switch v.Status {
		case Voted:
			p.Voted++
		case Abstained:
			p.Abstained++
		case NoVote:
			p.NoVote++
		default:
			p.Failed++
		}
	}
	p.Lineages = len(lineages)
	return p
}

// caps are all ceilings that apply, in a fixed order; the lowest one limits the score.
func (s scorer) caps(sc Score) []Cap {
	caps := []Cap{}
	if b := s.l.Backers(s.winner); len(b) < 2 {
		who := "no seat backs the winner"
		if len(b) == 1 {
			who = "only " + b[0] + " backs the winner"
		}
		caps = append(caps, Cap{"one-lineage", s.r.CapOneLineage, who})
	}
	if sc.Coverage < s.r.MinCoverage-1e-9 {
		caps = append(caps, Cap{"coverage", s.r.CapCoverage, fmt.Sprintf("only %.0f%% of the panel's weight voted", 100*sc.Coverage)})
	}
	if sc.Stability < 1 && (!s.r.Cases || s.lineagesVoted() > 1) { // of one lineage nothing can be left out
		why := "removing one seat or lineage changes the winner"
		if s.r.Cases {
			why = "leaving out one lineage changes the winner"
		}
		caps = append(caps, Cap{"unstable", s.r.CapUnstable, why})
	}
	if s.r.Cases {
		if o := s.blocking(); len(o) > 0 {
			caps = append(caps, Cap{"objection", s.r.CapObjection, "a verified high-impact objection is open: " + o[0]})
		}
	} else if o := s.objections(); len(o) > 0 {
		caps = append(caps, Cap{"objection", s.r.CapObjection, "a verified high-impact objection is open: " + o[0].ID})
	}
	return caps
}

// outcome returns the first that applies of: aborted, too few votes, a verified danger, tied options, a lost seat, dissent.
func (s scorer) outcome(v Verdict) (Outcome, string) {
	switch {
	case s.l.Aborted != "":
		return Aborted, s.l.Aborted
	case v.Score.Coverage < s.r.Quorum-1e-9 && v.Panel.Failed+v.Panel.NoVote >= v.Panel.Abstained:
		return NoQuorum, fmt.Sprintf("%d of %d seats voted; a decision needs half of the panel's weight", v.Panel.Voted, v.Panel.Seats)
	case v.Score.Coverage < s.r.Quorum-1e-9:
		return Abstain, fmt.Sprintf("%d of %d seats abstained", v.Panel.Abstained, v.Panel.Seats)
	case len(v.Blocked) > 0:
		return Abstain, "blocked by a verified security or data objection: " + strings.Join(v.Blocked, ", ")
	case tied(v.Beliefs):
		return Tie, fmt.Sprintf("options %s and %s are tied", v.Beliefs[0].Option, v.Beliefs[1].Option)
	case v.Panel.Failed+v.Panel.NoVote > 0:
		return Degraded, fmt.Sprintf("%d of %d seats missing", v.Panel.Failed+v.Panel.NoVote, v.Panel.Seats)
	case v.Score.Support < v.Score.Coverage-1e-9 || len(s.votersOf(v.Beliefs[0].Option)) < v.Panel.Voted:
		return WithDissent, fmt.Sprintf("%d of %d votes", len(s.votersOf(v.Beliefs[0].Option)), v.Panel.Voted)
	}
	return Decided, fmt.Sprintf("all %d votes", v.Panel.Voted)
}

// gate is the gate of the rules before version 4, which depended on the score.
func (s scorer) gate(v Verdict) string {
	switch {
	case !v.Outcome.Decision() || v.Score.Value < s.r.Person-1e-9 || s.r.Rehearsal:
		return "person"
	case len(s.l.Lacks) > 0: // missing information comes first
		return "evidence"
	case v.Score.Value >= s.r.Proceed-1e-9 && v.Score.Stability == 1 && v.Score.Evidence >= 0:
		// what was refuted does not outweigh what was verified
		return "proceed"
	}
	return "evidence"
}

// votersOf are the seats whose blind vote is the option.
func (s scorer) votersOf(option string) []string {
	var out []string
	for _, v := range s.l.Votes {
		if v.Status == Voted && v.Option == option {
			out = append(out, v.Seat)
		}
	}
	return out
}

// blocking are the objections that stop a decision whatever the votes say.
func (s scorer) blocking() []string {
	var out []string
	if s.r.Cases {
		for _, o := range s.l.Objections(s.winner) {
			if o.State == Blocks {
				out = append(out, o.Claim)
			}
		}
		return out
	}
	for _, c := range s.objections() {
		if c.Grave(s.w) {
			out = append(out, c.ID)
		}
	}
	return out
}

// dissent is the strongest option that lost, with what speaks for it and against the winner and was not refuted.
func (s scorer) dissent(bs []Belief) Dissent {
	var d Dissent
	for _, sw := range s.l.Switches {
		if !sw.Supported {
			d.Unsupported = append(d.Unsupported, sw)
		}
	}
	for _, v := range s.l.Votes {
		if v.Status == Voted && v.Option == s.winner && v.Flip != "" {
			d.Flip = append(d.Flip, v.Flip)
		}
	}
	for _, b := range bs {
		if b.Option == s.winner || b.Votes == 0 && !s.argued(b.Option) {
			continue
		}
		d.Option, d.P, d.Seats = b.Option, b.P, s.votersOf(b.Option)
		for _, c := range s.l.Claims {
			if s.bears(c) < 0 && c.SameAs == "" && (c.Option == b.Option || c.Option == s.winner) && s.proof[c.ID] >= 0 {
				d.Claims = append(d.Claims, c.ID)
			}
		}
		break
	}
	return d
}

// argued reports whether anybody claimed anything for an option, though nobody voted for it.
func (s scorer) argued(option string) bool {
	return slices.ContainsFunc(s.l.Claims, func(c Claim) bool { return c.Option == option && c.Supports })
}

// round rounds every number to six decimals, which hides differences in the last bits between platforms.
func round(v Verdict) Verdict {
	six := func(x *float64) { *x = math.Round(*x*1e6) / 1e6 }
	for _, x := range []*float64{&v.Score.Value, &v.Score.Support, &v.Score.Contested, &v.Score.Evidence,
		&v.Score.Stability, &v.Score.Coverage, &v.Dissent.P, &v.Calibrated} {
		six(x)
	}
	for i := range v.Cases {
		six(&v.Cases[i].Votes)
		six(&v.Cases[i].Evidence)
		six(&v.Cases[i].Value)
	}
	for i := range v.Shares {
		six(&v.Shares[i].Off)
	}
	for i := range v.Beliefs {
		six(&v.Beliefs[i].P)
		six(&v.Beliefs[i].Votes)
	}
	if v.Score.Caps == nil {
		v.Score.Caps = []Cap{}
	}
	if v.Beliefs == nil {
		v.Beliefs = []Belief{}
	}
	return v
}
