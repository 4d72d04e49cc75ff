package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// moderation is what a moderator finds in the versions. It steers the talk and never the verdict.
type moderation struct {
	Score       float64 `json:"score"`
	Divergences []struct {
		About  string   `json:"about"`
		Impact int      `json:"impact"`
		Claims []string `json:"claims"`
	} `json:"divergences"`
}

// Moderators returns the present seats in the order in which they are asked to moderate: the one a person named, then in random
// order.
func (r *Room) Moderators(purpose string) []Seat {
	seats := r.Present(r.Seats...)
	r.Draw(purpose).Shuffle(len(seats), func(i, j int) { seats[i], seats[j] = seats[j], seats[i] })
	if at := slices.IndexFunc(seats, func(s Seat) bool { return s.Info.ID == r.Frame.Moderator }); at > 0 {
		seats[0], seats[at] = seats[at], seats[0]
	}
	return seats
}

// Moderate asks one seat how close the last statements of all are, from 0 to 1, and where they differ; if that fails, it asks one
// more. Both attempts stay in the record. ok is false if both failed: then the strategy depends on its rounds alone.
func (r *Room) Moderate(ctx context.Context, round int) (score float64, differ []string, ok bool, err error) {
	seats := r.Moderators("moderator")
	versions := r.talks.said[max(0, len(r.talks.said)-len(seats)):]
	prompt := Prompt{Prompt: block("question", r.Frame.Question) + "\n" + block("versions", jsonLines(versions)) + "\n" +
		block("task", page(moderatePage)),
		// the moderator argues for no version, not even its own
		Schema: form.Schema[moderation](moderationValues()), Parse: parseModeration, Aside: fmt.Sprint("moderator-", round)}
	for _, s := range seats[:min(2, len(seats))] {
		turns, err := r.Ask(ctx, exchange.Moderate, fmt.Sprint(round), func(Seat) Prompt { return prompt }, s)
		if err != nil {
			return 0, nil, false, err
		}
		if m, fine := turns[0].parsed.(moderation); fine && turns[0].State == exchange.Answered {
			for _, d := range m.Divergences {
				differ = append(differ, clean.OneLine(d.About, 200))
			}
			return m.Score, differ, true, nil
		}
	}
	return 0, nil, false, nil
}

func parseModeration(text string) (any, error) {
	m, err := form.Object[moderation](text, "score")
	if err == nil && !(m.Score >= 0 && m.Score <= 1) {
		err = errors.New(`"score" is not a number from 0 to 1`)
	}
	if err == nil && m.Score < 1 && len(m.Divergences) == 0 {
		err = errors.New(`"score" is below 1 but "divergences" names none`)
	}
	return m, err
}
