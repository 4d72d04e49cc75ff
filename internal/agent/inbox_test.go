package agent_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/tool"
)

// interject runs an agent whose inbox gives what is said before each look, and returns the kinds of its steps and the last request.
func interject(t *testing.T, said [][]llm.Message, failed error, answers ...func(*draft.Draft)) (steps []string, last llm.Request, err error) {
	t.Helper()
	var asked []llm.Request
	a := agent.Agent{Model: lines{answers: answers, asked: &asked}, Tools: []tool.Tool{echo}, Calls: 5}
	looks := 0
	a.Inbox = func() (out []llm.Message, err error) {
		if looks++; looks > len(said) {
			return nil, failed
		}
		return said[looks-1], nil
	}
	for step, e := range a.Run(t.Context(), []llm.Message{llm.UserText("go")}) {
		switch {
		case e != nil:
			err = e
		case step.Interjected != nil:
			steps = append(steps, "heard")
		case step.Exchange != nil:
			steps = append(steps, "exchange")
		case step.End != nil:
			steps = append(steps, "end")
		}
	}
	return steps, asked[len(asked)-1], err
}

// TestInbox: what is said while an agent works is part of its next request, behind the results, and one user message with them.
func TestInbox(t *testing.T) {
	said := []llm.Message{llm.UserText("and this")}
	steps, last, err := interject(t, [][]llm.Message{nil, said}, nil, calls("echo"), text("done"))
	if err != nil || !slices.Equal(steps, []string{"exchange", "heard", "end"}) {
		t.Fatal(steps, err)
	}
	if n := len(last.Messages); n != 3 || len(last.Messages[2].Parts) != 2 || last.Messages[2].Text() != "and this" {
		t.Errorf("%+v", last.Messages)
	}
	if _, _, err := interject(t, [][]llm.Message{nil}, errors.New("no store"), calls("echo"), text("done")); err == nil {
		t.Error("an inbox that fails is not told")
	}
}
