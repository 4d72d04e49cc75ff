// Package agent is one model with its tools and the loop between them. It knows neither disk nor screen.
package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tool"
)

// Agent is a value: the same one can run many times, at once too.
type Agent struct {
	Name, System, Dir string
	Model             llm.Model
	Tools             []tool.Tool
	Calls             int             // tool calls allowed in one Run; 0: none
	Schema            json.RawMessage // of the final answer; nil: free text
	MaxTokens         int             // of one answer; 0: the model's limit
	Effort, Session   string          // as in llm.Request
	// Reserve is asked before every model call and may refuse it. The function it returns is told what the
	// call came to, also when it failed. Nil: no limit.
	Reserve func(llm.Request) (settle func(llm.Usage), err error)
}

// Step is one thing that happened. Exactly one of Delta, Exchange and End is set.
type Step struct {
	Delta    *llm.Delta    // passed on from the model; never an End
	Exchange []llm.Message // the model called tools: its message, and the results; to be kept in the history
	End      *llm.End      // the final answer; its Usage is that of the last call
	Usage    llm.Usage     // of the call behind an Exchange or an End
}

// Run drives the model until it answers without calling a tool. history ends with a user message, or with the
// results of an exchange that was recorded earlier. Tools run in the order they were called. A tool that fails
// is a result for the model. The last step has End set, or the sequence ends with one error.
func (a Agent) Run(ctx context.Context, history []llm.Message) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		history := append([]llm.Message(nil), history...)
		left := a.Calls - countResults(history)
		for refused := 0; ; {
			end, ok, err := a.call(ctx, history, yield)
			if err != nil || !ok {
				if err != nil {
					yield(Step{}, err)
				}
				return
			}
			calls := end.Message.Calls()
			if len(calls) == 0 {
				yield(Step{End: &end, Usage: end.Usage}, nil)
				return
			}
			if left <= 0 {
				if refused++; refused > 2 {
					yield(Step{}, &llm.Error{Kind: llm.Refused, Message: "it kept calling tools after its budget was used up"})
					return
				}
			}
			exchange := []llm.Message{end.Message, a.results(ctx, calls, left)}
			left -= len(calls)
			history = append(history, exchange...)
			if ctx.Err() != nil {
				yield(Step{}, context.Cause(ctx))
				return
			}
			if !yield(Step{Exchange: exchange, Usage: end.Usage}, nil) {
				return
			}
		}
	}
}

// call makes one model call and passes its deltas on. ok is false when the reader stopped listening.
func (a Agent) call(ctx context.Context, history []llm.Message, yield func(Step, error) bool) (end llm.End, ok bool, err error) {
	req := llm.Request{System: a.System, Messages: history, Schema: a.Schema, MaxTokens: a.MaxTokens,
		Effort: a.Effort, Dir: a.Dir, Session: a.Session}
	if !a.Model.Info().Acts {
		for _, t := range a.Tools {
			req.Tools = append(req.Tools, t.Spec)
		}
	}
	settle := func(llm.Usage) {}
	if a.Reserve != nil {
		if settle, err = a.Reserve(req); err != nil {
			return end, true, err
		}
	}
	spoke := false
	defer func() {
		if end.Usage != (llm.Usage{}) || !spoke { // an answer that broke off may have been charged: its reservation stays
			settle(end.Usage)
		}
	}()
	for d, err := range a.Model.Stream(ctx, req) {
		if err != nil {
			return end, true, err
		}
		spoke = spoke || d.Retry == nil && d.Note == ""
		if d.End != nil {
			end = *d.End
			end.Usage = a.Model.Info().Price.Of(end.Usage)
			return end, true, nil
		}
		if !yield(Step{Delta: &d}, nil) {
			return end, false, nil
		}
	}
	return end, true, &llm.Error{Kind: llm.Malformed, Message: "the answer stopped without an end"}
}

// results runs the calls; those beyond the budget are told so.
func (a Agent) results(ctx context.Context, calls []llm.Call, left int) llm.Message {
	m := llm.Message{Role: llm.User}
	for i, c := range calls {
		r := llm.Result{ID: c.ID, Name: c.Name}
		if i >= left {
			r.Text, r.Failed = fmt.Sprintf("the budget of %d tool calls is used up; answer now from what you have", a.Calls), true
		} else {
			r.Text, r.Failed = a.run(ctx, c)
		}
		m.Parts = append(m.Parts, r)
	}
	return m
}

func (a Agent) run(ctx context.Context, c llm.Call) (text string, failed bool) {
	for _, t := range a.Tools {
		if t.Name == c.Name {
			out, err := t.Run(ctx, c.Args, tool.Env{Dir: a.Dir})
			if err != nil {
				return err.Error(), true
			}
			return out.Text, false
		}
	}
	return fmt.Sprintf("there is no tool named %q", c.Name), true
}

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
