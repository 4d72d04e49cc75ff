package slash

import (
	"cmp"
	"context"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/tree"
)

// others are the commands that have no family.
// login is among them because people look for it here; it never takes a key, since what is typed is saved.
func others() []Command {
	return []Command{
		{Name: "debate", Args: "[--FLAG VALUE]… QUESTION", Doc: "debate a question and add the decision here",
			More: "FLAG is one of `socrates debate`: --strategy, --seat, --files, --rounds, --preset, --budget, --allow-check " +
				"and others.\n" +
				"The seats also see the files in this conversation's context.",
			Complete: debateWords, Run: startDebate},
		{Name: "help", Args: "[COMMAND]", Also: []string{"?"}, Doc: "list the commands, or explain one",
			Complete: first(commandNames), Run: help},
		{Name: "login", Doc: "how to add an API key or sign in", Run: func(_ context.Context, env *Env, _ string) (Effect, error) {
			return Effect{Text: "do not type keys here: conversations are saved; in another terminal, run: " + env.Login}, nil
		}},
		{Name: "quit", Also: []string{"exit", "q"}, Doc: "quit; everything is saved",
			Run: func(context.Context, *Env, string) (Effect, error) { return Effect{Leave: true}, nil }},
	}
}

// Unquoted is a text without the quotes around all of it, which a shell would want and nobody needs here.
// Quotes that stand within the text keep it as it is: "a" or "b" is not a quoted text.
func Unquoted(text string) string {
	for _, q := range []string{`""`, "''", "“”", "„“", "«»"} {
		open, end := []rune(q)[0], []rune(q)[1]
		inner, ok := strings.CutPrefix(text, string(open))
		if inner, closed := strings.CutSuffix(inner, string(end)); ok && closed && !strings.ContainsAny(inner, q) {
			return strings.TrimSpace(inner)
		}
	}
	return text
}

// commandNames are the names of all commands, without other names for them.
func commandNames(ctx context.Context, env *Env) (out []string) {
	for _, c := range All(ctx, env) {
		out = append(out, c.Name)
	}
	return out
}

// help lists all commands, or explains one.
func help(ctx context.Context, env *Env, name string) (Effect, error) {
	if name != "" {
		c, err := find(ctx, env, strings.TrimPrefix(name, "/"))
		if err != nil {
			return Effect{}, err
		}
		text := c.Form() + "\n  " + c.Doc + "\n"
		if c.More != "" {
			text += "  " + c.More + "\n"
		}
		if len(c.Also) > 0 {
			text += "  Also: /" + strings.Join(c.Also, ", /") + "\n"
		}
		return Effect{Text: text}, nil
	}
	var list [][2]string
	for _, c := range All(ctx, env) {
		list = append(list, [2]string{c.Form(), c.Doc})
	}
	return Effect{Text: env.columns(list)}, nil
}

// pages are the commands that are pages: what they say is said as if the person had typed it.
// The trust of a project's page is asked when it is run, not when it is listed: it may change in between. Tools that
// the page names are the only ones of that turn.
func pages(env *Env) (out []Command) {
	for _, p := range env.Pages() {
		out = append(out, Command{Name: p.Name, Args: p.Args, Doc: p.Doc,
			Run: func(ctx context.Context, env *Env, args string) (Effect, error) {
				if p.Project {
					if err := env.Trusted(p); err != nil {
						return Effect{}, err
					}
				}
				text, err := p.Expand(args)
				if err != nil {
					return Effect{}, &engine.Refusal{Message: err.Error()}
				}
				if err := env.need(ctx, p.Name+" "+args); err != nil {
					return Effect{}, err
				}
				return Effect{Start: turns.Say{Tree: env.Tree, Text: text, Typed: asTyped(p.Name, args), Only: p.Tools}}, nil
			}})
	}
	return out
}

// asTyped is a command as a person typed it.
// The record shows it in place of the prompt, which is long and not the person's own words.
func asTyped(name, args string) string { return strings.TrimSpace("/" + name + " " + args) }

// prompts are those of the conversation's MCP servers. A line with one is no command to Parse: it is said, and
// what the server makes of it takes its place.
func prompts(ctx context.Context, env *Env) (out []Command) {
	if env.Engine == nil { // nothing runs yet
		return nil
	}
	root, dir := tree.ID(""), env.Dir
	if env.Tree != "" {
		t, err := conversation.In(env.Engine).Open(ctx, env.Tree)
		if err != nil {
			return nil
		}
		root, dir = t.Root, t.Dir
	}
	for _, p := range turns.In(env.Engine).Prompts(ctx, root, dir) {
		out = append(out, Command{Name: p.Name, Args: p.Args, Doc: cmp.Or(p.Doc, "prompt of an MCP server"),
			Run: func(ctx context.Context, env *Env, args string) (Effect, error) {
				if err := env.need(ctx, p.Name+" "+args); err != nil {
					return Effect{}, err
				}
				return Effect{Start: turns.Say{Tree: env.Tree, Text: asTyped(p.Name, args)}}, nil
			}})
	}
	return out
}

// skills are commands, too: the agent is told to use the one that is named.
// A skill is text in the project or the home; nothing of it is run by this command.
func skills(ctx context.Context, env *Env) (out []Command) {
	for _, s := range env.Skills(ctx) {
		out = append(out, Command{Name: s.Name, Args: "[TEXT]", Doc: "skill: " + s.Doc,
			Run: func(ctx context.Context, env *Env, args string) (Effect, error) {
				text := "Use the skill " + s.Name + ": read " + s.File + " first, and follow it."
				if args != "" {
					text += "\n\n" + args
				}
				if err := env.need(ctx, s.Name+" "+args); err != nil {
					return Effect{}, err
				}
				return Effect{Start: turns.Say{Tree: env.Tree, Text: text, Typed: asTyped(s.Name, args)}}, nil
			}})
	}
	return out
}
