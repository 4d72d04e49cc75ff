package debate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Prompt is what one seat is asked. Parse may be called from a goroutine other than the prompt's, and reads nothing from the room.
type Prompt struct {
	System string // empty: the panel's
	Prompt string
	Labels map[string]string              // from what the seat sees to what it means
	Schema json.RawMessage                // of the reply
	Parse  func(text string) (any, error) // reads a reply; an error means that it cannot be used
	Reads  bool                           // the seat may read the project
	Aside  string                         // names a separate conversation, which leaves no trace in the seat's; empty: the seat's
	Peers  []string                       // the seats whose claims this seat is shown
}

// Turn is a seat's answer to a Prompt: the recorded reply and its text. State tells whether there is an answer: only an Answered one
// counts. Labels are those of the prompt.
type Turn struct {
	exchange.Reply
	Answer    string
	Labels    map[string]string
	Peers     []string
	parsed    any // what the prompt's Parse returned for the answer; nil: it cannot be used
	prompt    string
	recordErr error      // the record could not be written
	cutUsage  cost.Usage // of the call that failed
}

// asker asks the seats.
type asker struct {
	room   *Room
	memory map[string][]llm.Message // each seat's conversation so far
}

// Ask asks seats in parallel and returns their turns in the order of seats, once all are in, failed, or were given up. What is
// already recorded for the same act and name is not asked again. With three seats or more, when all but one are in, it waits for the
// last only for the grace period; an answer after that is recorded as an addendum. prompt is called for all seats at once, and must
// only read.
func (r *Room) Ask(ctx context.Context, act exchange.Act, name string, prompt func(Seat) Prompt, seats ...Seat) ([]Turn, error) {
	if act != exchange.Verify && len(seats) > 0 { // judges get no messages from people
		point := key(act, name, seats[0].Info.ID)
		if err := r.people.apply(ctx, point, !r.journal.passed(point)); err != nil {
			return nil, err
		}
	}
	// What people say from here on goes with the next question.
	told := len(r.people.asides)
	prompts := r.asks.prompts(act, prompt, seats)
	if err := r.asks.recordQuestions(ctx, act, name, prompts, seats); err != nil {
		return nil, err
	}
	// Seats that were given up run on after end; Run waits for them.
	results, end := r.asks.send(ctx, act, name, prompts, seats)
	defer end()
	turns, err := r.asks.collect(ctx, act, name, seats, results)
	if err != nil {
		return nil, err
	}
	// A judge's reply is remembered like any other, so a seat that judges twice sees what it said.
	for i, t := range turns {
		if r.asks.halts(t.Reply) {
			return nil, &Halted{t.Reply}
		}
		if t.State == exchange.Answered && prompts[i].Aside == "" {
			r.asks.remember(seats[i].Info.ID, t)
			if act != exchange.Verify {
				r.people.told[t.Seat] = told
			}
		}
	}
	return turns, nil
}

// prompts builds each seat's prompt, with what people said since it was last asked.
func (q *asker) prompts(act exchange.Act, prompt func(Seat) Prompt, seats []Seat) []Prompt {
	out := make([]Prompt, len(seats))
	var writing sync.WaitGroup
	for i, s := range seats {
		writing.Go(func() {
			if out[i] = prompt(s); act != exchange.Verify && out[i].Aside == "" {
				out[i].Prompt = q.room.people.asideFor(s.Info.ID) + out[i].Prompt
			}
		})
	}
	writing.Wait()
	return out
}

// arrived is a turn that is in, with the index of its seat.
type arrived struct {
	index int
	turn  Turn
}

// send asks all seats in parallel. end ends the round; seats that were given up outlive it.
func (q *asker) send(ctx context.Context, act exchange.Act, name string, prompts []Prompt, seats []Seat) (
	results chan arrived, end func(),
) {
	round, over := q.room.time.round(ctx)
	results = make(chan arrived, len(seats))
	stops := []func() bool{}
	for i, s := range seats {
		// A late seat outlives the round, so the round's end cancels it only until end is called.
		seatCtx, cancel := context.WithCancelCause(ctx)
		stops = append(stops, context.AfterFunc(round, func() { cancel(context.Cause(round)) }))
		prompt, history := prompts[i], q.history(s, prompts[i])
		q.room.running.wait.Go(func() {
			defer cancel(nil)
			t := q.turn(seatCtx, s, act, name, prompt, history)
			t.Labels, t.Peers, t.prompt = prompt.Labels, prompt.Peers, prompt.Prompt
			// A recorded reply is parsed again: what a reply means is computed and never stored.
			if t.State == exchange.Answered && t.parsed == nil { // it is from the record
				t.parsed, _ = prompt.Parse(t.Answer)
			}
			results <- arrived{i, t}
		})
	}
	return results, func() {
		for _, stop := range stops {
			stop()
		}
		over()
	}
}

// collect waits for the turns of a round and records them as they come in.
func (q *asker) collect(ctx context.Context, act exchange.Act, name string, seats []Seat, results chan arrived) ([]Turn, error) {
	turns := make([]Turn, len(seats))
	in := map[int]bool{}
	var grace <-chan time.Time
	var stopped error
	for len(in) < len(seats) {
		if len(seats) >= 3 && len(in) == len(seats)-1 && grace == nil && q.room.Frame.Limits.Grace > 0 {
			grace = time.After(q.room.Frame.Limits.Grace)
		}
		select {
		case t := <-q.room.Messages:
			q.room.people.receive(t)
		case d := <-results:
			var came []Turn
			for more := true; more; { // all that are in by now share a commit
				in[d.index] = true
				turns[d.index] = d.turn
				came = append(came, d.turn)
				select {
				case d = <-results:
				default:
					more = false
				}
			}
			// The record failed, or the room was stopped from outside.
			if err := q.recordReplies(ctx, came...); err != nil {
				if ctx.Err() == nil {
					return nil, err
				}
				stopped = err // the others end now, too; what they still answered is kept
			}
		case <-grace:
			for i, s := range seats {
				if !in[i] {
					in[i] = true
					turns[i] = q.lateTurn(s, act, name)
					if err := q.recordReplies(ctx, turns[i]); err != nil {
						return nil, err
					}
				}
			}
			q.room.running.wait.Go(func() { q.recordLate(ctx, (<-results).turn) })
		}
	}
	if stopped != nil {
		return nil, stopped
	}
	return turns, nil
}

func (prompt Prompt) system(s Seat) string { return cmp.Or(prompt.System, system(s.Info)) }

// known finds the recorded reply to a question, unless the room halted at it and asks again.
func (q *asker) known(key string) (exchange.Reply, bool) {
	reply, ok := journal.Recall(q.room.journal.Book, exchange.ReplyKind, key)
	return reply, ok && (q.room.journal.Sealed || !q.halts(reply))
}

func (q *asker) halts(reply exchange.Reply) bool { return q.room.Halt != nil && q.room.Halt(reply) }

// Halted is the error of a room that its Halt ended at a reply.
type Halted struct{ Reply exchange.Reply }

// Error names the seat and why it could not be asked.
func (h *Halted) Error() string {
	return fmt.Sprintf("seat %s could not be asked: %s", h.Reply.Seat, h.Reply.Reason)
}

// history returns what a seat is sent: its conversation so far and the new prompt.
func (q *asker) history(s Seat, prompt Prompt) []llm.Message {
	if prompt.Aside != "" {
		return []llm.Message{llm.UserText(prompt.Prompt)}
	}
	return append(slices.Clone(q.memory[s.Info.ID]), llm.UserText(prompt.Prompt))
}

// recordQuestions records the questions of a round in one commit before any is sent, with what each may cost. Those already recorded
// or answered stay as they are. The bound is the most a question can cost: after a crash it counts as spent until the cost is known.
func (q *asker) recordQuestions(ctx context.Context, act exchange.Act, name string, prompts []Prompt, seats []Seat) error {
	if q.room.journal.Sealed || q.room.time.endedBy() != nil {
		return nil
	}
	var nodes []tree.Node
	for i, s := range seats {
		k, prompt := key(act, name, s.Info.ID), prompts[i]
		if q.room.people.dropped[s.Info.ID] {
			continue
		}
		_, asked := journal.Happened(q.room.journal.Book, exchange.AskKind, k)
		_, replied := journal.Happened(q.room.journal.Book, exchange.ReplyKind, k)
		// Asked and not replied: a process ended in between, and its question is reused.
		if _, known := q.known(k); known || asked && !replied {
			continue
		}
		system, err := q.room.journal.Keep(ctx, prompt.system(s))
		if err != nil {
			return err
		}
		promptText, err := q.room.journal.Keep(ctx, prompt.Prompt)
		if err != nil {
			return err
		}
		usd, _ := budget.Bound(s.Model.Info(), llm.Request{System: prompt.system(s), Messages: q.history(s, prompt), Schema: prompt.Schema,
			MaxTokens: q.room.Frame.Limits.Longest()})
		nodes = append(nodes, exchange.AskKind.New(q.room.journal.parent(), "code", exchange.Asked{Key: k, Seat: s.Info.ID, Act: act,
			System: system, Prompt: promptText, Labels: prompt.Labels, USD: usd}))
	}
	if len(nodes) == 0 {
		return nil
	}
	return q.room.journal.Add(ctx, nodes...)
}

// recordReplies records turns in one commit, except those from the record. If one turn failed, the others are still recorded.
func (q *asker) recordReplies(ctx context.Context, turns ...Turn) (failed error) {
	var nodes []tree.Node
	for _, t := range turns {
		if t.recordErr != nil {
			failed = t.recordErr
			continue
		}
		if _, known := q.known(t.Key); known {
			continue
		}
		if ctx.Err() != nil && t.State != exchange.Answered && t.State != exchange.Unusable && t.State != exchange.Wrote {
			failed = context.Cause(ctx) // stopped from outside: a resumed room asks again
			if ask, ok := journal.Happened(q.room.journal.Book, exchange.AskKind, t.Key); ok && t.cutUsage != (cost.Usage{}) {
				nodes = append(nodes, exchange.StepKind.New(ask.ID, t.Seat, exchange.Step{Usage: t.cutUsage}))
			}
			continue
		}
		text, err := q.room.journal.Keep(ctx, t.Answer)
		if err != nil {
			failed = err
			continue
		}
		t.Text = text
		parent := q.room.journal.parent()
		if ask, ok := journal.Happened(q.room.journal.Book, exchange.AskKind, t.Key); ok {
			parent = ask.ID
		}
		nodes = append(nodes, exchange.ReplyKind.New(parent, t.Seat, t.Reply))
	}
	if len(nodes) > 0 {
		failed = cmp.Or(q.room.journal.Later(ctx, nodes...), failed)
	}
	return failed
}

// lateTurn is the turn of a seat that was waited for long enough without an answer.
func (q *asker) lateTurn(s Seat, act exchange.Act, name string) Turn {
	return Turn{Reply: exchange.Reply{Key: key(act, name, s.Info.ID), Seat: s.Info.ID, Act: act, State: exchange.Late,
		Reason: fmt.Sprintf("no answer %s after all others", q.room.Frame.Limits.Grace), MS: q.room.time.elapsed().Milliseconds()}}
}

// recordLate records what a late seat answered as an addendum. A late vote never counts; the others read a late statement in a talk
// from the next phase on.
func (q *asker) recordLate(ctx context.Context, t Turn) {
	if t.recordErr != nil || t.State != exchange.Answered && t.Took() == (cost.Usage{}) {
		return
	}
	text, err := q.room.journal.Keep(ctx, t.Answer)
	if err != nil {
		return
	}
	t.Text = text
	switch said := t.parsed.(type) {
	case ballot:
		t.Option = t.Labels[said.Option]
	case statement:
		t.Option = t.Labels[said.Option]
	}
	ask, ok := journal.Happened(q.room.journal.Book, exchange.AskKind, t.Key)
	if !ok {
		return
	}
	// The verdict does not depend on it, so a failure to record it is ignored.
	err = q.room.journal.Add(ctx, exchange.AddendumKind.New(ask.ID, t.Seat, t.Reply))
	if err == nil && t.Act == exchange.Talk && t.State == exchange.Answered {
		q.room.running.putLate(t.Reply)
	}
}

// remember appends a turn to the seat's conversation.
func (q *asker) remember(seat string, t Turn) {
	q.memory[seat] = append(q.memory[seat], llm.UserText(t.prompt), llm.AssistantText(t.Answer))
}

// Usable returns the seats that can still be asked: those that answered.
func (r *Room) Usable(turns []Turn) []Seat {
	var out []Seat
	for _, t := range turns {
		if s := r.seat(t.Seat); s != nil && t.State == exchange.Answered {
			out = append(out, *s)
		}
	}
	return out
}

// key names a question and its reply in the journal. It must be the same whenever the room runs over its record.
func key(act exchange.Act, name, seat string) string { return string(act) + "/" + name + "/" + seat }
