package debate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/llm/form"
)

// readyReply is a seat's answer to whether it can begin.
type readyReply struct {
	Ready bool   `json:"ready"`
	Lacks string `json:"lacks"`
}

// Ready asks every seat for a short answer before anything long is sent, so that a seat that cannot answer costs little.
func (r *Room) Ready(ctx context.Context) error {
	prompt := Prompt{Prompt: block("question", r.Frame.Question) + "\n" + block("task", page(readyPage)),
		Schema: form.Schema[readyReply](nil), Parse: func(text string) (any, error) {
			v, err := form.Object[readyReply](text, "ready")
			if err == nil && !v.Ready && strings.TrimSpace(v.Lacks) == "" {
				err = errors.New(`"ready" is false but "lacks" does not say what is missing`)
			}
			return v, err
		}}
	turns, err := r.Ask(ctx, exchange.Ready, "0", func(Seat) Prompt { return prompt }, r.Seats...)
	if err != nil {
		return err
	}
	var lacks []string
	answered := 0
	for _, t := range turns {
		reply, ok := t.parsed.(readyReply)
		if t.State != exchange.Answered || !ok {
			r.talks.absent[t.Seat] = t
			continue
		}
		if answered++; !reply.Ready {
			lacks = append(lacks, t.Seat+": "+clean.OneLine(reply.Lacks, 200))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return r.unready(ctx, lacks, answered)
}

const unreadyPoint = "readiness"

// unready handles seats that lack information. If most do, an attending person is asked for it; if nobody supplies anything, the
// debate continues without it, notes that, and its gate asks a person.
func (r *Room) unready(ctx context.Context, lacks []string, answered int) error {
	text := fmt.Sprintf("%d of %d seats lacked information: %s", len(lacks), answered, strings.Join(lacks, "; "))
	if 2*len(lacks) <= answered {
		return r.journal.note(ctx, unreadyPoint, text)
	}
	over := r.journal.noted(unreadyPoint)
	if err := r.people.apply(ctx, "before "+unreadyPoint, !over); err != nil { // earlier messages are no answer
		return err
	}
	if err := r.people.apply(ctx, unreadyPoint, false); err != nil {
		return err
	}
	if r.Attended && !over && !r.journal.Sealed && r.time.endedBy() == nil {
		need := people.Need{Key: unreadyPoint, Text: text + ". Send it to them, then continue with /go"}
		ends := func(message people.Message) bool { return message.Verb == people.Go || message.Verb == people.Answer }
		if err := r.people.askAttending(ctx, need, r.time.remaining()/2, ends); err != nil {
			return err
		}
	}
	told := slices.ContainsFunc(r.journal.appliedAt(unreadyPoint), func(applied people.Applied) bool {
		return !applied.Refused && (applied.Verb == people.Say || applied.Verb == people.Assert)
	})
	if told {
		return r.journal.note(ctx, unreadyPoint, text+". A person supplied more")
	}
	r.ledger.Lacks = lacks
	return r.journal.note(ctx, unreadyPoint, text+". Nobody supplied it, and the debate continued")
}
