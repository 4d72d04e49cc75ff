package strategy

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

//go:embed prompt/advocate.md
var advocateTask string

//go:embed prompt/challenge.md
var challengeTask string

//go:embed prompt/refresh.md
var refreshTask string

// advocate has one seat propose and the others challenge it, in six phases.
var _ = register(debate.Strategy{
	Name: "advocate",
	Doc:  "one seat proposes and the others challenge it; then votes",
	When: "To test a plan before building it: the first seat, or the one with the persona advocate, defends it and all others try to " +
		"break it, working from the same text. If most seats lack information, you are asked for it; if nobody can answer, the debate " +
		"continues, but its gate never says proceed.",
	Least: 2, Rounds: 1, Explores: true,
	Turns: func(rounds int) (int, int) { return 4, 4 + rounds },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		if err := r.Ready(ctx); err != nil {
			return err
		}
		seats := r.Present(r.Seats...)
		// Nobody could be asked: Conclude counts everybody as lost.
		if len(seats) == 0 {
			return r.Conclude(ctx)
		}
		at := max(0, slices.IndexFunc(seats, func(s debate.Seat) bool { return s.Info.Persona.Name == "advocate" }))
		proposer, challengers := seats[at], slices.Delete(slices.Clone(seats), at, at+1)
		if _, err := r.Talk(ctx, debate.Phase{Name: "proposal", Task: advocateTask, Blind: true}, proposer); err != nil {
			return err
		}
		if len(r.Present(proposer)) == 0 && len(challengers) > 0 { // another seat proposes instead, once
			if err := r.Note(ctx, "stand-in", proposer.Info.ID+" made no proposal; "+challengers[0].Info.ID+
				" proposed instead"); err != nil {
				return err
			}
			proposer, challengers = challengers[0], challengers[1:]
			if _, err := r.Talk(ctx, debate.Phase{Name: "proposal", Task: advocateTask, Blind: true}, proposer); err != nil {
				return err
			}
		}
		if len(r.Present(proposer)) == 0 {
			return r.Conclude(ctx) // there is nothing to challenge
		}
		if _, err := r.Talk(ctx, debate.Phase{Name: "challenge", Task: challengeTask}, challengers...); err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			before := len(r.Ledger().Claims)
			if _, err := r.Talk(ctx, debate.Phase{Name: fmt.Sprintf("response %d", round), Task: rebuttalTask, Words: 200},
				proposer); err != nil {
				return err
			}
			refreshed := debate.Phase{Name: fmt.Sprintf("rebuttal %d", round), Task: refreshTask, Words: 200,
				Detail: func(string) string { return facts(r.Ledger()) }}
			if _, err := r.Talk(ctx, refreshed, challengers...); err != nil {
				return err
			}
			if r.Polled() || !evident(r.Ledger(), before) {
				break // only new evidence is worth another round
			}
		}
		return r.Conclude(ctx)
	},
})

// facts lists what code has found out about the claims so far.
func facts(l verdict.Ledger) string {
	var b strings.Builder
	b.WriteString("Since the challenge code has looked at the claims. What it found is fact; the rest is still opinion:")
	n := 0
	for _, k := range slices.Backward(l.Checks) {
		if k.Result == verdict.Skipped || n == 20 {
			continue
		}
		n++
		where := ""
		if k.Proof != nil && k.Proof.File != "" {
			where = fmt.Sprintf(" at %s:%d", k.Proof.File, k.Proof.Line)
		}
		fmt.Fprintf(&b, "\n- %s: %s %s%s", k.Claim, k.Kind, k.Result, where)
	}
	if n == 0 {
		return "Code found nothing to check in the claims so far: name a file and a literal line."
	}
	return b.String()
}

// evident reports whether one of the claims after the first known ones has a quote that was found.
func evident(l verdict.Ledger, known int) bool {
	return slices.ContainsFunc(l.Claims[min(known, len(l.Claims)):], func(c verdict.Claim) bool { return l.Passed(c.ID, "quote") })
}
