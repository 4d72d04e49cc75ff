package strategy

import (
	"context"
	_ "embed"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
)

//go:embed prompt/proposal.md
var proposalTask string

//go:embed prompt/critique.md
var critiqueTask string

//go:embed prompt/rebuttal.md
var rebuttalTask string

//go:embed prompt/synthesis.md
var synthesisTask string

// parallel has every seat write a proposal, criticize the others', and defend its own; one seat then writes a synthesis.
var _ = register(debate.Strategy{
	Name:  "parallel",
	Doc:   "proposals, critiques and rebuttals by all seats at once, a synthesis by one; then votes",
	When:  "To get a worked-out answer and its weak points, when the options are known but their consequences are not.",
	Least: 2, Explores: true, Moderated: true,
	Turns: func(int) (int, int) { return 4, 5 },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		for _, ph := range []debate.Phase{
			{Name: "proposal", Task: proposalTask, Blind: true},
			{Name: "critique", Task: critiqueTask},
			{Name: "rebuttal", Task: rebuttalTask, Words: 200},
		} {
			if _, err := r.Talk(ctx, ph, r.Seats...); err != nil {
				return err
			}
		}
		if err := drawTogether(ctx, r); err != nil {
			return err
		}
		return r.Conclude(ctx)
	},
})

// drawTogether has one seat write a synthesis of what was said; if it fails, one more tries.
func drawTogether(ctx context.Context, r *debate.Room) error {
	seats := r.Moderators("synthesis")
	for _, s := range seats[:min(2, len(seats))] {
		turns, err := r.Talk(ctx, debate.Phase{Name: "synthesis", Task: synthesisTask, Words: 400}, s)
		if err != nil || len(turns) > 0 && turns[0].State == exchange.Answered {
			return err
		}
	}
	return nil
}
