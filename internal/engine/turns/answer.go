package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/view"
)

// toolCalls is how many tools one turn may call; usually the loop guard or the person's limits end it sooner.
const toolCalls = 500

// answer runs the agent over the path. If the conversation becomes too long, it is summarized; if the model cannot
// answer, the fallback does. It may run the agent several times: after a summary, which begins a new run over a shorter
// path, and after the fallback has taken over. What one run recorded is part of the next run's path.
func (w *turn) answer(ctx context.Context) (llm.End, error) {
	w.allowance()
	// full counts how often the vendor said that a request is too long, so that summaries that do not help are not made forever.
	for full := 0; ; {
		path, err := w.lib.store.Path(ctx, w.here())
		if err != nil {
			return llm.End{}, err
		}
		path = view.Own(path)
		w.size.begin(path, w.model.Info().ID)
		end, err := w.runAgent(ctx, w.attachments.sendable(ctx, w.model.Info(), view.Messages(path)))
		if w.fallBack(ctx, end, err) {
			continue
		}
		var e *trouble.Error
		long := errors.As(err, &e) && e.Kind == trouble.Context
		if long {
			full++
		}
		if !long && !errors.Is(err, errLong) || full > 3 {
			return end, err
		}
		if path, err = w.lib.store.Path(ctx, w.here()); err != nil {
			return llm.End{}, err
		}
		switch lost := w.compact(ctx, view.Own(path)); {
		// The next round reads the path again, with the summary in it.
		case lost == nil:
			w.size.compacted()
		case ctx.Err() != nil:
			return llm.End{}, ctx.Err()
		case long:
			return llm.End{}, fmt.Errorf("the conversation does not fit the model's context window (%w); %w", e, lost)
		default: // it only exceeds the configured limit
			w.size.off = true
			if !errors.Is(lost, errNothing) {
				n := talk.Notice{Text: "continuing without a summary: " + lost.Error()}
				err = w.add(context.WithoutCancel(ctx), talk.NoticeKind.New("", "code", n))
			}
			if err != nil {
				return llm.End{}, err
			}
		}
	}
}

// agent makes the agent anew for each run, since the model may have changed.
func (w *turn) agent(ctx context.Context) agent.Agent {
	a := agent.Agent{Name: w.t.Name, System: w.system, Dir: w.dir, Model: w.model, Tools: w.tools, Calls: toolCalls,
		Turns: w.op.Limits.Turns, Schema: w.op.Schema, Effort: w.op.Effort, CacheKey: "tree/" + string(w.t.Root)}
	a.Patient = w.lib.wiring.Fallback == "" || w.lib.wiring.Fallback == w.spec // otherwise another model is asked soon
	a.Session = a.CacheKey + "/" + w.t.Branch
	a.LongestAnswer, a.Shared = w.answerLimit, w.shared
	// Whether a request is too long is decided here, before money is reserved for it.
	a.Reserve = func(req llm.Request) (func(cost.Usage), error) {
		if w.size.tooLong(req, w.model.Info(), w.lib.wiring.Compact) {
			return nil, errLong
		}
		// A call is counted when it is about to be made, like the limit of turns does.
		w.calls++
		return w.reserve(ctx, req, w.op.Budget)
	}
	a.Over = func(req llm.Request, took cost.Usage) error { return w.budget.Over(w.model.Info(), req, took) }
	a.Env = w.env
	a.Takes = func(x llm.Attachment) error { return w.attachments.admit(w.model.Info(), x) }
	if w.worksInProject {
		a.Leave, a.Vars = w.allowCall, w.op.Env
	}
	a.Inbox = func() ([]llm.Message, error) {
		said, err := w.inbox.read(context.Background())
		return w.attachments.loaded(context.Background(), w.model.Info(), said), err
	}
	return a
}

// reserve reserves the maximum cost of a call. If an outer budget has limits, the reservation is on disk before the call is made: whoever
// continues after a crash must know of it.
func (w *speaker) reserve(ctx context.Context, req llm.Request, within *budget.Budget) (func(cost.Usage), error) {
	settle, err := w.budget.Reserve(w.model.Info(), req)
	if err != nil || within == nil || !within.Limited() {
		return settle, err
	}
	w.mu.Lock()
	p := margin.Pledge{At: w.at}
	w.mu.Unlock()
	p.USD, p.Tokens = budget.Bound(w.model.Info(), req)
	if _, err := w.lib.store.Append(context.WithoutCancel(ctx), margin.PledgeKind.New(w.t.Root, w.model.Info().ID, p)); err != nil {
		settle(cost.Usage{}) // the call is not made
		return nil, err
	}
	return settle, nil
}

// unknownOutput is the assumed output limit of a model without a known one, if its maximum cost must be reserved.
const unknownOutput = 16_000

// answerLimit bounds one answer by what the model can write, and by what is left to pay for it. Without a budget, a model without a known
// limit may write as much as it can.
func (w *speaker) answerLimit(req llm.Request) int {
	info := w.model.Info()
	if info.Output == 0 && !w.budget.Limited() {
		return 0
	}
	return w.budget.Longest(info, req, cmp.Or(info.Output, unknownOutput))
}

// runAgent runs the agent once and records every exchange as it happens. After an error, the partial answer is in
// partial, and the cost of the failed call in lostUsage.
func (w *turn) runAgent(ctx context.Context, messages []llm.Message) (llm.End, error) {
	text, thought := &w.saying, &strings.Builder{}
	text.Reset()
	begun := time.Now()
	for step, err := range w.agent(ctx).Run(ctx, messages) {
		if err != nil {
			w.lostUsage = w.lostUsage.Add(agent.Took(err))
			said, lost := recordCutOff(ctx, w, err, text.String())
			if w.partial = said; lost != nil {
				err = errors.Join(err, lost)
			}
			return llm.End{}, err
		}
		switch {
		case step.End != nil:
			w.answerStart = step.Before
			return *step.End, w.recordFinal(ctx, *step.End, begun)
		// The answer is on disk before its tools run: after a crash it is known that the model had answered, and what it wanted.
		case step.Called != nil:
			w.lastUsage = step.Usage
			w.size.count(step.Usage, step.Called.Message)
			if err := w.recordAnswer(ctx, *step.Called, begun); err != nil {
				return llm.End{}, err
			}
		case step.Begun != nil:
			w.publish("running", gistOf(*step.Begun), text.String())
		case step.Exchange != nil:
			text.Reset()
			thought.Reset()
			if err := w.recordExchange(ctx, step, begun); err != nil {
				return llm.End{}, err
			}
			begun = time.Now()
		// The agent put messages from the inbox into its request; only now do they become part of the branch.
		case step.Interjected != nil:
			if err := w.inbox.commit(ctx); err != nil {
				return llm.End{}, err
			}
		case step.Delta != nil && step.Delta.Result != nil:
			if err := w.recordOwnCall(ctx, *step.Delta, text.String(), begun); err != nil {
				return llm.End{}, err
			}
			text.Reset()
			thought.Reset()
			begun = time.Now()
		case step.Delta != nil:
			if r := step.Delta.Retry; r != nil && r.Void {
				if _, err := recordCutOff(ctx, w, errors.New(r.Why()), ""); err != nil {
					return llm.End{}, err
				}
			}
			w.delta(step.Delta, text, thought)
		}
	}
	return llm.End{}, &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"}
}

// delta publishes a piece of an answer and adds it to text, or to thought: reasoning that continues after text or a call is a paragraph of
// its own.
func (w *speaker) delta(d *llm.Delta, text, thought *strings.Builder) {
	text.WriteString(d.Text)
	thought.WriteString(d.Think)
	if over := strings.TrimSpace(thought.String()); over != "" && (d.Text != "" || d.Call != nil) {
		thought.Reset()
		thought.WriteString(over + "\n\n")
	}
	// A repeated request answers from the beginning.
	if d.Retry != nil && d.Retry.Void {
		text.Reset()
		thought.Reset()
	}
	state, note := "writing", ""
	switch {
	case d.Retry != nil:
		note = d.Retry.Why()
		w.wait(note, text.String(), time.Now().Add(d.Retry.Wait))
		return
	case d.Call != nil:
		state, note = "calling", gistOf(*d.Call)
	case d.Note != "":
		state, note = "reading", d.Note
	case d.Think != "":
		state, note = "thinking", lastSentence(thought.String())
	}
	w.grows(state, note, text.String(), thought.String())
}

// mostSentence is how many letters of a sentence are shown while the model is reasoning.
const mostSentence = 200

// lastSentence is the last sentence of a model's reasoning so far.
func lastSentence(thought string) string {
	thought = strings.TrimSpace(thought)
	thought = thought[strings.LastIndexByte(thought, '\n')+1:]
	if at := strings.LastIndex(thought, ". "); at >= 0 {
		thought = thought[at+2:]
	}
	r := []rune(strings.Trim(thought, "*# "))
	return string(r[:min(len(r), mostSentence)])
}

// recordFinal records a final answer if files are checked or hooks are called before the turn ends.
func (w *turn) recordFinal(ctx context.Context, end llm.End, begun time.Time) error {
	if !w.model.Info().Acts && len(w.added.extension.Hooks.Hooks) == 0 {
		return nil
	}
	return w.recordAnswer(ctx, end, begun)
}

// recordAnswer records an answer before anything else happens with it.
func (w *speaker) recordAnswer(ctx context.Context, end llm.End, begun time.Time) error {
	return w.add(context.WithoutCancel(ctx), talk.CalledKind.New("", w.model.Info().ID,
		talk.Called{Message: end.Message, Model: w.model.Info().ID, Usage: end.Usage, MS: time.Since(begun).Milliseconds()}))
}
