package slash

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/phase"
)

// phases are the commands that change how the conversation goes on.
func phases() []Command {
	return []Command{
		into("socrates", "ask until it is clear what is wanted"),
		into("plan", "make a plan of it; changes nothing but the plan"),
		into("exec", "carry the plan out"),
		into("review", "examine what came of it"),
		{Name: "next", Args: "[TEXT]", Doc: "go to the phase that follows this one", More: "What follows is said in it.", Run: next},
		{Name: "phase", Args: "[NAME]", Doc: "go to a phase, one of your own too; without a name, list them", Complete: first(phaseNames), Run: choosePhase},
		{Name: "mode", Args: "[MODE]", Doc: "what may happen unasked: plan, paranoid, balanced or yolo",
			Complete: first(func(context.Context, *Env) []string { return []string{"plan", "paranoid", "balanced", "yolo"} }), Run: chooseMode},
		{Name: "models", Args: "[SPEC]", Also: []string{"model"}, Doc: "who answers from now on; without a name, list who could", Complete: first(modelNames), Run: chooseModel},
	}
}

// shortcuts are the commands that go to a phase.
var shortcuts = map[string]string{"socrates": "socrates", "plan": "planner", "exec": "executor", "review": "reviewer"}

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
func into(name, doc string) Command {
	phase := shortcuts[name]
	return Command{Name: name, Args: "[TEXT]", Doc: doc, More: "It goes to the phase " + phase + ", which stays until you leave it: /phase chat. What follows is said in it.",
		Run: func(ctx context.Context, env *Env, text string) (Effect, error) { return enter(ctx, env, phase, text) }}
}

func enter(ctx context.Context, env *Env, phase, text string) (Effect, error) {
	if err := env.need(ctx, text); err != nil {
		return Effect{}, err
	}
	if text != "" {
		return Effect{Start: engine.Say{Tree: env.Tree, Text: text, Phase: phase}}, nil
	}
	return env.set(ctx, "phase", phase)
}

func next(ctx context.Context, env *Env, text string) (Effect, error) {
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	p := env.phase(set)
	if p.Next == "" {
		return Effect{}, &engine.Refusal{Message: "no phase follows " + p.Name, Hint: "/phase lists them"}
	}
	return enter(ctx, env, p.Next, text)
}

// Into is what is typed to go to a phase.
func Into(phase string) string {
	for name, to := range shortcuts {
		if to == phase {
			return "/" + name
		}
	}
	return "/phase " + phase
}

// phase is the page of the phase that settings name.
func (env *Env) phase(set map[string]string) phase.Phase {
	name := cmp.Or(set["phase"], "chat")
	for _, p := range env.Phases() {
		if p.Name == name {
			return p
		}
	}
	return phase.Phase{Name: name}
}

// answers is the model that answers with these settings.
func (env *Env) answers(set map[string]string) string {
	if env.Tiered == nil {
		return set["model"]
	}
	return env.Tiered(set["model"], env.phase(set).Tier)
}

func (env *Env) set(ctx context.Context, key, value string) (Effect, error) {
	if err := env.do(ctx, engine.Set{Tree: env.Tree, Key: key, Value: value}); err != nil {
		return Effect{}, err
	}
	if env.Tree == "" { // it begins, and gets its name, with the first words
		env.Begin[key] = value
	}
	text := "The " + key + " is " + value + " now."
	set, err := env.Settings(ctx)
	if by := env.answers(set); by != set["model"] && key != "mode" {
		text += " In the phase " + env.phase(set).Name + " " + by + " answers."
	}
	return Effect{Text: text}, err
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
	text := env.answers(set) + " answers."
	if b.Len() > 0 {
		text += " Ready are:\n" + b.String()
	}
	return Effect{Text: text}, nil
}
