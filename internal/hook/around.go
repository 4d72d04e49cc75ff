package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/socrates-cli/socrates/internal/tool"
)

// Around returns the tools with the hooks around each call of them. What a hook asks for is put to the person; where
// nobody is, the call does not happen. warn is told of hooks that came to no answer.
func (s Set) Around(tools []tool.Tool, warn func(string)) []tool.Tool {
	out := slices.Clone(tools)
	for i, t := range tools {
		if slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.wants(BeforeTool, t.Name) || h.wants(AfterTool, t.Name) }) {
			out[i].Run = s.around(t, warn)
		}
	}
	return out
}

func (s Set) around(t tool.Tool, warn func(string)) func(context.Context, json.RawMessage, tool.Env) (tool.Output, error) {
	return func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
		before, err := s.Before(ctx, Call{t.Name, args})
		if err != nil {
			return tool.Output{}, err
		}
		for _, w := range before.Warnings {
			warn(w)
		}
		if err := before.may(ctx, t.Name, env); err != nil {
			return tool.Output{}, err
		}
		told := before.Context
		if before.Args != nil {
			args = before.Args
			told = join(fmt.Sprintf("The arguments were changed to %s", args), told)
		}
		out, err := t.Run(ctx, args, env)
		result := Result{Text: out.Text}
		if err != nil {
			result = Result{err.Error(), true}
		}
		after, lost := s.After(ctx, Call{t.Name, args}, result)
		if lost != nil { // the session ends: what was done is told all the same
			return out, err
		}
		for _, w := range after.Warnings {
			warn(w)
		}
		if told = join(told, after.Context); told == "" {
			return out, err
		}
		if err != nil {
			return out, fmt.Errorf("%w\n\nHooks of the person say:\n%s", err, told)
		}
		out.Text += "\n\nHooks of the person say:\n" + told
		return out, nil
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// may says in an error why a call must not happen. A question goes to the person.
func (a Answer) may(ctx context.Context, name string, env tool.Env) error {
	switch a.Decision {
	case Deny:
		return fmt.Errorf("refused by the hook %s: %s", a.By, a.Reason)
	case Ask:
		if env.Ask == nil {
			return fmt.Errorf("refused: the hook %s wants a person to be asked, and nobody is there: %s", a.By, a.Reason)
		}
		said, err := env.Ask(ctx, tool.Question{Text: fmt.Sprintf("The hook %s asks whether %s may run: %s", a.By, name, a.Reason), Options: []string{"yes", "no"}})
		if err != nil {
			return fmt.Errorf("refused: the hook %s wants a person to be asked: %w", a.By, err)
		}
		if said != "yes" {
			return errors.New("refused: the person said no")
		}
	}
	return nil
}
