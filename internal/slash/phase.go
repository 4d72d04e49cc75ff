package slash

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/phase"
)

// phases are the commands that change how the conversation continues.
func phases() []Command {
	return []Command{
		into("socrates", "switch to clarifying the request by questions"),
		into("plan", "switch to planning; changes nothing but the plan"),
		into("review", "switch to reviewing the changes; /phase chat leaves"),
		{Name: "next", Args: "[TEXT]", Doc: "go to the next phase", More: "TEXT is sent in that phase.", Run: next},
		{Name: "phase", Args: "[NAME]", Doc: "switch to a phase, including your own; without a name, list them",
			Complete: first(phaseNames), Run: choosePhase},
		{Name: "mode", Args: "[MODE]", Doc: "permission mode: plan, paranoid, balanced, yolo",
			Complete: first(func(context.Context, *Env) []string { return []string{"plan", "paranoid", "balanced", "yolo"} }),
			Run:      chooseMode},
		{Name: "models", Args: "[SPEC]", Also: []string{"model"}, Doc: "choose the model; without a name, list the available ones",
			Complete: first(modelNames), Run: chooseModel},
	}
}

// shortcuts are the commands that go to a phase.
var shortcuts = map[string]string{"socrates": "socrates", "plan": "planner", "review": "reviewer"}

// first completes only the first word after a command.
func first(words func(context.Context, *Env) []string) func(context.Context, *Env, []string) []string {
	return func(ctx context.Context, env *Env, typed []string) []string {
		if len(typed) != 1 {
			return nil
		}
		return words(ctx, env)
	}
}

// phaseNames returns all usable phases, including the person's own.
func phaseNames(_ context.Context, env *Env) (out []string) {
	for _, p := range env.Phases() {
		out = append(out, p.Name)
	}
	return out
}

func modelNames(ctx context.Context, env *Env) []string { return env.Models(ctx) }

// into returns the command that goes to a phase, and sends a message in it if there is one.
func into(name, doc string) Command {
	phase := shortcuts[name]
	return Command{Name: name, Args: "[TEXT]", Doc: doc, More: "Switches to phase " + phase +
		" until you leave it: /phase chat. TEXT is sent in that phase.",
		Run: func(ctx context.Context, env *Env, text string) (Effect, error) { return enter(ctx, env, phase, text) }}
}

// enter goes to a phase. With a text the turn that answers it sets the phase, so that both happen or neither.
func enter(ctx context.Context, env *Env, phase, text string) (Effect, error) {
	if err := env.need(ctx, text); err != nil {
		return Effect{}, err
	}
	if text != "" {
		told, err := env.entering(ctx, phase)
		return Effect{Text: told, Start: turns.Say{Tree: env.Tree, Text: text, Phase: phase}}, err
	}
	return env.set(ctx, "phase", phase)
}

// next goes where the page of the phase leads: to another phase, or to a command such as /exec.
func next(ctx context.Context, env *Env, text string) (Effect, error) {
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	p := env.phase(set)
	if p.Next == "" {
		return Effect{}, &engine.Refusal{Message: "no phase after " + p.Name, Hint: "list phases: /phase"}
	}
	if name, isCommand := strings.CutPrefix(p.Next, "/"); isCommand {
		c, err := find(ctx, env, name)
		if err != nil {
			return Effect{}, err
		}
		return c.Run(ctx, env, text)
	}
	return enter(ctx, env, p.Next, text)
}

// Into returns what is typed to go to a phase; a command is returned unchanged. Phases without a command of
// their own use /phase.
func Into(phase string) string {
	if strings.HasPrefix(phase, "/") {
		return phase
	}
	for name, to := range shortcuts {
		if to == phase {
			return "/" + name
		}
	}
	return "/phase " + phase
}

// phase returns the page of the phase in the settings. A phase whose page was deleted or renamed restricts
// nothing and says nothing.
func (env *Env) phase(set map[string]string) phase.Phase {
	name := cmp.Or(set["phase"], "chat")
	for _, p := range env.Phases() {
		if p.Name == name {
			return p
		}
	}
	return phase.Phase{Name: name}
}

// answers returns the model that answers with these settings. It differs from the chosen model if the phase
// asks for another tier of the same vendor.
func (env *Env) answers(set map[string]string) string {
	if env.Tiered == nil {
		return set["model"]
	}
	return env.Tiered(set["model"], env.phase(set).Tier)
}

// set sets model, phase or mode, now or when the conversation begins, and reports if another model answers now.
// The engine checks the value either way.
func (env *Env) set(ctx context.Context, key, value string) (Effect, error) {
	if err := env.do(ctx, turns.Set{Tree: env.Tree, Key: key, Value: value}); err != nil {
		return Effect{}, err
	}
	if env.Tree == "" { // it begins, and gets its name, with the first message
		env.Begin[key] = value
	}
	set, err := env.Settings(ctx)
	text := key + ": " + value
	switch key {
	case "phase":
		text = env.Phased(set)
	case "model":
		if by := env.differs(set); by != "" {
			text += "; phase " + env.phase(set).Name + " uses " + by
		}
	}
	return Effect{Text: text}, err
}

// entering says what a phase that the next message enters changes; empty: the conversation is in it.
func (env *Env) entering(ctx context.Context, phase string) (string, error) {
	set, err := env.Settings(ctx)
	if err != nil || cmp.Or(set["phase"], "chat") == phase {
		return "", err
	}
	set["phase"] = phase
	return env.Phased(set), nil
}

// Phased describes the phase in these settings, what it changes, and how to leave it.
func (env *Env) Phased(set map[string]string) string {
	name := env.phase(set).Name
	text := "now in phase " + name
	if by := env.differs(set); by != "" {
		text += " with " + by
	}
	p := env.phase(set)
	if mode := permission.Mode(cmp.Or(set["mode"], "balanced")); p.Mode != "" && mode.Stricter(permission.Mode(p.Mode)) != mode {
		text += ", in mode " + p.Mode
	}
	if name != "chat" {
		text += "; /phase chat leaves it"
	}
	return text
}

// differs returns the model that the phase uses instead of the chosen one; empty: it uses that.
func (env *Env) differs(set map[string]string) string {
	if by := env.answers(set); by != set["model"] {
		return by
	}
	return ""
}

// choosePhase sets the phase, or lists them all with a star before the current one.
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

// mark puts a star before the current one.
func mark(name, set, usual string) string {
	if name == set || set == "" && name == usual {
		return "* " + name
	}
	return "  " + name
}

// Modes are the permission modes, each with what it allows without approval.
var Modes = [][2]string{{"plan", "read-only"}, {"paranoid", "reads inside the project; asks for everything else"},
	{"balanced", "reads and writes inside the project; asks before commands that change things"},
	{"yolo", "everything except irreversible, external and forbidden actions"}}

// chooseMode sets the permission mode, or lists them.
func chooseMode(ctx context.Context, env *Env, mode string) (Effect, error) {
	if mode != "" {
		return env.set(ctx, "mode", mode)
	}
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	for _, m := range Modes {
		list = append(list, [2]string{mark(m[0], set["mode"], "balanced"), m[1]})
	}
	return Effect{Text: env.columns(list)}, nil
}

// chooseModel sets the model, or lists those that are available. An unlisted model may still be named: vendors
// have more than they list.
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
	text := "model: " + env.answers(set)
	if b.Len() > 0 {
		text += "\navailable:\n" + b.String()
	}
	return Effect{Text: text}, nil
}
