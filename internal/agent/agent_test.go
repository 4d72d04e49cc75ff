package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/tool"
)

// lines is a model that gives its answers one after the other; the last is repeated.
type lines struct {
	acts    bool
	answers []func(d *draft.Draft)
	asked   *[]llm.Request
}

func (l lines) Info() llm.Info { return llm.Info{ID: "lines", Lineage: "lines", Acts: l.acts} }

func (l lines) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		*l.asked = append(*l.asked, req)
		d := draft.New(l.Info(), yield)
		d.Usage = cost.Usage{Input: 10, Output: 1}
		l.answers[min(len(*l.asked), len(l.answers))-1](d)
		d.End()
	}
}

func text(s string) func(*draft.Draft) { return func(d *draft.Draft) { d.Text(s) } }

func calls(names ...string) func(*draft.Draft) {
	return func(d *draft.Draft) {
		for _, n := range names {
			d.Call(llm.Call{ID: n, Name: n, Args: json.RawMessage(`{}`)})
		}
	}
}

var (
	echo = tool.Tool{Spec: llm.Spec{Name: "echo"}, Run: func(_ context.Context, _ json.RawMessage, e tool.Env) (tool.Output, error) {
		return tool.Output{Text: "echo in " + e.Dir}, nil
	}}
	fails = tool.Tool{Spec: llm.Spec{Name: "fails"}, Run: func(context.Context, json.RawMessage, tool.Env) (tool.Output, error) {
		return tool.Output{}, errors.New("no such file")
	}}
)

// played runs an agent to its end and returns the results it gave its model, its end and its error.
func played(a agent.Agent, history ...llm.Message) (results []llm.Result, end *llm.End, err error) {
	results, end, _, err = counted(a, history...)
	return results, end, err
}

// counted also sums the usage of the steps.
func counted(a agent.Agent, history ...llm.Message) (results []llm.Result, end *llm.End, used cost.Usage, err error) {
	for step, e := range a.Run(context.Background(), append(history, llm.UserText("go"))) {
		used = used.Add(step.Usage)
		for _, m := range step.Exchange {
			for _, p := range m.Parts {
				if r, ok := p.(llm.Result); ok {
					results = append(results, r)
				}
			}
		}
		if step.End != nil {
			end = step.End
		}
		err = e
	}
	return results, end, used, err
}

func TestToolsRunInOrder(t *testing.T) {
	var asked []llm.Request
	a := agent.Agent{Dir: "/d", Tools: []tool.Tool{echo, fails}, Calls: 3,
		Model: lines{asked: &asked, answers: []func(*draft.Draft){calls("echo", "fails"), calls("unknown", "echo"), text("done")}}}
	results, end, used, err := counted(a)
	if err != nil || end == nil || end.Message.Text() != "done" || used.Input != 30 {
		t.Fatalf("%+v, used %+v, %v", end, used, err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Text)
		if r.Failed == (r.Text == "echo in /d") {
			t.Errorf("%+v", r)
		}
	}
	want := []string{"echo in /d", "no such file", `there is no tool named "unknown"`, "the budget of 3 tool calls is used up; answer now from what you have"}
	if !slices.Equal(got, want) {
		t.Errorf("results %q", got)
	}
	if last := asked[2].Messages; len(last) != 5 || len(asked[0].Tools) != 2 {
		t.Errorf("the last request has %d messages, the first %d tools", len(last), len(asked[0].Tools))
	}
}

// Results that were recorded earlier count against the budget, so that a crash does not renew it.
func TestBudgetSurvivesResume(t *testing.T) {
	var asked []llm.Request
	a := agent.Agent{Tools: []tool.Tool{echo}, Calls: 1, Model: lines{asked: &asked, answers: []func(*draft.Draft){calls("echo"), text("done")}}}
	results, _, err := played(a, llm.Message{Role: llm.User, Parts: []llm.Part{llm.Result{ID: "old", Name: "echo"}}})
	if err != nil || len(results) != 1 || !strings.Contains(results[0].Text, "used up") {
		t.Errorf("%+v %v", results, err)
	}
}

func TestCallsWithoutEndAreRefused(t *testing.T) {
	var asked []llm.Request
	_, _, err := played(agent.Agent{Tools: []tool.Tool{echo}, Model: lines{asked: &asked, answers: []func(*draft.Draft){calls("echo")}}})
	if trouble.As(err).Kind != trouble.Refused || len(asked) != 3 {
		t.Errorf("%v after %d calls", err, len(asked))
	}
}

func TestAgentsThatActGetNoTools(t *testing.T) {
	var asked []llm.Request
	if _, _, err := played(agent.Agent{Tools: []tool.Tool{echo}, Model: lines{acts: true, asked: &asked, answers: []func(*draft.Draft){text("x")}}}); err != nil || len(asked[0].Tools) != 0 {
		t.Errorf("%v %v", asked[0].Tools, err)
	}
}

// Every call that was reserved is settled with what it used, unless it failed in a way that may have been charged: then the
// reservation stays.
func TestReservations(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  func(ctx context.Context, yield func(llm.Delta, error) bool)
		settled []cost.Usage
		refuse  bool
	}{
		"answered": {func(_ context.Context, yield func(llm.Delta, error) bool) {
			yield(llm.Delta{End: &llm.End{Usage: cost.Usage{Input: 5, Source: cost.Provider}, Message: llm.AssistantText("x")}}, nil)
		}, []cost.Usage{{Input: 5, Source: cost.Provider}}, false},
		"turned away": {func(_ context.Context, yield func(llm.Delta, error) bool) {
			limited := &trouble.Error{Kind: trouble.RateLimit, Status: 429}
			_ = yield(llm.Delta{Retry: &llm.Retry{Err: limited}}, nil) && yield(llm.Delta{}, limited)
		}, []cost.Usage{{}}, false},
		"cut before a word": {func(_ context.Context, yield func(llm.Delta, error) bool) {
			yield(llm.Delta{}, &trouble.Error{Kind: trouble.Network})
		}, nil, false},
		"broke off": {func(_ context.Context, yield func(llm.Delta, error) bool) {
			_ = yield(llm.Delta{Text: "half a"}, nil) && yield(llm.Delta{}, &trouble.Error{Kind: trouble.Network})
		}, nil, false},
		"refused": {func(context.Context, func(llm.Delta, error) bool) { t.Error("the model was called") }, nil, true},
	} {
		var settled []cost.Usage
		_, end, err := played(agent.Agent{Model: stream(tc.answer), Reserve: func(llm.Request) (func(cost.Usage), error) {
			if tc.refuse {
				return nil, errors.New("nothing left")
			}
			return func(u cost.Usage) { settled = append(settled, u) }, nil
		}})
		if (err == nil) != (end != nil) || len(settled) != len(tc.settled) || len(settled) == 1 && settled[0].Input != tc.settled[0].Input {
			t.Errorf("%s: settled %+v, end %v, error %v", name, settled, end, err)
		}
	}
}

type stream func(ctx context.Context, yield func(llm.Delta, error) bool)

func (stream) Info() llm.Info { return llm.Info{ID: "stream", Lineage: "stream"} }

func (s stream) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) { s(ctx, yield) }
}

// Calls next to each other that only read run at once, others one after the other; results come in the order of the calls.
func TestReadsRunBeside(t *testing.T) {
	met := make(chan struct{})
	meets := tool.Tool{Spec: llm.Spec{Name: "meets"}, Effect: tool.Reads,
		Run: func(ctx context.Context, _ json.RawMessage, _ tool.Env) (tool.Output, error) {
			select { // each waits for the other
			case met <- struct{}{}:
				return tool.Output{Text: "first"}, nil
			case <-met:
				return tool.Output{Text: "second"}, nil
			}
		}}
	running := 0
	alone := tool.Tool{Spec: llm.Spec{Name: "alone"}, Effect: tool.Writes,
		Run: func(context.Context, json.RawMessage, tool.Env) (tool.Output, error) {
			running++
			defer func() { running-- }()
			return tool.Output{Text: fmt.Sprint(running)}, nil
		}}
	asked := []llm.Request{}
	a := agent.Agent{Model: lines{asked: &asked, answers: []func(*draft.Draft){calls("meets", "meets", "alone", "alone"), text("done")}},
		Tools: []tool.Tool{meets, alone}, Calls: 10}
	results, _, err := played(a, llm.UserText("go"))
	if err != nil || len(results) != 4 || results[0].Text+results[1].Text != "firstsecond" && results[0].Text+results[1].Text != "secondfirst" ||
		results[2].Text+results[3].Text != "11" {
		t.Errorf("%v %+v", err, results)
	}
}
