package eval

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/socrates-cli/socrates/internal/eval"
	"github.com/socrates-cli/socrates/internal/learn"
)

// learn returns the accuracies learned from this many questions with known outcomes. The questions are drawn for that
// alone, like earlier debates of the panel.
func (s *simulateFlags) learn(w eval.World, rng *rand.Rand) []float64 {
	now := time.Unix(0, 0) // all at the same time: nothing fades
	var told []learn.Told
	for i := range s.outcomes {
		it := w.Draw(rng)
		lesson := learn.Lesson{Room: strconv.Itoa(i), Truth: eval.Key(it.Truth)}
		for j, v := range it.Votes {
			if v >= 0 {
				lesson.Seats = append(lesson.Seats, learn.Vote{Model: w.Seats[j].Name, Lineage: w.Seats[j].Lineage, Option: eval.Key(v)})
			}
		}
		told = append(told, learn.Told{Lesson: lesson, At: now})
	}
	k := learn.Gather(told, nil, now)
	known := make([]float64, len(w.Seats))
	for j, seat := range w.Seats {
		// Too few outcomes leave the default, as in a debate.
		known[j] = k.Counted(seat.Name, "")
	}
	return known
}
