package slash

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/spelling"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/spending"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// turnCommands are the commands about messages and answers.
func turnCommands() []Command {
	return []Command{
		{Name: "retry", Args: "[MODEL] [--files] | [RUN] STEP",
			Doc:      "answer the last message again, or with another model; --files reverts files first",
			More:     "The old answer stays on its branch. With a step's number, retries that step of a run.",
			Complete: every(retryWords), Run: retry},
		{Name: "aside", Args: "TEXT", Doc: "ask a side question (kept out of the context)", Run: aside},
		{Name: "clear", Doc: "start a new conversation with the same settings", Run: afresh},
		{Name: "compact", Args: "[undo]", Doc: "replace history with a summary (nothing is deleted); undo restores it",
			Like: []string{"summarize", "summary"}, Run: compact},
		{Name: "cost", Doc: "cost of this conversation by model", Like: []string{"status", "usage", "tokens"}, Run: solo("cost", costs)},
		{Name: "jobs", Args: "[N | end N]", Doc: "background commands: list them, show one's output, or end one",
			More: "Lists only this process's jobs; a conversation open in another process has its own.", Run: jobs},
		{Name: "permission", Args: "[WORDS | revoke N… | revoke all]", Also: []string{"permissions", "grants"},
			Like:     []string{"approve", "allow", "deny"},
			Doc:      "list, search or revoke the grants you gave here",
			More:     "Session grants end with this process; socrates permission list shows the lasting ones of all projects.",
			Complete: grantWords, Run: grants},
		{Name: "history", Args: "[N]", Doc: "show the last N turns (default 5)", Run: history},
	}
}

// compact starts a job that asks a model to summarize the history; reversing that needs no model and is done at
// once.
func compact(ctx context.Context, env *Env, args string) (Effect, error) {
	if _, _, err := env.begun(ctx); err != nil {
		return Effect{}, err
	}
	switch args {
	case "":
		return Effect{Start: turns.Compact{Tree: env.Tree, Model: env.Begin["model"]}}, nil
	case "undo":
		_, err := env.Engine.Do(ctx, turns.Compact{Tree: env.Tree, Undo: true})
		return Effect{Text: "the model sees the whole history again"}, err
	}
	return Effect{}, lack("compact", "nothing, or undo")
}

// retryWords are the models that could answer instead.
func retryWords(ctx context.Context, env *Env) []string {
	return append(modelNames(ctx, env), "--files")
}

// With a number it retries a step of a run, which people type out of habit. A named model answers this turn
// only.
func retry(ctx context.Context, env *Env, args string) (Effect, error) {
	if words := strings.Fields(args); len(words) > 0 && strings.Trim(words[len(words)-1], "0123456789") == "" {
		return workOn(ctx, env, "retry "+args)
	}
	model, has, err := options("retry", args, "--files")
	if err != nil {
		return Effect{}, err
	}
	_, path, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	e := Effect{Start: turns.Say{Tree: env.Tree, Again: true, Model: model, Files: has["--files"]}}
	if at := view.Turns(path); len(at) > 0 && !has["--files"] && left(path[at[len(at)-1]:]) {
		e.Text = "the file changes of the old answer stay; to revert them first: " + strings.TrimSpace("/retry "+model) + " --files"
	}
	return e, env.need(ctx, "")
}

// left reports whether changes of a turn to the files are still there. The first and the last snapshot of a
// turn are equal if it changed nothing, or everything was undone.
func left(turn []tree.Node) bool {
	all := margin.SnapKind.All(turn)
	return len(all) > 0 && all[0].Tree != all[len(all)-1].Tree
}

// aside asks a question beside the conversation: the branch does not move, and later turns are not shown it.
func aside(ctx context.Context, env *Env, text string) (Effect, error) {
	if text == "" {
		return Effect{}, lack("aside", "a question")
	}
	if _, _, err := env.begun(ctx); err != nil { // it needs a conversation
		return Effect{}, err
	}
	return Effect{Start: turns.Say{Tree: env.Tree, Text: text, Aside: true}}, env.need(ctx, "")
}

// afresh clears the conversation in the Env and keeps its settings for the next one. The old one is saved, as
// everything is.
func afresh(ctx context.Context, env *Env, _ string) (Effect, error) {
	set, err := env.Settings(ctx)
	if err != nil {
		return Effect{}, err
	}
	old := env.Tree
	env.Tree, env.Begin = "", map[string]string{}
	for _, key := range []string{"model", "phase", "mode"} {
		if set[key] != "" {
			env.Begin[key] = set[key]
		}
	}
	if old == "" {
		return Effect{Text: "new conversation"}, nil
	}
	return Effect{Text: "new conversation; the previous one is saved as " + old}, nil
}

// costs lists the cost of the conversation by model, for all branches together, and how much of it belongs to
// this path.
func costs(ctx context.Context, env *Env, _ string) (Effect, error) {
	t, path, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	all, err := env.Engine.Tree(ctx, t.Root)
	if err != nil {
		return Effect{}, err
	}
	var list [][2]string
	spent, here := spending.Spent(all), spending.Spent(path)
	for _, s := range spent {
		list = append(list, [2]string{s.Model, fmt.Sprintf("%s, %d tokens in (%d cached), %d out, %s", spelling.Many(s.Calls, "call"),
			s.Usage.Input+s.Usage.CacheRead+s.Usage.CacheWrite, s.Usage.CacheRead, s.Usage.Output, s.Usage.Money())})
	}
	if len(list) == 0 {
		return Effect{Text: "no cost yet"}, nil
	}
	text := env.columns(list)
	if calls(here) < calls(spent) {
		text += fmt.Sprintf("\n%d of %d calls are on this branch, the rest on others", calls(here), calls(spent))
	}
	return Effect{Text: text}, nil
}

// calls sums the model calls.
func calls(all []spending.Share) (n int) {
	for _, s := range all {
		n += s.Calls
	}
	return n
}

// history shows the last turns of the path as text.
func history(ctx context.Context, env *Env, args string) (Effect, error) {
	t, path, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	n, err := strconv.Atoi(cmp.Or(args, "5"))
	if err != nil {
		return Effect{}, &engine.Refusal{Message: "/history needs a number of turns, 1 or more", Hint: "search: /search " + args}
	}
	if n < 1 {
		return Effect{}, lack("history", "a number of turns, 1 or more")
	}
	at := view.Turns(path)
	if len(at) == 0 {
		return Effect{Text: "no messages yet"}, nil
	}
	c := scene.NewChat("")
	c.Load(t, path[at[max(0, len(at)-n)]:], nil)
	return Effect{Text: written(c.Entries), Last: true}, nil
}

// written formats a part of a conversation for people: messages after a >, calls as lines, answers unchanged.
// The program's notices and questions are left out: they were about that moment.
func written(entries []scene.Entry) string {
	var b strings.Builder
	called := false
	for _, e := range entries {
		text := strings.TrimRight(part(e), " \n")
		if text == "" {
			continue
		}
		// Consecutive calls are one part.
		if called = called && e.Sort == scene.Called; b.Len() > 0 {
			b.WriteString(map[bool]string{true: "\n", false: "\n\n"}[called])
		}
		b.WriteString(text)
		called = e.Sort == scene.Called
	}
	return b.String() + "\n"
}

// part formats one entry for written.
func part(e scene.Entry) string {
	switch e.Sort {
	case scene.Said:
		if e.Who != "" { // somebody added it to the record
			return "[" + e.Who + "] " + e.Text
		}
		return quoted(e.Text)
	case scene.Called:
		line := e.Text
		if e.Reason != "" {
			line += ": " + e.Reason
		}
		return "  · " + strings.ReplaceAll(line, "\n", " ")
	case scene.Answered:
		if e.State != talk.Done {
			return strings.TrimLeft(e.Text+"\n\n["+string(e.State)+": "+e.Reason+"]", "\n")
		}
		return e.Text
	case scene.Wrote:
		return e.Text
	case scene.Merged:
		return "[" + e.Source() + "]\n" + e.Text
	case scene.Summed:
		return "[summary]\n" + e.Text
	case scene.Held:
		if e.State != "held" {
			return "[" + e.Who + "]\n" + e.Text
		}
	}
	return ""
}

// quoted puts > before each line of a text; an empty text stays empty.
func quoted(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
