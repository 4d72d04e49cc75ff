// Package tool is what an agent may do: a named action whose parameters are described by a Go type.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/socrates-cli/socrates/internal/llm"
)

// Effect is the most a tool can do to the world.
type Effect string

// The effects, weakest first. A seat at the table gets tools of effect Reads only.
const (
	Reads  Effect = "reads"
	Writes Effect = "writes"
	Runs   Effect = "runs"
)

// Env is where and on whose account a tool runs.
type Env struct {
	Dir string // the project folder; nothing outside it can be reached
}

// Output is what a tool gives back: Text for the model, Show, one line, for a person.
type Output struct{ Text, Show string }

// Tool is one action.
type Tool struct {
	llm.Spec
	Effect Effect
	// Run executes the call. An error is told to the model as a failed result; it ends nothing.
	Run func(ctx context.Context, args json.RawMessage, env Env) (Output, error)
}

// New makes a tool from a function over typed parameters. P must be a struct; its fields' json and
// jsonschema tags become the schema. It panics when P has no schema: a programmer's mistake.
func New[P any](name, doc string, e Effect, run func(context.Context, P, Env) (Output, error)) Tool {
	schema, err := jsonschema.For[P](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{
		Spec:   llm.Spec{Name: name, Doc: doc, Schema: raw},
		Effect: e,
		Run: func(ctx context.Context, args json.RawMessage, env Env) (Output, error) {
			var p P
			if err := decode(args, &p); err != nil {
				return Output{}, fmt.Errorf("arguments of %s: %w", name, err)
			}
			return run(ctx, p, env)
		},
	}
}

func decode(args json.RawMessage, p any) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	err := json.Unmarshal(args, p)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must be a %s, not a %s", e.Field, e.Type, e.Value)
	}
	return err
}
