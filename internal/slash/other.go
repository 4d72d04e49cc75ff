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

// others are the commands without a family. login is among them because people look for it here; it never takes
// a key, since typed lines are saved.
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

// Unquoted removes quotes around a whole text, which a shell would need and this does not. Quotes within the
// text stay: "a" or "b" is not a quoted text.
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

// commandNames returns the names of all commands, without aliases.
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

// pages are the commands defined by pages: their text is sent as if the person had typed it. The trust of a
// project's page is checked when it is run, not when it is listed: it may change in between. If the page names
// tools, that turn has only those.
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

// asTyped returns a command as a person typed it. The record shows it in place of the prompt, which is long and
// not the person's own words.
func asTyped(name, args string) string { return strings.TrimSpace("/" + name + " " + args) }

// prompts returns those of the conversation's MCP servers. Parse does not treat a line with one as a command:
// it is sent, and replaced by the prompt from the server.
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

// skills are commands, too: they tell the agent to use the named skill. A skill is text in the project or the
// home; this command runs nothing of it.
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
