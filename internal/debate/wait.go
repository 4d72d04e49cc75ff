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

// askPerson asks an attending person to choose if the panel reached no decision, and waits for the answer. A room that nobody
// attends, or that an objection blocks, asks nobody.
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

// longestPause limits a pause in a room that nobody attends and that has no time limit. With a time limit, half of the remaining time
// is the limit.
const longestPause = 10 * time.Minute

// pause waits until a person resumes. While somebody attends, the room's clock stops.
func (p *peopleInput) pause(ctx context.Context, point string) error {
	over := func(message people.Message) bool { return message.Verb == people.Go || message.Verb == people.Answer }
	if !p.room.Attended { // nobody may ever resume it: the room's time runs on
		return p.wait(ctx, point, cmp.Or(p.room.time.remaining()/2, longestPause), "the pause ended: no one is at a terminal to resume",
			over)
	}
	since := time.Now()
	defer func() { p.room.time.began = p.room.time.began.Add(time.Since(since)) }()
	return p.wait(ctx, point, 0, "", over)
}

// askAttending asks an attending person, once, and waits for a message that ends the wait. most limits the wait; 0: no limit. The
// room's time runs on meanwhile.
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

// inWords writes a duration for people.
func inWords(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// wait waits for a message that ends it and applies all others. most limits the wait, 0: no limit; at the limit it notes why. A pause
// within a pause changes nothing.
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
