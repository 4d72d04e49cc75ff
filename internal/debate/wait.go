package debate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/journal"
)

// askPerson asks whoever attends to choose where the panel came to no decision, and waits for the answer.
// A room that was asked for by a program, or that a danger blocks, asks nobody.
func (p *attention) askPerson(ctx context.Context, point string) error {
	if !p.room.Attended || p.room.book.Sealed || len(p.ledger.Options) < 2 || p.ledger.Ruling != nil || p.room.time.closed() != nil ||
		p.room.book.noted("alone/"+point) {
		return nil
	}
	v := verdict.Decide(p.ledger.Ledger, p.room.Frame.Rules)
	if v.Outcome.Decision() || len(v.Blocked) > 0 {
		return nil
	}
	need := people.Need{Key: point, Text: v.Reason + ". Choose an option, or leave it undecided with /go"}
	for _, o := range p.ledger.Options {
		need.Options = append(need.Options, o.Key+": "+o.Text)
	}
	return p.call(ctx, need, p.room.time.left(), func(w people.Message) bool {
		return w.Verb == people.Go || w.Verb == people.Answer || w.Verb == people.Choose && p.ledger.Ruling != nil
	})
}

// restAlone is how long a room that nobody attends rests at most if it has no time limit. Else it is half of what is left.
const restAlone = 10 * time.Minute

// pause rests until a person goes on. While somebody attends the room's clock stands still.
func (p *attention) pause(ctx context.Context, point string) error {
	over := func(w people.Message) bool { return w.Verb == people.Go || w.Verb == people.Answer }
	if !p.room.Attended { // nobody may ever come back: the room's own time goes on
		return p.rest(ctx, point, cmp.Or(p.room.time.left()/2, restAlone), "the pause ended: no one is at a terminal to resume", over)
	}
	since := time.Now()
	defer func() { p.room.time.began = p.room.time.began.Add(time.Since(since)) }()
	return p.rest(ctx, point, 0, "", over)
}

// call asks whoever attends, once, and waits for a message that ends it, at most so long; 0: as long as it takes. The room's
// time goes on meanwhile.
func (p *attention) call(ctx context.Context, need people.Need, most time.Duration, ends func(people.Message) bool) error {
	if most > 0 {
		need.Text += " (you have " + inWords(most) + ")"
	}
	if _, asked := journal.Happened(p.room.book.Book, people.NeedKind, need.Key); !asked {
		if err := p.room.book.Add(ctx, people.NeedKind.New(p.room.book.parent(), "code", need)); err != nil {
			return err
		}
	}
	return p.rest(ctx, need.Key, most, "a person was asked and did not answer within "+inWords(most), ends)
}

// inWords is a span as people say it.
func inWords(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// rest waits for a message that ends it, applying all others, at most so long; then it notes why. 0: there is no limit.
// A pause within a pause changes nothing.
func (p *attention) rest(ctx context.Context, point string, most time.Duration, why string, ends func(people.Message) bool) error {
	var alone <-chan time.Time
	if most > 0 {
		alone = time.After(most)
	}
	for {
		t, ok := p.next()
		if !ok {
			select {
			case t = <-p.room.Messages:
			case <-alone:
				return p.room.book.note(ctx, "alone/"+point, why)
			case <-p.room.Interrupt:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if t.Message.Verb == people.Pause || p.room.book.isApplied(t.ID) {
			continue
		}
		if err := p.attend(ctx, point, t); err != nil || ends(t.Message) {
			return err
		}
	}
}
