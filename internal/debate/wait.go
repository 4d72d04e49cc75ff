package debate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/journal"
)

// turnToPerson asks whoever attends to choose where the panel came to no decision, and waits for the answer.
func (r *Room) turnToPerson(ctx context.Context, place string) error {
	if !r.Attended || r.book.Sealed || len(r.ledger.Options) < 2 || r.ledger.Ruling != nil || r.closed() != nil || r.book.noted("alone/"+place) {
		return nil
	}
	v := verdict.Decide(r.ledger, r.Frame.Rules)
	if v.Outcome.Decision() || len(v.Blocked) > 0 {
		return nil
	}
	need := Need{Key: place, Text: v.Reason + ". Choose with /choose, or leave it undecided with /go"}
	for _, o := range r.ledger.Options {
		need.Options = append(need.Options, o.Key+": "+o.Text)
	}
	return r.call(ctx, need, r.left(), func(w Word) bool {
		return w.Verb == Go || w.Verb == Answer || w.Verb == Choose && r.ledger.Ruling != nil
	})
}

// restAlone is how long a room that nobody attends rests at most if it has no time limit. Else it is half of what is left.
const restAlone = 10 * time.Minute

// pause rests until a person goes on. While somebody attends the room's clock stands still.
func (r *Room) pause(ctx context.Context, place string) error {
	over := func(w Word) bool { return w.Verb == Go || w.Verb == Answer }
	if !r.Attended { // nobody may ever come back: the room's own time goes on
		return r.rest(ctx, place, cmp.Or(r.left()/2, restAlone), "a pause ended by itself: nobody is at a terminal", over)
	}
	since := time.Now()
	defer func() { r.began = r.began.Add(time.Since(since)) }()
	return r.rest(ctx, place, 0, "", over)
}

// call asks whoever attends, once, and waits for a word that ends it, at most so long; 0: as long as it takes. The room's
// time goes on meanwhile.
func (r *Room) call(ctx context.Context, need Need, most time.Duration, ends func(Word) bool) error {
	if most > 0 {
		need.Text += fmt.Sprintf(" (you have %s)", most.Round(time.Second))
	}
	if _, asked := journal.Happened(r.book.Book, NeedKind, need.Key); !asked {
		if err := r.book.Add(ctx, NeedKind.New(r.book.parent(), "code", need)); err != nil {
			return err
		}
	}
	return r.rest(ctx, need.Key, most, fmt.Sprintf("a person was asked and did not answer within %s", most.Round(time.Second)), ends)
}

// left is the room's time that is left; 0: there is none, or no limit.
func (r *Room) left() time.Duration { return max(0, r.Frame.Limits.Timeout-r.elapsed()) }

// rest waits for a word that ends it, heeding all others, at most so long; then it notes why. 0: there is no limit.
func (r *Room) rest(ctx context.Context, place string, most time.Duration, why string, ends func(Word) bool) error {
	var alone <-chan time.Time
	if most > 0 {
		alone = time.After(most)
	}
	for {
		t, ok := r.next()
		if !ok {
			select {
			case t = <-r.Words:
			case <-alone:
				return r.book.note(ctx, "alone/"+place, why)
			case <-r.Interrupt:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if t.Word.Verb == Pause || r.book.heeded(t.ID) {
			continue
		}
		if err := r.attend(ctx, place, t); err != nil || ends(t.Word) {
			return err
		}
	}
}
