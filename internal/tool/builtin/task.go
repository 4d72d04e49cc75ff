package builtin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/socrates-cli/socrates/internal/tool"
)

// taskArgs is the task for a subagent.
type taskArgs struct {
	Prompt   string `json:"prompt" jsonschema:"what to do, all it needs to know, and what to report; it sees nothing of this conversation"`
	ReadOnly bool   `json:"read_only,omitempty" jsonschema:"it may only read; such tasks of one answer run in parallel"`
	Role     string `json:"role,omitempty" jsonschema:"a phase or role, for example reviewer"`
	Tier     string `json:"tier,omitempty" jsonschema:"small, mid or big"`
	Model    string `json:"model,omitempty" jsonschema:"another model of the same vendor"`
}

// task is of effect Talks: the agent's own calls are decided about one by one, like those of the conversation.
var _ = register(looksBeside(tool.New("task",
	"Gives a self-contained task to an agent with a context of its own, and returns its report. "+
		"For wide searches, reviews and separable work.", tool.Talks,
	func(ctx context.Context, a taskArgs, env tool.Env) (tool.Output, error) {
		if env.Task == nil {
			return tool.Output{}, errors.New("tasks need a conversation")
		}
		return env.Task(ctx, tool.Task{Prompt: a.Prompt, Role: a.Role, Model: a.Model, Tier: a.Tier, Reads: a.ReadOnly})
	})))

// looksBeside returns a tool whose calls run concurrently if they say that they only read.
func looksBeside(t tool.Tool) tool.Tool {
	t.Beside = func(args json.RawMessage) bool {
		var a taskArgs
		return json.Unmarshal(args, &a) == nil && a.ReadOnly // an unreadable one fails alone
	}
	return t
}
