package debate

import (
	"context"
	"fmt"
	"github.com/socrates-cli/socrates/debate/verdict"
)

// roundtable lets the seats talk in rounds, each round openly agreeing, objecting or adding, until they are of one mind.
var roundtable = Strategy{
	Name:  "roundtable",
	Doc:   "open rounds of AGREE, OBJECT or ADD until most agree and none objects; then votes",
	When:  "To see whether a panel can be brought to agree, and what stands in the way. Seats that hear each other agree too easily: consensus is not proof.",
	Least: 2, Rounds: 3, Explores: true,
	Turns: func(rounds int) (int, int) { return 3, 2 + rounds },
	Run: func(ctx context.Context, r *Room) error {
		if open, err := r.settleOptions(ctx); open || err != nil {
			return err
		}
		if _, err := r.talk(ctx, phase{name: "seed", task: "proposal", blind: true}, r.Seats...); err != nil {
			return err
		}
		for round := 1; round <= max(1, r.Frame.Limits.Rounds); round++ {
			turns, err := r.talk(ctx, phase{name: fmt.Sprintf("%d", round), task: "discuss", words: 200, leans: true}, r.Seats...)
			if err != nil {
				return err
			}
			if option := r.consensus(turns); option != "" {
				if err := r.book.note(ctx, "consensus", fmt.Sprintf("consensus on %s in round %d: most seats agree and none objects", option, round)); err != nil {
					return err
				}
				break
			}
			if r.talks.voteNow {
				break
			}
		}
		return r.conclude(ctx)
	},
}

// consensus is the option that most of all seats agree to, while none objects and none names another. It is empty if
// there is none: who only adds, or did not speak, does not agree.
func (r *Room) consensus(turns []Turn) string {
	option, agreed := "", 0
	for _, t := range turns {
		st, ok := t.parsed.(statement)
		if t.State != Answered || !ok {
			continue
		}
		if _, known := t.Labels[st.Option]; known {
			if option != "" && option != st.Option {
				return ""
			}
			option = st.Option
		}
		switch st.Position {
		case string(verdict.Object):
			return ""
		case string(verdict.Agree):
			agreed++
		}
	}
	if 2*agreed > len(r.Seats) {
		return option
	}
	return ""
}
