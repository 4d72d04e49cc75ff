package strategy

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
)

//go:embed prompt/discuss.md
var discussTask string

// roundtable has the seats talk in rounds, in which each openly agrees, objects or adds, until they reach consensus.
var _ = register(debate.Strategy{
	Name: "roundtable",
	Doc:  "open rounds of AGREE, OBJECT or ADD until most agree and none objects; then votes",
	When: "To see whether a panel can be brought to agree, and what stands in the way. Seats that hear each other agree too easily: " +
		"consensus is not proof.",
	Least: 2, Rounds: 3, Explores: true,
	Turns: func(rounds int) (int, int) { return 3, 2 + rounds },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		if _, err := r.Talk(ctx, debate.Phase{Name: "seed", Task: proposalTask, Blind: true}, r.Seats...); err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			turns, err := r.Talk(ctx, debate.Phase{Name: fmt.Sprintf("%d", round), Task: discussTask, Words: 200, Leans: true}, r.Seats...)
			if err != nil {
				return err
			}
			if option := consensus(turns, len(r.Seats)); option != "" {
				if err := r.Note(ctx, "consensus", fmt.Sprintf("consensus on %s in round %d: most seats agree and none objects", option,
					round)); err != nil {
					return err
				}
				break
			}
			if r.Polled() {
				break
			}
		}
		return r.Conclude(ctx)
	},
})

// consensus returns the option that most of all seats agree to, while none objects or names another; empty: there is none. A seat
// that only adds, or did not speak, does not agree.
func consensus(turns []debate.Turn, seats int) string {
	option, agreed := "", 0
	for _, t := range turns {
		leans, position, spoke := t.Leaning()
		if spoke && leans != "" {
			if option != "" && option != leans {
				return ""
			}
			option = leans
		}
		switch position {
		case verdict.Object:
			return ""
		case verdict.Agree:
			agreed++
		}
	}
	// Of all seats, not only of those that spoke: silence is no consent.
	if 2*agreed > seats {
		return option
	}
	return ""
}
