// Package agent is one model with its tools and the loop between them. It knows neither disk nor screen.
//
// [Agent.Run] is a sequence of steps. A turn of the loop asks the [Agent.Inbox], makes one model call and passes
// its deltas on; if the answer calls tools it runs them and passes the [Step.Exchange] on; else the answer is the
// End. What is to be kept is the reader's business: each Exchange and Interjected, in order, appended to the history that
// Run was given, is a history that Run can go on from, also in another process and after a crash.
//
// What a reader may assume:
//
//   - The last step has End set, or the sequence ends with one error and a zero step. There is nothing after either.
//   - A reader that stops (breaks out of the loop) stops everything: tools that run are waited for, nothing new begins.
//   - When ctx ends, calls that run are ended and their results still come as an Exchange, if there is an Env: what was done must
//     be on record. Then the sequence ends with the cause.
//   - Money is reserved by Reserve before each model call, settled with what it cost, and stays reserved for a call that failed at
//     a cost nobody knows.
//   - Tools that only read run several at once, others alone and in the order of the calls. Results are in the order of the calls.
//   - A tool that panics is a failed result. It is a fault of ours, and not the end of the person's turn.
//
// The loop ends by itself: by Turns, by Calls (a model that goes on calling is refused after two more answers), and
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

// Agent is a value: the same one can run many times, at once too. Fields that are functions are called from the
// goroutine that ranges over Run, but for Env and Leave: calls that run at once ask for their Env at once, and
// Leave is the model's to call.
type Agent struct {
	Name, System, Dir string
	Model             llm.Model
	Tools             []tool.Tool
	Calls             int             // tool calls allowed in one Run; 0: none
	Turns             int             // model calls allowed in one Run; 0: no limit
	Schema            json.RawMessage // of the final answer; nil: free text
	MaxTokens         int             // of one answer; 0: the model's limit
	Longest           int             // bytes of an answer, after which it is broken off; 0: no limit
	Effort, Session   string          // as in llm.Request
	Omits, Patient    bool            // likewise
	Shared            int             // likewise
	CacheKey          string          // likewise
	Effect            string          // names a Run in a record; each of its calls has a name below it. Empty: none
	// LongestAnswer is how many tokens the answer to a request may have, where MaxTokens is not what holds; nil: MaxTokens does.
	LongestAnswer func(llm.Request) int
	// Reserve is asked before every model call and may refuse it. The function it returns is told what the
	// call came to; not of one that failed at a cost nobody knows. Nil: no limit.
	Reserve func(llm.Request) (settle func(cost.Usage), err error)
	// Over is asked of a model that acts, whenever it tells what its request has taken so far, and may end it; an answer that is there is
	// kept. Nil: nobody ends it.
	Over func(req llm.Request, took cost.Usage) error
	// Leave is asked by a model that acts, see llm.Request; nil: it only reads.
	Leave func(context.Context, llm.Call) error
	Vars  []string // of the environment; likewise
	// Env is where a call's tool runs and who decides about it; nil: tools may only read below Dir.
	Env func(c llm.Call, t tool.Tool) tool.Env
	// Takes says why the model cannot be shown an attachment of a result; nil: it is shown all.
	Takes func(llm.Attachment) error
	// Inbox takes what was said since it was last asked. It is asked before every model call. Nil: nothing is said.
	Inbox func() ([]llm.Message, error)
}

// ErrTurns ends a Run that used up its model calls.
var ErrTurns = errors.New("model-call limit reached")

// Step is one thing that happened. Exactly one of Delta, Called, Begun, Exchange, Interjected and End is set; Ran, Before
// and Usage belong to some of them.
type Step struct {
	Delta  *llm.Delta // passed on from the model; never an End
	Called *llm.End   // a whole answer that calls tools, which run next
	// Exchange is an answer that was not the last, and what was said to it: the results of its tools, or to go on where the limit of
	// tokens had cut it. Both are to be kept in the history.
	Exchange    []llm.Message
	Begun       *llm.Call     // a tool is about to run
	Ran         []Ran         // beside an Exchange: what each call came to
	Interjected []llm.Message // what the Inbox gave; it is in the history from here on
	End         *llm.End      // the final answer; its Usage is that of the last call
	Before      string        // beside an End: the beginning of the answer, as far as it is in exchanges because it was cut
	Usage       cost.Usage    // of the call behind a Called or an End
}

// Ran is what a call came to.
type Ran struct {
	Call   llm.Call
	Output tool.Output
	Err    error // of a call that failed
	Took   time.Duration
}

// Run drives the model until it answers without calling a tool. history ends with a user message, with the results of
// an exchange that was recorded earlier, or with an answer that was, whose tools then run first. Tools run in the order
// they were called; of those that only read, several at once. A tool that fails is a result for the model. The last step has End set,
// or the sequence ends with one error.
func (a Agent) Run(ctx context.Context, history []llm.Message) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		r := run{Agent: a, ctx: ctx, yield: yield, history: append([]llm.Message(nil), history...), left: a.Calls - countResults(history)}
		if err := r.all(); err != nil {
			yield(Step{}, err)
		}
	}
}

// run is a Run while it goes on.
type run struct {
	Agent
	ctx     context.Context
	yield   func(Step, error) bool
	history []llm.Message
	left    int    // tool calls
	refused int    // answers that called tools with none left
	before  string // what an answer said until it was cut
	cuts    int    // how often it was
	loop    loop
}

// all goes on until the model has answered, the reader has stopped or something fails.
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

// answered passes an answer on, with what its calls come to. more is false when there is nothing to ask for any more.
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

// exchange runs the calls of an answer and passes both on. more is false when the reader stopped listening. The
// calls are counted before anything else can fail, so that a resumed run has the same budget.
func (r *run) exchange(end llm.End, calls []llm.Call) (more bool, err error) {
	results, ran, ok := r.results(calls, end.Stop == llm.StopLength)
	if !ok {
		return false, nil
	}
	exchange := []llm.Message{end.Message, results}
	r.left -= len(calls)
	r.history = append(r.history, exchange...)
	interrupted := r.ctx.Err() != nil
	if interrupted && r.Env == nil { // nothing was done that must be kept
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

// inbox is what was said since it was last asked.
func (r *run) inbox() ([]llm.Message, error) {
	if r.Inbox == nil {
		return nil, nil
	}
	return r.Inbox()
}

// hear adds what the user says to the history, and passes it on; it is false when the reader stopped listening. Two user messages
// in a row are one: some vendors refuse them.
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

// Request is what the model is asked after a history. A model that acts by itself (another vendor's agent) gets no
// tools of ours.
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

// call makes one model call and passes its deltas on. ok is false when the reader stopped listening.
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
	var over error // it has taken what there was for it
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
		if over != nil { // it goes on
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
		if lost := meter.Retried(d); lost != (cost.Usage{}) && a.Reserve != nil { // the next try is paid for, too
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

// Failed is the error of a model call with what it took. Its text is that of Err.
type Failed struct {
	Usage cost.Usage
	Err   error
}

// Error is the text of Err: usage is not for people.
func (f *Failed) Error() string { return f.Err.Error() }

// Unwrap gives the error of the call, so that its kind stays visible.
func (f *Failed) Unwrap() error { return f.Err }

// Took is what the call took that an error ended; nothing if it was no call that failed.
func Took(err error) cost.Usage {
	if f, ok := errors.AsType[*Failed](err); ok {
		return f.Usage
	}
	return cost.Usage{}
}

// failed books a call that failed. Its reservation stays if nobody knows what the vendor will charge.
func (a Agent) failed(meter *meter.Meter, settle func(cost.Usage), err error) error {
	if last := meter.Try(err); !last.Least {
		settle(last)
	}
	return &Failed{meter.Failed(err), err}
}

// mostBeside is how many calls run at once.
const mostBeside = 8

// results runs the calls, those next to each other that may run beside others at once; those beyond the budget are told so, and after an
// interruption the rest is not begun. cut: the answer ended at the limit of tokens, maybe within the last call.
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

// hindered says why the i-th call of an answer cannot run; nil: it can.
func (r *run) hindered(i int, c llm.Call, cut bool) error {
	switch {
	case i >= r.left:
		return fmt.Errorf("the budget of %d tool calls is used up; answer now from what you have", r.Calls)
	case r.ctx.Err() != nil:
		return errors.New("interrupted before it began")
	}
	return badArguments(c, cut)
}

// beside says whether a call may run while others do.
func (r *run) beside(c llm.Call) bool {
	i := slices.IndexFunc(r.Tools, func(t tool.Tool) bool { return t.Name == c.Name })
	return i >= 0 && r.Tools[i].RunsBeside(c.Args)
}

// inWords says of a call that was cut off that it was.
func inWords(err error) error {
	if err == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "stopped before it ended"))
}

// run runs a call; took is how long, without the time the person was waited for.
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
			if p := recover(); p != nil { // a fault of ours must not end the person's turn
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

// countResults is how many calls of a history have been answered: what is used up of the budget when a run is
// resumed.
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
