package strategy_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/rehearsal"
	"github.com/socrates-cli/socrates/internal/tree"
)

// devil is a strategy of one's own: all seats say what they think, one takes the other side, then all vote. It stands on what a room
// exports. To offer it to everybody, put it into a file of this package and register it, as the others are.
var devil = debate.Strategy{
	Name:  "devil",
	Doc:   "one seat objects to whatever the others said; then votes",
	When:  "To hear the objection nobody would make.",
	Least: 2, Explores: true,
	Turns: func(int) (int, int) { return 2, 3 },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		if _, err := r.Talk(ctx, debate.Phase{Name: "opening", Task: "Say which option you would take, and why.", Blind: true}, r.Seats...); err != nil {
			return err
		}
		seats := r.Present(r.Seats...)
		if len(seats) > 0 {
			one := seats[r.Draw("devil").IntN(len(seats))]
			if _, err := r.Talk(ctx, debate.Phase{Name: "objection", Task: "Object to what most of the others said.", Words: 200}, one); err != nil {
				return err
			}
		}
		return r.Conclude(ctx)
	},
}

// The room records all that is asked and answered, so what it came to can be computed again from its nodes.
func Example() {
	frame := table.Frame{Room: "lunch", Question: "Is a cache worth it?", Strategy: devil.Name, Rules: verdict.DefaultRules(), Seed: 1,
		Options: motion.Letters([]string{"cache", "no cache"}), Limits: table.Limits{Rounds: 1}}
	room := &debate.Room{Frame: frame, Context: "The page is read ten times as often as it is written."}
	for _, model := range rehearsal.Panel() {
		id := model.Info().ID
		room.Seats = append(room.Seats, debate.Seat{Model: model, Info: table.Seat{ID: id, Spec: id, Lineage: model.Info().Lineage}})
	}
	var texts sync.Map
	journal := journal.Journal{
		Append: func(_ context.Context, nodes ...tree.Node) ([]tree.Node, error) { return nodes, nil },
		Put: func(_ context.Context, text string) (string, error) {
			hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
			texts.Store(hash, text)
			return hash, nil
		},
		Text: func(_ context.Context, hash string) (string, error) {
			text, _ := texts.Load(hash)
			return text.(string), nil
		},
	}
	if err := room.Run(context.Background(), journal, devil); err != nil {
		fmt.Println(err)
	}
	for _, said := range room.Ledger().Talk {
		fmt.Println(said.Phase, "by", said.Seat)
	}
	fmt.Println(len(room.Ledger().Votes), "votes:", verdict.Decide(room.Ledger(), frame.Rules).Outcome)
	// Output:
	// opening by rehearsal-reader
	// opening by rehearsal-librarian
	// opening by rehearsal-skeptic
	// objection by rehearsal-skeptic
	// 3 votes: abstain
}
