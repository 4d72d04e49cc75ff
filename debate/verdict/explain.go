package verdict

import (
	"fmt"
	"math"
	"strings"
)

// Explain shows how each number of a verdict came about, step by step.
func Explain(l Ledger, r Rules) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	v := Decide(l, r)
	w := l.Weights(r)
	p("Rules version %s: r = %.2f within a lineage, accuracy a = %.2f per seat, checks stop at %.2f.\n\n", r.Version, r.WithinLineage, r.Accuracy, r.StopAt)
	p("Weights  w = 1 / (1 + (n−1)·r) for n seats of one lineage\n")
	for _, s := range l.Votes {
		p("  %-24s %-16s w %.3f  %-10s %s\n", s.Seat, s.Lineage, w[s.Seat], s.Status, s.Option)
	}
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
		p("    %s %s on %s (%s): ratio %.3f, %s ln = %.4f for %s\n", k.ID, k.Kind, k.Claim, k.Result, k.Ratio, sign, math.Log(k.Ratio), c.Option)
	}
	if len(v.Beliefs) == 0 || v.Panel.Voted == 0 {
		p("\nOutcome: %s: %s\n", v.Outcome, v.Reason)
		return b.String()
	}
	s := newScorer(l, r, v.Beliefs[0].Option)
	p("\nSupport  S = share of the panel's weight behind %s = %.3f\n", s.winner, v.Score.Support)
	p("\nContested  D = Σ impact·loss / Σ impact = %.3f\n", v.Score.Contested)
	for _, c := range l.Claims {
		if !c.Put {
			continue
		}
		word := map[int]string{1: "supports", -1: "undermines", 0: "neutral"}[s.bears(c)]
		p("  %-4s impact %d  %-10s agreement p = %.3f\n", c.ID, c.ImpactBy(w), word, s.agreement(c))
	}
	p("\nEvidence  E = verified − refuted share of the winner's load-bearing claims = %+.3f\n", v.Score.Evidence)
	for _, c := range s.loadBearing() {
		p("  %-4s impact %d  %s\n", c.ID, c.ImpactBy(w), map[int]string{1: "verified", -1: "refuted", 0: "not verified"}[s.proof[c.ID]])
	}
	p("\nStability  J = share of panels without one seat or lineage that keep the winner = %.3f\n", v.Score.Stability)
	p("Coverage  = share of the panel's weight that voted = %.3f\n", v.Score.Coverage)
	p("\nScore  C = S·(1−D) = %.3f", v.Score.Support*(1-v.Score.Contested))
	for _, c := range v.Score.Caps {
		p(", capped at %.2f (%s)", c.At, c.Name)
	}
	p(" = %.3f\nGate: %s. Outcome: %s: %s\n", v.Score.Value, v.Gate, v.Outcome, v.Reason)
	return b.String()
}
