package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Explain returns a text that shows how each number of a verdict is computed, step by step. It is for people: its form may change. It
// recomputes what Decide does from the same parts, so it shows what counted.
func Explain(l Ledger, r Rules) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	v := Decide(l, r)
	w := l.Weights(r)
	p("Rules version %s: r = %.2f within a lineage, accuracy a = %.2f per seat, ", r.Version, r.WithinLineage, r.Accuracy)
	if r.Cases {
		p("a check must gain %.4f.\n\n", r.CheckPrice)
		p("Weights  w = 1 / (1 + (n−1)·r) for n voters of one lineage\n")
	} else {
		p("checks stop at %.2f.\n\n", r.StopAt)
		p("Weights  w = 1 / (1 + (n−1)·r) for n seats of one lineage\n")
	}
	for _, s := range l.Votes {
		p("  %-24s %-16s w %.3f  %-10s %s\n", s.Seat, s.Lineage, w[s.Seat], s.Status, s.Option)
	}
	if r.Cases {
		explainCases(p, l, r, v)
	} else {
		explainPosterior(p, l, r)
	}
	if len(v.Beliefs) == 0 || v.Panel.Voted == 0 {
		p("\nOutcome: %s: %s\n", v.Outcome, v.Reason)
		return b.String()
	}
	s := newScorer(l, r, v.Beliefs[0].Option)
	p("\nSupport  S = share of the panel's weight behind %s = %s\n", s.winner, percent(v.Score.Support))
	name := "Contested"
	if !l.objected() { // then the number only says that true claims support the other side, too
		name = "Against"
	}
	p("\n%s  D = Σ impact·loss / Σ impact = %s\n", name, percent(v.Score.Contested))
	for _, c := range l.Claims {
		if !c.Put {
			continue
		}
		word := map[int]string{1: "supports", -1: "undermines", 0: "neutral"}[s.bears(c)]
		p("  %-4s impact %d  %-10s agreement p = %.3f\n", c.ID, c.ImpactBy(w), word, s.agreement(c))
	}
	p("\nEvidence  E = verified − refuted share of the winner's load-bearing claims = %s\n", percent(v.Score.Evidence))
	for _, c := range s.loadBearing() {
		p("  %-4s impact %d  %s\n", c.ID, c.ImpactBy(w), map[int]string{1: "verified", -1: "refuted", 0: "not verified"}[s.proof[c.ID]])
	}
	if r.Cases {
		p("\nStability  J = share of lineages that can be left out without changing the winner = %s\n",
			percent(v.Score.Stability))
		for _, h := range v.Hinges {
			p("  %s\n", h.Says(nil))
		}
	} else {
		p("\nStability  J = share of panels with one seat or lineage removed that keep the winner = %s\n", percent(v.Score.Stability))
	}
	p("Coverage  = share of the panel's weight that voted = %s\n", percent(v.Score.Coverage))
	p("\nScore  C = S·(1−D) = %s", percent(v.Score.Support*(1-v.Score.Contested)))
	for _, c := range v.Score.Caps {
		p(", capped at %s (%s)", percent(c.At), c.Name)
	}
	if len(v.Score.Caps) > 0 {
		p(" = %s", percent(v.Score.Value))
	}
	p("\nGate: %s. Outcome: %s: %s\n", v.Gate, v.Outcome, v.Reason)
	for _, why := range v.Reasons {
		p("  %s: %s\n", why.Code, why.Text)
	}
	return b.String()
}

// percent formats a share for people.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func (l Ledger) objected() bool {
	return slices.ContainsFunc(l.Claims, func(c Claim) bool {
		for _, s := range c.Stances {
			if s.Verb == Object {
				return true
			}
		}
		return false
	})
}

// printer writes as fmt.Printf does.
type printer func(format string, args ...any)

// explainPosterior prints how checks moved the options under the rules before version 4.
func explainPosterior(p printer, l Ledger, r Rules) {
	p("\nPosterior  log odds = Σ w·ln(a/(1−a)) over blind votes + Σ ln(ratio) over checks\n")
	for _, belief := range Posterior(l, r) {
		p("  %s  P %.4f  log %.4f  votes %.3f\n", belief.Option, belief.P, belief.log, belief.Votes)
	}
	for _, k := range l.Checks {
		c := l.Claim(k.Claim)
		if c == nil || k.Ratio == 1 {
			continue
		}
		sign := "+"
		if !c.Supports {
			sign = "−"
		}
		p("    %s %s on %s (%s): ratio %.3f, %s ln = %.4f for %s\n", k.ID, k.Kind, k.Claim, k.Result, k.Ratio, sign,
			math.Log(k.Ratio), c.Option)
	}
	if len(l.Claims) > 0 {
		p("\nClaims\n")
		explainClaims(p, l, r)
	}
}

// explainLearned prints what the outcomes of earlier questions changed.
func explainLearned(p printer, l Ledger, r Rules, v Verdict) {
	if r.Learned == nil {
		return
	}
	p("\nLearned  from %d questions with known answers, as of the start of the debate\n", r.Learned.Outcomes)
	for _, vote := range l.Votes {
		if vote.Accuracy > 0 {
			p("  %-16s right %.3f of the time, counts ln(a/(1−a)) = %.4f\n", vote.Seat, vote.Accuracy, logOdds(vote.Accuracy, r))
		}
	}
	for _, j := range r.Learned.Judges {
		p("  %-16s judges %s evidence at %.3f to 1 and %.3f to 1\n", j.Seat, j.Grade, j.Ratio.Pass, j.Ratio.Fail)
	}
	for _, s := range v.Shares {
		p("  %s  −%.4f: %s and %s err together\n", s.Option, s.Off, s.Lineages[0], s.Lineages[1])
	}
	if c := r.Learned.Calibration; c != nil && v.Calibrated > 0 {
		p("  calibrated: logit = %.4f + %.4f · logit(%.4f), which gives %.4f\n", c.Shift, c.Slope, v.Beliefs[0].P, v.Calibrated)
	}
}

// explainCases prints what each lineage contributed under the rules since version 4, and the state of every claim.
func explainCases(p printer, l Ledger, r Rules, v Verdict) {
	p("\nCases  max(0, Σ w·ln(a/(1−a)) over its votes + Σ ln(ratio) over its checked claims), by option and lineage\n")
	for _, c := range v.Cases {
		p("  %s  %-16s votes %.4f  evidence %+.4f  case %.4f\n", c.Option, c.Lineage, c.Votes, c.Evidence, c.Value)
	}
	explainLearned(p, l, r, v)
	p("\nPosterior  log odds = Σ of an option's cases\n")
	for _, belief := range Posterior(l, r) {
		p("  %s  P %.4f  log %.4f  votes %.3f\n", belief.Option, belief.P, belief.log, belief.Votes)
	}
	p("\nClaims  a check counts only on a claim whose author voted blind for the option it supports; " +
		"ties go to the lower draw\n")
	explainClaims(p, l, r)
}

// explainClaims prints every claim with its author, its checks and what it counts.
func explainClaims(p printer, l Ledger, r Rules) {
	d := newDocket(l, r)
	for i := range l.Claims {
		c := &l.Claims[i]
		way, course := "for", l.Course(r, c)
		if !c.Supports {
			way = "against"
		}
		p("  %-4s %s %s %s: %s\n", c.ID, c.Seat, way, c.Option, c.Text)
		switch {
		case c.Vetoed != "":
			p("       vetoed by a person: %s\n", c.Vetoed)
		case (r.Cases || r.OwnCase) && !l.Eligible(*c):
			p("       not eligible: its author did not vote for the option it supports\n")
		case r.Cases:
			p("       draw %.4f\n", course.Draw)
		}
		for _, k := range l.Checks {
			if k.Claim != c.ID && !slices.Contains(c.Merged, k.Claim) {
				continue
			}
			p("       %s %s", k.ID, k.Kind)
			if k.By != "" {
				p(" by %s (%s, %s)", k.By, k.Lineage, k.Asked)
			} else if k.Asked != "" {
				p(" (%s)", k.Asked)
			}
			p(": %s", k.Result)
			if k.Worth > 0 {
				p("; stopping was worth %.4f, going on %.4f", k.Stop, k.Worth)
				for _, o := range k.Others {
					p(", with %s instead %.4f", o.Claim, o.Worth)
				}
			}
			if k.Detail != "" {
				p("; %s", k.Detail)
			}
			if k.Kind == "command" && k.Control != "" {
				p("; %s", k.Control)
			}
			for _, moved := range course.Cases {
				if moved.Check == k.ID {
					p("; case %.4f → %.4f", moved.Before, moved.After)
				}
			}
			p("\n")
		}
		if !r.Cases {
			continue
		}
		if c.Objects() {
			o := l.objection(c)
			p("       a high-impact objection: %s", o.State)
			if o.State == Unjudged && !o.begun {
				p("; %d per lineage is judged, and only against the leading option", r.ObjectionsPerLineage)
			}
			p("\n")
		}
		if ratio := d.worth(c); ratio != 1 {
			p("       ratio %.3f, ln = %+.4f for the case of %s\n", ratio, math.Log(ratio), l.Lineage(c.Seat))
		}
	}
}
