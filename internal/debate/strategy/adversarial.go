package strategy

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/debate"
)

//go:embed prompt/case.md
var caseTask string

//go:embed prompt/answer.md
var answerTask string

// adversarial makes pairs argue, one seat for an option and one against it; at the end all vote freely.
var _ = register(debate.Strategy{
	Name: "adversarial",
	Doc:  "pairs argue for and against each option and rebut; then all seats vote freely",
	When: "To hear the best case for and against each option, especially the one nobody dares to attack. Two seats form one pair, on " +
		"the first option; a leftover seat reads and votes. Arguments are assigned; only the final votes are beliefs.",
	Least: 2, Explores: true,
	Turns: func(int) (int, int) { return 1, 3 },
	Run: func(ctx context.Context, r *debate.Room) error {
		if open, err := r.Settle(ctx); open || err != nil {
			return err
		}
		sides, options := sidesOf(r), r.Ledger().Options
		if argued := len(sides) / 2; argued < len(options) {
			var rest []string
			for _, o := range options[argued:] {
				rest = append(rest, o.Key)
			}
			if err := r.Note(ctx, "sides", fmt.Sprintf("%d seats form only %d of %d pairs: nobody argued for or against %s",
				len(r.Seats), argued, len(options), strings.Join(rest, ", "))); err != nil {
				return err
			}
		}
		var seats []debate.Seat
		told := map[string]side{}
		for _, s := range sides {
			seats, told[s.seat.Info.ID] = append(seats, s.seat), s
			// From now on it argues its assigned side, which is not what it leans to.
			r.Assign(s.seat.Info.ID, s.word()+" "+s.option)
		}
		for _, ph := range []debate.Phase{{Name: "opening", Task: caseTask, Blind: true},
			{Name: "rebuttal", Task: answerTask, Words: 200}} {
			ph.Detail = func(seat string) string { return arguing(r, told[seat]) }
			if _, err := r.Talk(ctx, ph, seats...); err != nil {
				return err
			}
		}
		return r.Conclude(ctx)
	},
})

// side is a seat's assigned side, and the seat that argues the opposite.
type side struct {
	seat, other debate.Seat
	pro         bool
	option      string
}

func (s side) word() string {
	if s.pro {
		return "for"
	}
	return "against"
}

// sidesOf makes a pair for each option, or for the first ones if there are too few seats, and returns both sides of each. As long as
// two lineages have seats left, a pair comes from two, beginning with the lineage that has most. The seed draws who takes which side.
func sidesOf(r *debate.Room) (out []side) {
	seats, draw := slices.Clone(r.Seats), r.Draw("sides")
	draw.Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	for _, o := range r.Ledger().Options {
		if len(seats) < 2 {
			break
		}
		left := map[string]int{}
		for _, s := range seats {
			left[s.Info.Lineage]++
		}
		slices.SortStableFunc(seats, func(a, b debate.Seat) int { return left[b.Info.Lineage] - left[a.Info.Lineage] })
		// Another lineage if there is one, else the next seat.
		i := max(1, slices.IndexFunc(seats, func(s debate.Seat) bool { return s.Info.Lineage != seats[0].Info.Lineage }))
		pro, con := seats[0], seats[i]
		if draw.IntN(2) == 1 {
			pro, con = con, pro
		}
		out = append(out, side{pro, con, true, o.Key}, side{con, pro, false, o.Key})
		seats = slices.Delete(seats, i, i+1)[1:]
	}
	return out
}

// arguing tells a seat its side.
func arguing(r *debate.Room, s side) string {
	told, opposite := "You argue "+s.word()+" option "+s.option+", as well as the evidence allows.", side{pro: !s.pro}.word()
	if len(r.Present(s.other)) == 0 {
		return told + " Nobody made the case " + opposite + " it: examine yours as hard as an opponent would."
	}
	return told + " " + r.Peer(s.other.Info.ID) + " argues " + opposite + " it."
}
