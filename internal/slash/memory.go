package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine"
)

// memory are the commands about what is kept for later conversations.
func memory() []Command {
	return []Command{
		{Name: "remember", Args: "[--everywhere] TEXT", Doc: "keep a note for later conversations about this project, or about all", Run: remember},
		{Name: "memory", Args: "[WORDS]", Doc: "list the notes that hold here, with where they come from; with WORDS those that have all of them", Run: listMemory},
		{Name: "forget", Args: "N", Doc: "forget a note; for a week it can be taken back in a shell: socrates memory restore N", Complete: first(noteNumbers), Run: forget},
	}
}

func remember(ctx context.Context, env *Env, args string) (Effect, error) {
	text, everywhere := strings.CutPrefix(args+" ", "--everywhere ")
	if text = strings.TrimSpace(text); text == "" {
		return Effect{}, lack("remember", "something to keep")
	}
	dir, err := env.Memory()
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
	op := engine.Keep{Text: text, Dir: dir, By: "person"}
	if len(path) > 0 {
		op.From = path[len(path)-1].ID
	}
	id, err := env.Engine.Do(ctx, op)
	if err != nil {
		return Effect{}, err
	}
	n, err := env.Engine.NoteOf(ctx, id)
	return Effect{Text: fmt.Sprintf("Kept as note %d. /memory lists what is kept, /forget %d forgets it.", n.Number, n.Number)}, err
}

func listMemory(ctx context.Context, env *Env, words string) (Effect, error) {
	dir, err := env.Memory()
	if err != nil {
		return Effect{}, err
	}
	notes, err := env.Engine.Notes(ctx, dir, words)
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
		return Effect{Text: "No note has all of these words: " + words}, nil
	}
	return Effect{Text: "Nothing is kept here yet: /remember TEXT"}, nil
}

func noteNumbers(ctx context.Context, env *Env) (out []string) {
	dir, err := env.Memory()
	if err != nil {
		return nil
	}
	notes, _ := env.Engine.Notes(ctx, dir, "")
	for _, n := range notes {
		out = append(out, strconv.Itoa(n.Number))
	}
	return out
}

func forget(ctx context.Context, env *Env, args string) (Effect, error) {
	number, err := strconv.Atoi(args)
	if err != nil {
		return Effect{}, lack("forget", "the number of a note; /memory lists them")
	}
	_, err = env.Engine.Do(ctx, engine.Forget{Numbers: []int{number}})
	return Effect{Text: fmt.Sprintf("Forgot note %d.", number)}, err
}
