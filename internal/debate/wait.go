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
func (p *peopleInput) askPerson(ctx context.Context, point string) error {
	if !p.room.Attended || p.room.journal.Sealed || len(p.ledger.Options) < 2 || p.ledger.Ruling != nil || p.room.time.endedBy() != nil ||
		p.room.journal.noted("alone/"+point) {
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
	return p.askAttending(ctx, need, p.room.time.remaining(), func(message people.Message) bool {
		return message.Verb == people.Go || message.Verb == people.Answer || message.Verb == people.Choose && p.ledger.Ruling != nil
	})
}

// longestPause is how long a room that nobody attends rests at most if it has no time limit. Else it is half of what is left.
const longestPause = 10 * time.Minute

// pause rests until a person goes on. While somebody attends the room's clock stands still.
func (p *peopleInput) pause(ctx context.Context, point string) error {
	over := func(message people.Message) bool { return message.Verb == people.Go || message.Verb == people.Answer }
	if !p.room.Attended { // nobody may ever come back: the room's own time goes on
		return p.wait(ctx, point, cmp.Or(p.room.time.remaining()/2, longestPause), "the pause ended: no one is at a terminal to resume",
			over)
	}
	since := time.Now()
	defer func() { p.room.time.began = p.room.time.began.Add(time.Since(since)) }()
	return p.wait(ctx, point, 0, "", over)
}

// askAttending asks whoever attends, once, and waits for a message that ends it, at most so long; 0: as long as it takes. The room's
// time goes on meanwhile.
func (p *peopleInput) askAttending(ctx context.Context, need people.Need, most time.Duration, ends func(people.Message) bool) error {
	if most > 0 {
		need.Text += " (you have " + inWords(most) + ")"
	}
	if _, asked := journal.Happened(p.room.journal.Book, people.NeedKind, need.Key); !asked {
		if err := p.room.journal.Add(ctx, people.NeedKind.New(p.room.journal.parent(), "code", need)); err != nil {
			return err
		}
	}
	return p.wait(ctx, need.Key, most, "a person was asked and did not answer within "+inWords(most), ends)
}

// inWords is a span as people say it.
func inWords(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// wait waits for a message that ends it, applying all others, at most so long; then it notes why. 0: there is no limit.
// A pause within a pause changes nothing.
func (p *peopleInput) wait(ctx context.Context, point string, most time.Duration, why string, ends func(people.Message) bool) error {
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
				return p.room.journal.note(ctx, "alone/"+point, why)
			case <-p.room.Interrupt:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if t.Message.Verb == people.Pause || p.room.journal.isApplied(t.ID) {
			continue
		}
		if err := p.applyOne(ctx, point, t); err != nil || ends(t.Message) {
			return err
		}
	}
}
