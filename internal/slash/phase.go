package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
)

// phases are the commands that change how the conversation goes on.
func phases() []Command {
	return []Command{
		into("socrates", "socrates", "ask until it is clear what is wanted"),
		into("plan", "planner", "make a plan of it; changes nothing but the plan"),
		into("exec", "executor", "carry the plan out"),
		into("review", "reviewer", "examine what came of it"),
		{Name: "phase", Args: "[NAME]", Doc: "go to a phase, one of your own too; without a name, list them", Complete: first(phaseNames), Run: choosePhase},
		{Name: "mode", Args: "[MODE]", Doc: "what may happen unasked: plan, paranoid, balanced or yolo",
			Complete: first(func(context.Context, *Env) []string { return []string{"plan", "paranoid", "balanced", "yolo"} }), Run: chooseMode},
		{Name: "models", Args: "[SPEC]", Also: []string{"model"}, Doc: "who answers from now on; without a name, list who could", Complete: first(modelNames), Run: chooseModel},
	}
}

// first completes the first word behind a command.
func first(words func(context.Context, *Env) []string) func(context.Context, *Env, []string) []string {
	return func(ctx context.Context, env *Env, typed []string) []string {
		if len(typed) != 1 {
			return nil
		}
		return words(ctx, env)
	}
}

func phaseNames(_ context.Context, env *Env) (out []string) {
	for _, p := range env.Phases() {
		out = append(out, p.Name)
	}
	return out
}

func modelNames(ctx context.Context, env *Env) []string { return env.Models(ctx) }

// into is the command that goes to a phase, and says something in it if there is something to say.
func into(name, phase, doc string) Command {
	return Command{Name: name, Args: "[TEXT]", Doc: doc, More: "It goes to the phase " + phase + ", which stays until you leave it: /phase chat. What follows is said in it.",
		Run: func(ctx context.Context, env *Env, text string) (Effect, error) {
			if err := env.need(ctx, text); err != nil {
				return Effect{}, err
			}
			if text != "" {
				return Effect{Start: engine.Say{Tree: env.Tree, Text: text, Phase: phase}}, nil
			}
			return env.set(ctx, "phase", phase)
		}}
}

func (env *Env) set(ctx context.Context, key, value string) (Effect, error) {
	if err := env.need(ctx, ""); err != nil {
		return Effect{}, err
	}
	return Effect{Text: "The " + key + " is " + value + " now."}, env.do(ctx, engine.Set{Tree: env.Tree, Key: key, Value: value})
}

func choosePhase(ctx context.Context, env *Env, name string) (Effect, error) {
	if name != "" {
		return env.set(ctx, "phase", name)
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	for _, p := range env.Phases() {
		list = append(list, [2]string{mark(p.Name, set["phase"], "chat"), p.Doc})
	}
	return Effect{Text: env.columns(list)}, nil
}

// mark puts a star before the one that holds.
func mark(name, set, usual string) string {
	if name == set || set == "" && name == usual {
		return "* " + name
	}
	return "  " + name
}

// modes says what each lets happen unasked.
var modes = [][2]string{{"plan", "reads only"}, {"paranoid", "reads in the project; all else is asked"},
	{"balanced", "reads, and writes in the project; commands that change things are asked"},
	{"yolo", "all but what cannot be undone, what leaves the project, and what is never allowed"}}

func chooseMode(ctx context.Context, env *Env, mode string) (Effect, error) {
	if mode != "" {
		return env.set(ctx, "mode", mode)
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	for _, m := range modes {
		list = append(list, [2]string{mark(m[0], set["mode"], "balanced"), m[1]})
	}
	return Effect{Text: env.columns(list)}, nil
}

func chooseModel(ctx context.Context, env *Env, spec string) (Effect, error) {
	if spec != "" {
		return env.set(ctx, "model", spec)
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	var b strings.Builder
	for _, m := range env.Models(ctx) {
		fmt.Fprintf(&b, "  %s\n", mark(m, set["model"], ""))
	}
	text := set["model"] + " answers."
	if b.Len() > 0 {
		text += " Ready are:\n" + b.String()
	}
	return Effect{Text: text}, nil
}
