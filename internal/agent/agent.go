// Package agent runs one model with its tools in a loop. It does not access the disk or the screen.
//
// [Agent.Run] is a sequence of steps. Each round of the loop reads the [Agent.Inbox], makes one model call and yields
// its deltas. If the answer calls tools, it runs them and yields the [Step.Exchange]; otherwise the answer is the End.
// The reader decides what to store: each Exchange and Interjected, appended in order to the history that Run was given,
// is a history from which Run can continue, also in another process and after a crash.
//
// What a reader may assume:
//
// - The last step has End set, or the sequence ends with one error and a zero step. Nothing follows either.
// - If the reader breaks out of the loop, everything stops: running tools are waited for, and nothing new begins.
// - When ctx ends, running calls are stopped. If there is an Env, their results are still yielded as an Exchange,
// because what was done must be recorded. Then the sequence ends with the cause.
// - Reserve reserves money before each model call and settles it with the actual cost. The reservation of a call that
// failed at an unknown cost stays.
// - Tools that only read run concurrently, others alone and in the order of the calls. Results are in the order of the calls.
// - A tool that panics is a failed result. It is a bug of ours, and must not end the person's turn.
//
// The loop is bounded by Turns, by Calls (a model that keeps calling tools is refused after two more answers), and ends
// when the same calls have the same results six times in a row.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/meter"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Agent is a value: the same one can run many times, also concurrently. Its functions are called from the goroutine
// that ranges over Run, except Env and Leave: concurrent calls ask for their Env concurrently, and the model calls
// Leave.
type Agent struct {
	Name, System, Dir string
	Model             llm.Model
	Tools             []tool.Tool
	Calls             int             // tool calls allowed in one Run; 0: none
	Turns             int             // model calls allowed in one Run; 0: no limit
	Schema            json.RawMessage // of the final answer; nil: free text
	MaxTokens         int             // of one answer; 0: the model's limit
	Longest           int             // bytes after which an answer is broken off; 0: no limit
	Effort, Session   string          // as in llm.Request
	Omits, Patient    bool            // as in llm.Request
	Shared            int             // as in llm.Request
	CacheKey          string          // as in llm.Request
	Effect            string          // name of a Run in a record; the names of its calls begin with it. Empty: none
	// LongestAnswer returns the token limit for the answer to a request, in place of MaxTokens. Nil: MaxTokens applies.
	LongestAnswer func(llm.Request) int
	// Reserve is called before every model call and may refuse it. The function it returns is told the cost of the call,
	// unless the call failed at an unknown cost. Nil: no limit.
	Reserve func(llm.Request) (settle func(cost.Usage), err error)
	// Over is called for a model that acts, whenever that reports what its request has used so far, and may end the request; a finished
	// answer is kept. Nil: nothing ends it.
	Over func(req llm.Request, took cost.Usage) error
	// Leave is called by a model that acts, see llm.Request; nil: the model only reads.
	Leave func(context.Context, llm.Call) error
	Vars  []string // environment variables, as in llm.Request
	// Env returns where a call's tool runs and who decides about it; nil: tools may only read below Dir.
	Env func(c llm.Call, t tool.Tool) tool.Env
	// Takes explains why the model cannot be shown an attachment of a result; nil: it can be shown all.
	Takes func(llm.Attachment) error
	// Inbox returns the messages since its last call. It is called before every model call. Nil: there are none.
	Inbox func() ([]llm.Message, error)
}

// ErrTurns ends a Run that used up its model calls.
var ErrTurns = errors.New("model-call limit reached")

// Step is one event. Exactly one of Delta, Called, Begun, Exchange, Interjected and End is set; Ran, Before and Usage accompany some of
// them.
type Step struct {
	Delta  *llm.Delta // a delta of the model; never an End
	Called *llm.End   // a whole answer that calls tools, which run next
	// Exchange is an answer that was not the last, with the reply to it: the results of its tools, or the request to continue an answer
	// that was cut at the token limit. Both belong in the history.
	Exchange    []llm.Message
	Begun       *llm.Call     // a tool is about to run
	Ran         []Ran         // with an Exchange: the result of each call
	Interjected []llm.Message // messages from the Inbox; they are in the history from here on
	End         *llm.End      // the final answer; its Usage is that of the last call
	Before      string        // with an End: the beginning of the answer, if it was cut, which is in exchanges
	Usage       cost.Usage    // of the call behind a Called or an End
}

// Ran is the result of a call.
type Ran struct {
	Call   llm.Call
	Output tool.Output
	Err    error // why the call failed
	Took   time.Duration
}

// Run drives the model until it answers without calling a tool. history ends with a user message, with the results of a
// recorded exchange, or with a recorded answer, whose tools then run first. Tools run in the order they were called;
// those that only read run concurrently. A failing tool is a result for the model. The last step has End set, or the
// sequence ends with one error.
func (a Agent) Run(ctx context.Context, history []llm.Message) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		r := run{Agent: a, ctx: ctx, yield: yield, history: append([]llm.Message(nil), history...), left: a.Calls - countResults(history)}
		if err := r.all(); err != nil {
			yield(Step{}, err)
		}
	}
}

// run is the state of one Run.
type run struct {
	Agent
	ctx     context.Context
	yield   func(Step, error) bool
	history []llm.Message
	left    int    // tool calls left
	refused int    // answers that called tools with no calls left
	before  string // text of the answer before it was cut
	cuts    int    // how often it was cut
	loop    loop
}

// all loops until the model has answered, the reader has stopped or something fails.
func (r *run) all() error {
	if n := len(r.history) - 1; n >= 0 && r.history[n].Role == llm.Assistant {
		end := llm.End{Stop: llm.StopDone, Message: r.history[n]}
		r.history = r.history[:n]
		if more, err := r.answered(end); err != nil || !more {
			return err
		}
	}
	for turn := 1; ; turn++ {
		if r.Turns > 0 && turn > r.Turns {
			return ErrTurns
		}
		if said, err := r.inbox(); err != nil || !r.hear(said) {
			return err
		}
		end, ok, err := r.call(r.ctx, r.history, r.yield)
		if err != nil || !ok {
			return err
		}
		if (len(end.Message.Calls()) > 0 || r.goesOn(end)) && !r.yield(Step{Called: &end, Usage: end.Usage}, nil) {
			return nil
		}
		if more, err := r.answered(end); err != nil || !more {
			return err
		}
	}
}

// answered yields an answer and the results of its calls. more is false when no further model call is needed.
func (r *run) answered(end llm.End) (more bool, err error) {
	calls := end.Message.Calls()
	if len(calls) == 0 && r.goesOn(end) {
		return r.goOn(end), nil
	}
	if len(calls) == 0 {
		r.yield(Step{End: &end, Usage: end.Usage, Before: r.before}, nil)
		return false, nil
	}
	r.before, r.cuts = "", 0
	if r.left <= 0 {
		if r.refused++; r.refused > 2 {
			return false, &trouble.Error{Kind: trouble.Refused, Message: "tool-call limit reached"}
		}
	}
	return r.exchange(end, calls)
}

// exchange runs the calls of an answer and yields both. more is false when the reader has stopped. The calls are
// counted before anything else can fail, so that a resumed run has the same budget.
func (r *run) exchange(end llm.End, calls []llm.Call) (more bool, err error) {
	results, ran, ok := r.results(calls, end.Stop == llm.StopLength)
	if !ok {
		return false, nil
	}
	exchange := []llm.Message{end.Message, results}
	r.left -= len(calls)
	r.history = append(r.history, exchange...)
	interrupted := r.ctx.Err() != nil
	if interrupted && r.Env == nil { // nothing was done that must be recorded
		return false, context.Cause(r.ctx)
	}
	if !r.yield(Step{Exchange: exchange, Ran: ran}, nil) {
		return false, nil
	}
	if interrupted {
		return false, context.Cause(r.ctx)
	}
	return true, r.loop.err
}

// inbox returns the messages since its last call.
func (r *run) inbox() ([]llm.Message, error) {
	if r.Inbox == nil {
		return nil, nil
	}
	return r.Inbox()
}

// hear adds the user's messages to the history and yields them; it returns false when the reader has stopped. Two user messages in a row
// are merged: some vendors refuse them.
func (r *run) hear(said []llm.Message) bool {
	for _, m := range said {
		if n := len(r.history) - 1; n >= 0 && r.history[n].Role == llm.User {
			last := r.history[n]
			last.Parts = append(slices.Clone(last.Parts), m.Parts...)
			r.history[n] = last
			continue
		}
		r.history = append(r.history, m)
	}
	return len(said) == 0 || r.yield(Step{Interjected: said}, nil)
}

// Request is the request to the model for a history. A model that acts by itself (another vendor's agent) gets none of our tools.
func (a Agent) Request(history []llm.Message) llm.Request {
	req := llm.Request{System: a.System, Messages: history, Schema: a.Schema, MaxTokens: a.MaxTokens,
		Effort: a.Effort, Dir: a.Dir, Session: a.Session, Omits: a.Omits, Patient: a.Patient, Shared: a.Shared,
		CacheKey: a.CacheKey, Leave: a.Leave, Vars: a.Vars}
	if a.Effect != "" {
		req.Effect = fmt.Sprintf("%s/%d", a.Effect, len(history))
	}
	if !a.Model.Info().Acts {
		for _, t := range a.Tools {
			req.Tools = append(req.Tools, t.Described())
		}
	}
	return req
}

// call makes one model call and yields its deltas. ok is false when the reader has stopped.
func (a Agent) call(ctx context.Context, history []llm.Message, yield func(Step, error) bool) (end llm.End, ok bool, err error) {
	req := a.Request(history)
	if a.LongestAnswer != nil {
		req.MaxTokens = a.LongestAnswer(req)
	}
	settle, text := func(cost.Usage) {}, 0
	if a.Reserve != nil {
		if settle, err = a.Reserve(req); err != nil {
			return end, true, err
		}
	}
	meter, began := meter.New(a.Model.Info(), req), time.Now()
	var over error // why the request must end; an answer that is finished is still accepted
	defer func() { meter.Log(began, end.Usage.Add(Took(err)), err) }()
	for d, err := range a.Model.Stream(ctx, req) {
		if err != nil {
			return end, true, a.failed(meter, settle, err)
		}
		if d.End != nil {
			end = *d.End
			settle(a.Model.Info().Price.Of(end.Usage))
			end.Usage = meter.Whole(end.Usage)
			return end, true, nil
		}
		if over != nil { // the answer is not finished
			return end, true, a.failed(meter, settle, over)
		}
		if meter.Hear(d); d.Usage != nil {
			if a.Over != nil && a.Model.Info().Acts {
				over = a.Over(req, *d.Usage)
			}
			continue
		}
		if d.Retry != nil && d.Retry.Void {
			text = 0
		}
		if lost := meter.Retried(d); lost != (cost.Usage{}) && a.Reserve != nil { // the retry needs money, too
			if settle(lost); !yield(Step{Delta: &d}, nil) {
				return end, false, nil
			}
			if settle, err = a.Reserve(req); err != nil {
				return end, true, &Failed{meter.Lost(), err}
			}
			continue
		}
		if text += len(d.Text); a.Longest > 0 && text > a.Longest {
			yield(Step{Delta: &d}, nil)
			return end, true, a.failed(meter, settle, &trouble.Error{Kind: trouble.Refused,
				Message: fmt.Sprintf("the reply is longer than %d kB", a.Longest>>10)})
		}
		if !yield(Step{Delta: &d}, nil) {
			return end, false, nil
		}
	}
	return end, true, a.failed(meter, settle, &trouble.Error{Kind: trouble.Malformed, Message: "the response was cut off"})
}

// Failed is the error of a model call, with the call's usage. Its text is that of Err.
type Failed struct {
	Usage cost.Usage
	Err   error
}

// Error returns the text of Err: usage is not for people.
func (f *Failed) Error() string { return f.Err.Error() }

// Unwrap returns the error of the call, so that its kind stays visible.
func (f *Failed) Unwrap() error { return f.Err }

// Took returns the usage of the call that err ended; zero if err is not about a call.
func Took(err error) cost.Usage {
	if f, ok := errors.AsType[*Failed](err); ok {
		return f.Usage
	}
	return cost.Usage{}
}

// failed books a failed call. Its reservation stays if nobody knows what the vendor will charge.
func (a Agent) failed(meter *meter.Meter, settle func(cost.Usage), err error) error {
	if last := meter.Try(err); !last.Least {
		settle(last)
	}
	return &Failed{meter.Failed(err), err}
}

// mostBeside is how many calls run concurrently.
const mostBeside = 8

// results runs the calls; neighbours that may run concurrently do. Calls beyond the budget get an error, and after an interruption the
// rest is not started. cut: the answer ended at the token limit, perhaps within the last call.
func (r *run) results(calls []llm.Call, cut bool) (m llm.Message, all []Ran, ok bool) {
	all = make([]Ran, len(calls))
	for i := 0; i < len(calls); {
		n := 1
		for n < min(len(calls)-i, mostBeside) && r.beside(calls[i]) && r.beside(calls[i+n]) {
			n++
		}
		var wait sync.WaitGroup
		for k := i; k < i+n; k++ {
			ran := &all[k]
			ran.Call = calls[k]
			if ran.Err = r.hindered(k, calls[k], cut && k == len(calls)-1); ran.Err != nil {
				continue
			}
			if r.Env != nil && !r.yield(Step{Begun: &calls[k]}, nil) {
				wait.Wait()
				return m, nil, false
			}
			wait.Go(func() {
				ran.Output, ran.Took, ran.Err = r.run(ran.Call)
				ran.Err = inWords(ran.Err)
			})
		}
		wait.Wait()
		i += n
	}
	var results []llm.Result
	for _, ran := range all {
		result := llm.Result{ID: ran.Call.ID, Name: ran.Call.Name, Text: ran.Output.Text}
		if ran.Err != nil {
			result.Text, result.Failed = ran.Err.Error(), true
		}
		results = append(results, result)
	}
	m.Role = llm.User
	warning := r.loop.warn(all, results)
	for i, result := range results {
		result.Text += warning
		var shown []llm.Part
		for _, a := range all[i].Output.Images {
			if r.Takes == nil {
				shown = append(shown, a)
			} else if err := r.Takes(a); err != nil {
				result.Text = strings.TrimRight(result.Text, "\n") + "\n" + a.Label() + " (not shown: " + err.Error() + ")"
			} else {
				shown = append(shown, a)
			}
		}
		m.Parts = append(append(m.Parts, result), shown...)
	}
	return m, all, true
}

// hindered returns why the i-th call of an answer cannot run; nil: it can.
func (r *run) hindered(i int, c llm.Call, cut bool) error {
	switch {
	case i >= r.left:
		return fmt.Errorf("the budget of %d tool calls is used up; answer now from what you have", r.Calls)
	case r.ctx.Err() != nil:
		return errors.New("interrupted before it began")
	}
	return badArguments(c, cut)
}

// beside reports whether a call may run concurrently with others.
func (r *run) beside(c llm.Call) bool {
	i := slices.IndexFunc(r.Tools, func(t tool.Tool) bool { return t.Name == c.Name })
	return i >= 0 && r.Tools[i].RunsBeside(c.Args)
}

// inWords replaces the cancellation in the error of a call by words.
func inWords(err error) error {
	if err == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "stopped before it ended"))
}

// run runs a call; took is its duration without the time spent waiting for the person.
func (r *run) run(c llm.Call) (out tool.Output, took time.Duration, err error) {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
		if t.Name != c.Name {
			continue
		}
		env := tool.Env{Dir: r.Dir}
		if r.Env != nil {
			env = r.Env(c, t)
		}
		watch := env.Stopwatch()
		defer func() {
			took = watch()
			defer func() { slog.Info("tool call", "tool", c.Name, "ms", took.Milliseconds(), "failed", err != nil) }()
			if p := recover(); p != nil { // a bug of ours must not end the person's turn
				err = fmt.Errorf("the tool %s failed unexpectedly: %v", c.Name, p)
			}
		}()
		out, err = t.Run(r.ctx, c.Args, env)
		return out, 0, err
	}
	if r.Env == nil {
		return out, 0, fmt.Errorf("there is no tool named %q", c.Name)
	}
	return out, 0, fmt.Errorf("there is no tool named %q; available: %s", c.Name, strings.Join(names, ", "))
}

// countResults counts the answered calls of a history: the part of the budget that a resumed run has used.
func countResults(history []llm.Message) int {
	n := 0
	for _, m := range history {
		for _, p := range m.Parts {
			if _, ok := p.(llm.Result); ok {
				n++
			}
		}
	}
	return n
}
