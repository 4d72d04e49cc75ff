package debate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tree"
)

// turn gets one seat's answer: from the record if it has one, else from the model. It records the seat's steps as they happen; the
// caller records the reply.
func (q *asker) turn(ctx context.Context, s Seat, act exchange.Act, name string, prompt Prompt, history []llm.Message) Turn {
	t := Turn{Reply: exchange.Reply{Key: key(act, name, s.Info.ID), Seat: s.Info.ID, Act: act}}
	if known, ok := q.known(t.Key); ok {
		t.Reply = known
		if t.Answer, t.recordErr = q.room.journal.Open(ctx, known.Text); t.recordErr == nil && q.room.journal.Sealed {
			t.recordErr = q.checkOptions(ctx, t.Key, prompt)
		}
		return t
	}
	if q.room.journal.Sealed {
		t.recordErr = fmt.Errorf("%s: %w", t.Key, journal.ErrNotRecorded)
		return t
	}
	// Only before a turn: a seat that is dropped during its turn is ended by its clock.
	if q.room.people.dropped[s.Info.ID] {
		t.State, t.Reason = exchange.Dropped, errDropped.Error()
		return t
	}
	if why := q.room.time.endedBy(); why != nil {
		t.State, t.Reason = exchange.NotAsked, why.Error()
		return t
	}
	if s.Refused != "" {
		t.State, t.Kind, t.Reason = exchange.NotAsked, exchange.NoCopyKind, clean.OneLine(s.Refused, 300)
		return t
	}
	start := time.Now()
	run := &turnRun{room: q.room, seat: s, prompt: prompt, turn: &t, history: history}
	run.resume()
	if err := run.answer(ctx); err != nil && t.recordErr == nil {
		t.State, t.Kind, t.Reason = classify(ctx, err)
		t.Reason = clean.OneLine(t.Reason, 300)
	}
	t.Lost = t.Lost.Add(run.lostCall)
	if s.Wrote != nil && t.State != exchange.NotAsked {
		if paths, err := s.Wrote(ctx); err == nil && len(paths) > 0 {
			t.Wrote = paths
			t.State, t.Reason = exchange.Wrote, "changed "+clean.OneLine(strings.Join(paths, ", "), 200)
		}
	}
	t.MS = time.Since(start).Milliseconds()
	return t
}

// turnRun is a running turn. It belongs to one goroutine.
type turnRun struct {
	room     *Room
	seat     Seat
	prompt   Prompt
	turn     *Turn
	question tree.ID
	history  []llm.Message
	repairs  int        // repairs asked for so far
	lostCall cost.Usage // of a call whose end is unknown, until another replaces it
}

// resume finds the recorded question, and the steps that a crashed process left under it.
func (u *turnRun) resume() {
	node, steps, earlier := u.room.journal.asked(u.turn.Key)
	u.question = node.ID
	calling := earlier // the end of that process's last call is unknown
	for _, s := range steps {
		u.add(s)
		calling = earlier && (s.Anew || len(s.Messages) > 0 && s.Messages[len(s.Messages)-1].Role == llm.User)
		if len(s.Messages) > 0 && s.Messages[0].Role == llm.Assistant {
			u.turn.Calls++
		}
	}
	if calling {
		u.lostCall = meter.Unfinished(u.seat.Model.Info(), u.agent(context.Background()).Request(u.history))
	}
}

// add adds a step to the turn.
func (u *turnRun) add(s exchange.Step) {
	u.history = append(u.history, s.Messages...)
	if len(s.Messages) == 0 {
		u.turn.Lost = u.turn.Lost.Add(s.Usage)
	} else {
		u.turn.Usage = u.turn.Usage.Add(s.Usage)
	}
	u.turn.Model, u.turn.Program = cmp.Or(s.Model, u.turn.Model), cmp.Or(s.Program, u.turn.Program)
	if s.Request != "" {
		u.turn.Requests = append(u.turn.Requests, s.Request)
	}
	if s.Repair() {
		u.repairs++
	}
}

// record adds a step to the turn and records it.
func (u *turnRun) record(ctx context.Context, s exchange.Step) error {
	u.add(s)
	if u.turn.recordErr = u.room.journal.Add(ctx, exchange.StepKind.New(u.question, u.seat.Info.ID, s)); u.turn.recordErr != nil {
		return u.turn.recordErr
	}
	return nil
}

// agent returns the agent that answers. Before its first call replaces a lost one, the lost one is recorded.
func (u *turnRun) agent(ctx context.Context) agent.Agent {
	a := agent.Agent{Name: u.seat.Info.ID, System: u.prompt.system(u.seat), Dir: u.seat.Dir, Model: u.seat.Model, Schema: u.prompt.Schema,
		MaxTokens: u.room.Frame.Limits.Longest(), Longest: maxReply, Effort: u.seat.Info.Effort,
		Session: u.room.Frame.Room + "/" + u.seat.Info.ID,
		Omits:   true, Effect: string(u.question)}
	if u.prompt.Reads {
		a.Tools, a.Calls = u.room.Tools, u.room.Frame.Limits.ToolCalls
	}
	if u.prompt.Aside != "" {
		a.Session += "~" + u.prompt.Aside
	}
	a.Over = func(req llm.Request, took cost.Usage) error {
		return u.room.budget.Over(u.seat.Model.Info(), req, took)
	}
	a.Reserve = func(req llm.Request) (func(cost.Usage), error) {
		u.turn.Calls++
		// Money first: a call that does not fit is not made, and the lost one stays unbooked until the next that fits.
		settle, err := u.room.budget.Reserve(u.seat.Model.Info(), req)
		if err == nil && u.lostCall != (cost.Usage{}) {
			err = u.record(ctx, exchange.Step{Usage: u.lostCall, Anew: true})
			u.lostCall = cost.Usage{}
		}
		return settle, err
	}
	return a
}

// answer runs the agent, and once more with the error if the reply cannot be used. A whole reply is on disk before anything is done
// about it, so that it is never paid for again.
func (u *turnRun) answer(ctx context.Context) error {
	ctx, stop := u.room.running.begin(ctx, u.seat.Info.ID, u.room.Frame.Limits.SeatTimeout)
	defer stop()
	for {
		end, err := u.finalAnswer(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause == errSeatTime || cause == errDropped {
				return cause
			}
			return err
		}
		var bad error
		// One repair: a seat that fails twice to write its ballot has none.
		if u.turn.parsed, bad = u.prompt.Parse(u.turn.Answer); bad != nil && u.repairs == 0 {
			end.Messages = append(end.Messages, llm.UserText(
				"Your reply cannot be used: "+bad.Error()+".\nReply again with the one JSON object and nothing else."))
			if err := u.record(ctx, end); err != nil {
				return err
			}
			continue
		}
		u.turn.State = exchange.Answered
		if bad != nil {
			u.turn.State, u.turn.Reason = exchange.Unusable, clean.OneLine("its reply cannot be used: "+bad.Error(), 300)
		}
		if u.seat.Wrote != nil && len(end.Messages) > 0 { // comparing its copy takes a while
			return u.record(ctx, end)
		}
		u.add(end)
		return nil
	}
}

// finalAnswer returns the final answer as a step that is not recorded yet; empty: an earlier process recorded it.
func (u *turnRun) finalAnswer(ctx context.Context) (exchange.Step, error) {
	if m := u.history[len(u.history)-1]; m.Role == llm.Assistant && len(m.Calls()) == 0 {
		u.turn.Answer = m.Text()
		return exchange.Step{}, nil
	}
	return u.runAgent(ctx)
}

// runAgent runs the agent once. It returns the final answer as a step that is not recorded yet. On failure the turn keeps the text so
// far.
func (u *turnRun) runAgent(ctx context.Context) (end exchange.Step, err error) {
	var text strings.Builder
	u.watch(Progress{Ask: u.question, State: "thinking"})
	for step, err := range u.agent(ctx).Run(ctx, u.history) {
		if err != nil {
			if text.Len() > 0 {
				u.turn.Answer = clean.Short(text.String(), maxReply)
			}
			u.turn.cutUsage = agent.Took(err)
			u.turn.Usage = u.turn.Usage.Add(u.turn.cutUsage)
			return end, err
		}
		switch {
		case step.Called != nil:
			text.Reset()
			if err := u.record(ctx, answered(step.Called, step.Usage)); err != nil {
				return end, err
			}
		case step.Exchange != nil:
			if err := u.record(ctx, exchange.Step{Messages: step.Exchange[1:]}); err != nil {
				return end, err
			}
		case step.End != nil:
			u.turn.Answer = step.End.Message.Text()
			end = answered(step.End, step.Usage)
			if err := step.End.Whole(); err != nil {
				u.add(end)
				return end, err
			}
			return end, nil
		case step.Delta != nil:
			if r := step.Delta.Retry; r != nil && r.Void {
				text.Reset()
			}
			text.WriteString(step.Delta.Text)
			u.watch(progress(u.question, step.Delta, text.String()))
		}
	}
	return end, &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"}
}

func (u *turnRun) watch(p Progress) {
	if u.room.Watch != nil {
		u.room.Watch(u.seat.Info.ID, p)
	}
}

// answered returns an answer as a step.
func answered(end *llm.End, took cost.Usage) exchange.Step {
	return exchange.Step{Messages: []llm.Message{end.Message}, Usage: took, Model: end.Model, Request: end.Request, Program: end.Program}
}

func progress(ask tree.ID, d *llm.Delta, text string) Progress {
	p := Progress{Ask: ask, State: "writing", Text: text, Tokens: len(text) / 4}
	switch {
	case d.Retry != nil:
		p.State, p.Note = "waiting", d.Retry.Why()
	case d.Call != nil:
		p.State, p.Note = "reading", d.Call.Name+" "+clean.OneLine(cmp.Or(d.Call.Gist(), string(d.Call.Args)), 60)
	case d.Note != "":
		p.State, p.Note = "reading", clean.OneLine(d.Note, 80)
	case d.Think != "":
		p.State = "thinking"
	}
	return p
}

var errSeatTime = errors.New("timed out")

// timeKind is the recorded kind of failure of a seat that ran out of time.
const timeKind trouble.Kind = "time"

// classify returns how a failed turn is recorded. The context's cause comes first: an error that follows from it says less. What
// remains is the vendor's error.
func classify(ctx context.Context, err error) (exchange.State, trouble.Kind, string) {
	if e, ok := errors.AsType[*budget.Empty](err); ok {
		if e.During() { // its copy is compared
			return exchange.Broken, exchange.BudgetKind, err.Error()
		}
		return exchange.NotAsked, exchange.BudgetKind, err.Error()
	}
	if errors.Is(err, errDropped) {
		return exchange.Dropped, "", err.Error()
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupted):
		return exchange.Stopped, "", cause.Error()
	case errors.Is(cause, errTimeUp):
		return exchange.TimedOut, timeKind, cause.Error()
	case cause != nil:
		return exchange.Stopped, "", "the program was stopped"
	}
	if errors.Is(err, errSeatTime) || errors.Is(err, context.DeadlineExceeded) {
		return exchange.TimedOut, timeKind, errSeatTime.Error()
	}
	e := trouble.As(err)
	if e.Kind == trouble.Network && errors.Is(err, context.Canceled) {
		return exchange.TimedOut, timeKind, errSeatTime.Error()
	}
	return exchange.Broken, e.Kind, e.Message
}

// checkOptions returns an error if a record's options differ from those that a seat was shown: its vote was for another text.
func (q *asker) checkOptions(ctx context.Context, key string, prompt Prompt) error {
	node, ok := journal.Happened(q.room.journal.Book, exchange.AskKind, key)
	asked, _ := exchange.AskKind.Of(node)
	if !ok || len(prompt.Labels) == 0 || asked.Prompt == "" {
		return nil
	}
	promptText, err := q.room.journal.Open(ctx, asked.Prompt)
	if err != nil {
		return err
	}
	shows := func(promptText, line string) bool { return strings.Contains("\n"+promptText+"\n", "\n"+line+"\n") }
	for label, option := range prompt.Labels {
		if line := label + ": " + q.room.ledger.Text(option); shows(prompt.Prompt, line) && !shows(promptText, line) {
			return fmt.Errorf("%w: %s was not offered %q", ErrDiffers, asked.Seat, line)
		}
	}
	return nil
}
