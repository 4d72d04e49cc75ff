package agent_test

import (
	"context"
	"fmt"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/script"
	"github.com/socrates-cli/socrates/internal/tool"
)

// A turn is a sequence of steps. Its exchanges, appended to the history, are what the next turn goes on from, also in
// another process.
func Example() {
	model, err := script.New(llm.Info{ID: "scripted"}, script.Rule{
		Calls: []script.Call{{Tool: "count", Args: map[string]any{"word": "okapi"}}},
		Reply: "It has five letters.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	count := tool.New("count", "Counts the letters of a word.", tool.Reads,
		func(_ context.Context, in struct {
			Word string `json:"word"`
		}, _ tool.Env) (tool.Output, error) {
			return tool.Output{Text: fmt.Sprint(len(in.Word))}, nil
		})
	history := []llm.Message{llm.UserText("How long is okapi?")}
	a := agent.Agent{Model: model, Tools: []tool.Tool{count}, Calls: 10,
		Env: func(llm.Call, tool.Tool) tool.Env { return tool.Env{} }} // which allows nothing but to read
	for step, err := range a.Run(context.Background(), history) {
		switch {
		case err != nil:
			fmt.Println(err)
		case step.Begun != nil:
			fmt.Println("calls", step.Begun.Name)
		case step.Exchange != nil: // the answer that called, and the results
			fmt.Println("it returned", step.Ran[0].Output.Text)
			history = append(history, step.Exchange...)
		case step.End != nil:
			fmt.Println(step.End.Message.Text())
			history = append(history, step.End.Message)
		}
	}
	fmt.Println(len(history), "messages")
	// Output:
	// calls count
	// it returned 5
	// It has five letters.
	// 4 messages
}
