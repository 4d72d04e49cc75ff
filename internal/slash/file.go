package slash

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/view"
	"github.com/socrates-cli/socrates/internal/tree"
)

// files are the commands about files: those shown to the model, and those that are written.
func files() []Command {
	return []Command{
		{Name: "context", Args: "[add FILE… | remove FILE… | list]", Doc: "manage files in context; list the steps so far",
			More:     "FILE is a path or glob, with lines if you like: main.go:10-40. Files with secrets are never shown.",
			Like:     []string{"window"},
			Complete: completeContext, Run: contextFiles},
		{Name: "export", Args: "[FILE]", Doc: "print the conversation so far, or save it as .md, .html, .json or .jsonl", Run: export},
		{Name: "new", Args: "KIND TITLE", Doc: "create a ticket or document from a template; without KIND, list them",
			Complete: first(kindNames), Run: newFile},
	}
}

// completeContext offers the verbs, then the files that a verb applies to: those of the project, or those in
// the context.
func completeContext(ctx context.Context, env *Env, words []string) []string {
	switch {
	case len(words) == 1:
		return []string{"add", "list", "remove"}
	case words[0] == "add":
		return env.Files(ctx)
	case words[0] == "remove":
		set, _ := env.Settings(ctx)
		return margin.Files(set)
	}
	return nil
}

// contextFiles adds or removes files one by one. It stops at the first error; earlier changes stay.
func contextFiles(ctx context.Context, env *Env, args string) (Effect, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		_, way, err := env.open(ctx)
		list, err2 := listContext(ctx, env)
		list.Text += env.wayHere(way)
		return list, errors.Join(err, err2)
	case slices.Equal(words, []string{"list"}):
		return listContext(ctx, env)
	}
	if len(words) == 1 || words[0] != "add" && words[0] != "remove" {
		return Effect{}, lack("context", "add FILE, remove FILE or list")
	}
	if err := env.need(ctx, strings.Join(words[1:], " ")); err != nil {
		return Effect{}, err
	}
	for _, name := range words[1:] {
		var op engine.Op = turns.Hold{Tree: env.Tree, Name: name}
		if words[0] == "remove" {
			op = turns.Release{Tree: env.Tree, Name: name}
		}
		if err := env.do(ctx, op); err != nil {
			return Effect{}, err
		}
	}
	return listContext(ctx, env)
}

// listContext shows for each file in the context whether the model has seen it: a file is read with the next
// message.
func listContext(ctx context.Context, env *Env) (Effect, error) {
	_, way, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	shown := view.Held(way)
	var list [][2]string
	for _, name := range margin.Files(margin.Settings(way)) {
		state := "shown with your next message"
		if h, ok := shown[name]; ok {
			state = fmt.Sprintf("shown, %d bytes", len(h.Face))
		}
		list = append(list, [2]string{name, state})
	}
	if len(list) == 0 {
		return Effect{Text: "no files in context; add one: /context add FILE\n"}, nil
	}
	return Effect{Text: env.columns(list)}, nil
}

// mostSteps is how many of the last steps of a path are shown.
const mostSteps = 12

// wayHere formats the path from the beginning of the conversation to the head, a line for each visible step.
func (env *Env) wayHere(way []tree.Node) string {
	lines := outline.Of(way)
	if len(lines) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nsteps so far:\n")
	if more := len(lines) - mostSteps; more > 0 {
		fmt.Fprintf(&b, "  … %d earlier steps (/tree shows them)\n", more)
		lines = lines[more:]
	}
	for _, l := range lines {
		b.WriteString(env.fit("  "+short(l.Node)+" "+strings.TrimPrefix(l.Role+": "+l.Text, ": "), "") + "\n")
	}
	return b.String()
}

// formats are the formats of an exported conversation, by file extension; the first is the default.
var formats = []string{"md", "json", "jsonl", "html"}

// export writes the conversation in the format of the file's extension, Markdown if unknown. Without a file it
// shows the text. It begins no conversation: an empty one cannot be exported.
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

// kindNames returns the kinds of tickets that have templates.
func kindNames(_ context.Context, env *Env) (out []string) {
	for _, t := range env.Templates() {
		out = append(out, t.Name)
	}
	return out
}

// another explains how to begin another conversation; the full screen has /new.
const another = "To start another conversation: /quit, then socrates chat"

// newFile fills in a template. The file is not written here: the front end asks first, and never overwrites.
func newFile(ctx context.Context, env *Env, args string) (Effect, error) {
	kind, title, _ := strings.Cut(args, " ")
	all := env.Templates()
	if kind == "" {
		var list [][2]string
		for _, t := range all {
			list = append(list, [2]string{t.Name, t.Doc})
		}
		return Effect{Text: env.columns(list) + "create one: /new KIND TITLE. " + another + "\n"}, nil
	}
	at := slices.IndexFunc(all, func(t phase.Template) bool { return t.Name == kind })
	switch {
	case at < 0 && kind == "debate":
		return Effect{}, &engine.Refusal{Message: "debate tabs exist only on the full screen",
			Hint: "ask it here: /debate QUESTION"}
	case at < 0:
		return Effect{}, &engine.Refusal{Message: "unknown kind " + kind,
			Hint: "known kinds: " + strings.Join(kindNames(ctx, env), ", ") + ". " + another}
	case strings.TrimSpace(title) == "":
		return Effect{}, lack("new", "a title after "+kind)
	}
	file, text := all[at].Ticket(title, env.Today())
	return Effect{Write: &File{file, text}}, nil
}
