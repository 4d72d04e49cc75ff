package slash

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk"
)

// files are the commands about files: those the model is shown, and those that are written.
func files() []Command {
	return []Command{
		{Name: "context", Args: "[add FILE… | remove FILE… | list]", Doc: "files the model is shown with line numbers, and again when they have changed",
			More: "FILE is a name or a pattern in the project, and may name lines: main.go:10-40. What holds a secret is not shown.", Complete: completeContext, Run: contextFiles},
		{Name: "export", Args: "[FILE]", Doc: "the conversation to here, shown or written to a file: .md, .html, or .json and .jsonl with everything in it", Run: export},
		{Name: "new", Args: "KIND TITLE", Doc: "write a ticket or document to begin with; without KIND, list the kinds",
			Complete: first(kindNames), Run: newFile},
	}
}

func completeContext(ctx context.Context, env *Env, words []string) []string {
	switch {
	case len(words) == 1:
		return []string{"add", "list", "remove"}
	case words[0] == "add":
		return env.Files(ctx)
	case words[0] == "remove":
		set, _ := env.Settings(ctx)
		return talk.Files(set)
	}
	return nil
}

func contextFiles(ctx context.Context, env *Env, args string) (Effect, error) {
	words := strings.Fields(args)
	if len(words) == 0 || slices.Equal(words, []string{"list"}) {
		return listContext(ctx, env)
	}
	if len(words) == 1 || words[0] != "add" && words[0] != "remove" {
		return Effect{}, lack("context", "add or remove, and a file; or list")
	}
	if err := env.need(ctx, strings.Join(words[1:], " ")); err != nil {
		return Effect{}, err
	}
	for _, name := range words[1:] {
		var op engine.Op = engine.Hold{Tree: env.Tree, Name: name}
		if words[0] == "remove" {
			op = engine.Release{Tree: env.Tree, Name: name}
		}
		if err := env.do(ctx, op); err != nil {
			return Effect{}, err
		}
	}
	return listContext(ctx, env)
}

func listContext(ctx context.Context, env *Env) (Effect, error) {
	_, way, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	shown := talk.Held(way)
	var list [][2]string
	for _, name := range talk.Files(talk.Settings(way)) {
		state := "shown with the next thing you say"
		if h, ok := shown[name]; ok {
			state = fmt.Sprintf("shown, %d bytes", len(h.Face))
		}
		list = append(list, [2]string{name, state})
	}
	if len(list) == 0 {
		return Effect{Text: "No file is in the context: /context add FILE"}, nil
	}
	return Effect{Text: env.columns(list)}, nil
}

// formats are what a conversation is written as, by the end of the file's name; the first is the usual one.
var formats = []string{"md", "json", "jsonl", "html"}

func export(ctx context.Context, env *Env, file string) (Effect, error) {
	t, _, err := env.begun(ctx)
	if err != nil {
		return Effect{}, err
	}
	format := strings.TrimPrefix(path.Ext(file), ".")
	if !slices.Contains(formats, format) {
		format = formats[0]
	}
	text, err := env.Export(ctx, t, format)
	if err != nil || file == "" {
		return Effect{Text: text}, err
	}
	return Effect{Write: &File{file, text}}, nil
}

func kindNames(_ context.Context, env *Env) (out []string) {
	for _, t := range env.Templates() {
		out = append(out, t.Name)
	}
	return out
}

func newFile(ctx context.Context, env *Env, args string) (Effect, error) {
	kind, title, _ := strings.Cut(args, " ")
	all := env.Templates()
	if kind == "" {
		var list [][2]string
		for _, t := range all {
			list = append(list, [2]string{t.Name, t.Doc})
		}
		return Effect{Text: env.columns(list)}, nil
	}
	at := slices.IndexFunc(all, func(t phase.Template) bool { return t.Name == kind })
	switch {
	case at < 0:
		return Effect{}, &engine.Refusal{Message: "there is no kind " + kind, Hint: "there are: " + strings.Join(kindNames(ctx, env), ", ")}
	case strings.TrimSpace(title) == "":
		return Effect{}, lack("new", "a title behind "+kind)
	}
	file, text := all[at].Ticket(title, env.Today())
	return Effect{Write: &File{file, text}}, nil
}
