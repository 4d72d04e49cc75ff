package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/notes"
)

// memory are the commands about notes for later conversations.
func memory() []Command {
	return []Command{
		{Name: "remember", Args: "[--everywhere] TEXT", Doc: "save a note for this project, or for all", Run: remember},
		{Name: "memory", Args: "[WORDS]", Doc: "list notes for this project; WORDS: only those containing all of them", Run: listMemory},
		{Name: "forget", Args: "N", Doc: "delete a note (restore within a week: socrates memory restore N)", Complete: first(noteNumbers),
			Run: forget},
	}
}

// remember saves a note for the project, or for all projects, with its place in the conversation.
func remember(ctx context.Context, env *Env, args string) (Effect, error) {
	text, everywhere := strings.CutPrefix(args+" ", "--everywhere ")
	if text = strings.TrimSpace(text); text == "" {
		return Effect{}, lack("remember", "a text")
	}
	dir, err := env.Project()
	if err != nil {
		return Effect{}, err
	}
	if everywhere {
		dir = ""
	}
	_, path, err := env.open(ctx)
	if err != nil {
		return Effect{}, err
	}
	op := notes.Keep{Text: text, Dir: dir, By: "person"}
	if len(path) > 0 {
		op.From = path[len(path)-1].ID
	}
	id, err := env.Engine.Do(ctx, op)
	if err != nil {
		return Effect{}, err
	}
	n, err := notes.In(env.Engine).NoteOf(ctx, id)
	return Effect{Text: fmt.Sprintf("note %d saved (list: /memory; delete: /forget %d)", n.Number, n.Number)}, err
}

// listMemory lists the notes that apply in this project, including those for all projects.
func listMemory(ctx context.Context, env *Env, words string) (Effect, error) {
	dir, err := env.Project()
	if err != nil {
		return Effect{}, err
	}
	notes, err := notes.In(env.Engine).List(ctx, dir, words)
	if err != nil {
		return Effect{}, err
	}
	var b strings.Builder
	for _, n := range notes {
		b.WriteString(env.Note(n))
	}
	switch {
	case len(notes) > 0:
		return Effect{Text: b.String()}, nil
	case words != "":
		return Effect{Text: "no note contains all of these words: " + words}, nil
	}
	return Effect{Text: "no notes yet; add one: /remember TEXT"}, nil
}

// noteNumbers returns the numbers of the notes that are listed here.
func noteNumbers(ctx context.Context, env *Env) (out []string) {
	dir, err := env.Project()
	if err != nil {
		return nil
	}
	notes, _ := notes.In(env.Engine).List(ctx, dir, "")
	for _, n := range notes {
		out = append(out, strconv.Itoa(n.Number))
	}
	return out
}

// forget deletes a note by its number, which is the same in every project.
func forget(ctx context.Context, env *Env, args string) (Effect, error) {
	number, err := strconv.Atoi(args)
	if err != nil {
		return Effect{}, lack("forget", "a note's number; /memory lists them")
	}
	_, err = env.Engine.Do(ctx, notes.Forget{Numbers: []int{number}})
	return Effect{Text: fmt.Sprintf("deleted note %d", number)}, err
}
