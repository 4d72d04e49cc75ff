package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newMemory(a *app) *cobra.Command {
	c := &cobra.Command{Use: "memory", Short: "Keep, find and forget notes for later conversations",
		Long: `Notes that you keep, or that you ask an agent to remember. A conversation is shown those that
fit, beside earlier decisions, as history and with where they come from.

A note belongs to the git work tree it was kept in, else to the folder, or to all projects.
What is forgotten can be taken back for ` + call.TrashDays + `. With run --bare nothing is shown.`,
		Example: `  socrates memory add "releases are cut from the branch stable"
  socrates memory add --everywhere "answer in British English"
  socrates memory search release
  socrates memory forget 3`}
	c.AddCommand(newMemoryAdd(a), newMemoryList(a), newMemorySearch(a), newMemoryShow(a), newMemoryForget(a), newMemoryRestore(a))
	return c
}

// shownNote is a note as a program is told it.
type shownNote struct {
	engine.Note
	Everywhere bool `json:"everywhere"`
}

func shownNotes(notes []engine.Note) []shownNote {
	list := []shownNote{}
	for _, n := range notes {
		list = append(list, shownNote{n, n.Dir == ""})
	}
	return list
}

func newMemoryAdd(a *app) *cobra.Command {
	var project, everywhere bool
	c := &cobra.Command{Use: "add TEXT", Short: "Keep a note; the text comes from the arguments or stdin",
		Example: `  socrates memory add "the tests need a running Postgres; make db starts one"
  git log -1 --format=%B | socrates memory add -`}
	c.Flags().BoolVar(&project, "project", false, "for this project; so it is anyway")
	c.Flags().BoolVar(&everywhere, "everywhere", false, "for all projects")
	c.RunE = func(c *cobra.Command, args []string) error {
		if project && everywhere {
			return failure.Usage("a note is for this project or for all, not both", "leave out --project or --everywhere")
		}
		text, data, err := a.Prompt(args, false)
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text + "\n" + data); text == "" {
			return failure.Usage("there is nothing to keep", `say it: socrates memory add "…"`)
		}
		dir, err := a.Home.Settings.Project()
		if err != nil {
			return err
		}
		if everywhere {
			dir = ""
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		id, err := e.Do(c.Context(), engine.Keep{Text: text, Dir: dir, By: "person"})
		if err != nil {
			return err
		}
		n, err := e.NoteOf(c.Context(), id)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(shownNote{n, everywhere})
		}
		a.Out.Tell(fmt.Sprintf("Kept as note %d, %s.\n", n.Number, a.noteScope(n)))
		return nil
	}
	return c
}

func newMemoryList(a *app) *cobra.Command {
	var all, deleted bool
	c := &cobra.Command{Use: "list [WORDS]", Short: "List the notes that hold here, the newest first"}
	c.Flags().BoolVar(&all, "all", false, "of all projects")
	c.Flags().BoolVar(&deleted, "deleted", false, "those that were forgotten and can be taken back")
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if deleted {
			if len(args) > 0 || all {
				return failure.Usage("--deleted lists all that was forgotten; it takes nothing beside it", "")
			}
			notes, err := e.Forgotten(c.Context())
			if err != nil {
				return err
			}
			return a.listNotes(notes, "Nothing was forgotten in the last "+call.TrashDays+".\n")
		}
		dir, err := a.scope(all)
		if err != nil {
			return err
		}
		words := strings.Join(args, " ")
		notes, err := e.Notes(c.Context(), dir, words)
		if err != nil {
			return err
		}
		none := "Nothing is kept here yet. Keep a note: socrates memory add \"…\"\n"
		if strings.TrimSpace(words) != "" {
			none = "No note has all of these words: " + words + "\n"
			a.TellUnindexed(e)
		}
		return a.listNotes(notes, none)
	}
	return c
}

// scope is the project we are in, or empty for all of them.
func (a *app) scope(all bool) (string, error) {
	if all {
		return "", nil
	}
	return a.Home.Settings.Project()
}

func (a *app) listNotes(notes []engine.Note, none string) error {
	if a.Out.Format != "text" {
		return a.Out.JSON(shownNotes(notes))
	}
	for _, n := range notes {
		fmt.Fprint(a.Out, a.noteLines(n))
	}
	if len(notes) == 0 {
		a.Out.Tell(none)
	}
	return nil
}

// noteLines is a note in a list.
func (a *app) noteLines(n engine.Note) string {
	when := out.Ago(n.At)
	if !n.Until.IsZero() {
		when = call.UntilText(time.Until(n.Until))
	}
	return fmt.Sprintf("%-4d %-11s %s\n     %s\n", n.Number, when, out.Clip(out.OneLine(n.Text), 62),
		out.Clip(a.noteScope(n)+", "+keptBy(n), 74))
}

// noteScope says where a note holds.
func (a *app) noteScope(n engine.Note) string {
	here, err := a.Home.Settings.Project()
	switch {
	case n.Dir == "":
		return "for all projects"
	case err == nil && n.Dir == here:
		return "for this project"
	}
	return "for " + n.Dir
}

// keptBy says who kept a note, and in which conversation.
func keptBy(n engine.Note) string {
	if n.From == "" {
		return "kept by you"
	}
	by := n.By
	if by == "person" {
		by = "you"
	}
	return "kept by " + by + " in " + cmp.Or(n.Tree, "a conversation that is gone")
}

func newMemorySearch(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "search WORDS", Short: "Find notes, and decisions with what they rejected, by their words, the best match first",
		Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return failure.Usage("search takes the words to look for", "list all notes with: socrates memory list")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "of all projects")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.searchMemory(c.Context(), all, strings.Join(args, " "))
	}
	return c
}

// foundDecision is a decision as a search of the memory shows it.
type foundDecision struct {
	engine.Decision
	Rejected []string `json:"rejected"`
}

func (a *app) searchMemory(ctx context.Context, all bool, words string) error {
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	dir, err := a.scope(all)
	if err != nil {
		return err
	}
	notes, err := e.Notes(ctx, dir, words)
	if err != nil {
		return err
	}
	decisions, _, err := e.Decisions(ctx, dir, words, listed)
	if err != nil {
		return err
	}
	a.TellUnindexed(e)
	found := []foundDecision{}
	for _, d := range decisions {
		digest, err := e.Digest(ctx, d.Room)
		if err != nil {
			return err
		}
		found = append(found, foundDecision{d, digest.Rejected})
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(map[string]any{"notes": shownNotes(notes), "decisions": found})
	}
	for _, n := range notes {
		fmt.Fprint(a.Out, a.noteLines(n))
	}
	for _, d := range found {
		fmt.Fprint(a.Out, decisionLines(d.Decision, all))
		for _, r := range d.Rejected {
			fmt.Fprintf(a.Out, "    rejected: %s\n", out.Clip(out.OneLine(r), 65))
		}
	}
	if len(notes)+len(found) == 0 {
		a.Out.Tell("Neither a note nor a decision has all of these words: " + words + "\n")
	}
	return nil
}
