// Package memory holds the commands that save, list, search and delete the notes shown to later conversations.
//
// A note is a node in the store, kept by a person or, if they agreed, by an agent. Commands add, list, search, show,
// forget and restore them; internal/talk/memory decides which notes a conversation is shown.
//
// A note belongs to one project or to all. Its number stays its own until it is removed from the disk.
//
// Exit codes: 0, or 2 for an unknown number, an empty text or flags that contradict each other.
//
// Secrets are removed from a note before it is stored, as everywhere. A deleted note is kept for a while under its
// number. Searches find decisions as well as notes, because whoever searches a memory does not know which of the two
// it was.
package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/notes"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/slash/env"
)

type commands struct {
	*call.Call
	decision func(d rooms.Decision, all bool) string // formats a decision for a list
}

// Memory are the note commands of a call.
type Memory struct{ commands }

// New returns the note commands of a call. decision formats an earlier decision that a search found; all: with its
// folder.
func New(shared *call.Call, decision func(d rooms.Decision, all bool) string) *Memory {
	return &Memory{commands{shared, decision}}
}

// Commands returns the command memory with its subcommands.
func (m *Memory) Commands() []*cobra.Command {
	a := &m.commands
	c := &cobra.Command{Use: "memory", Short: "Save, search and delete notes",
		Long: `Notes that you save, or ask an agent to remember, for later conversations. A conversation is shown
related notes, next to earlier decisions, as history and with their source.

A note belongs to a git worktree (outside git, to a folder) or to all projects. You can restore a
deleted note for ` + call.TrashDays + `. With run --bare, no notes are shown.`,
		Example: `  socrates memory add "releases are cut from the branch stable"
  socrates memory add --everywhere "answer in British English"
  socrates memory search release
  socrates memory forget 3`}
	n := a.noted()
	c.AddCommand(newAdd(a), n.List("List this project's notes, newest first"), newSearch(a), newShow(a, n),
		n.Remove(&cobra.Command{Use: "forget N…", Aliases: []string{"rm"},
			Short: "Delete notes; for " + call.TrashDays + " they can be restored",
			Long: `Delete notes: they are no longer listed, found or shown to later conversations. For
` + call.TrashDays + ` they can be restored; then they are removed from the disk. A conversation that was shown a
note keeps it.`}),
		n.Restores(&cobra.Command{Use: "restore N", Short: "Restore a deleted note"}))
	return []*cobra.Command{c}
}

// shownNote is a note in JSON.
type shownNote struct {
	notes.Note
	Everywhere bool `json:"everywhere"`
}

// shownNotes converts notes for JSON; never null.
func shownNotes(notes []notes.Note) []shownNote {
	list := []shownNote{}
	for _, n := range notes {
		list = append(list, shownNote{n, n.Dir == ""})
	}
	return list
}

// newAdd returns the command add. Text and stdin are joined; secrets in either are replaced before they are stored.
func newAdd(a *commands) *cobra.Command {
	var project, everywhere bool
	c := &cobra.Command{Use: "add TEXT", Short: "Save a note from the arguments or stdin",
		Example: `  socrates memory add "the tests need a running Postgres; make db starts one"
  git log -1 --format=%B | socrates memory add -`}
	c.Flags().BoolVar(&project, "project", false, "for this project (default)")
	c.Flags().BoolVar(&everywhere, "everywhere", false, "for all projects")
	c.RunE = func(c *cobra.Command, args []string) error {
		if project && everywhere {
			return failure.Usage("--project and --everywhere cannot be combined", "use one of them")
		}
		text, data, err := a.Prompt(args, false)
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text + "\n" + data); text == "" {
			return failure.Usage("the note is empty", `give a text: socrates memory add "…"`)
		}
		dir, err := a.Project()
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
		id, err := e.Do(c.Context(), notes.Keep{Text: text, Dir: dir, By: "person"})
		if err != nil {
			return err
		}
		n, err := notes.In(e).NoteOf(c.Context(), id)
		if err != nil {
			return err
		}
		return a.Out.Done(shownNote{n, everywhere}, fmt.Sprintf("Saved as note %d, %s.", n.Number, env.Scope(a.Home, n)))
	}
	return c
}

// noted describes notes for noun.
func (a *commands) noted() noun.Noun[shownNote] {
	listed := func(find func(l *notes.Library, ctx context.Context, q noun.Query) ([]notes.Note, error)) noun.Rows[shownNote] {
		return noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]shownNote, error) {
			list, err := find(notes.In(e), ctx, q)
			return shownNotes(list), err
		})
	}
	return noun.Noun[shownNote]{Call: a.Call, Is: "note", Are: "notes", Path: "socrates memory", First: `Add one: socrates memory add "…"`,
		Scope: noun.Project(a.Call), Indexed: true, Numbers: true,
		Rows: listed(func(l *notes.Library, ctx context.Context, q noun.Query) ([]notes.Note, error) {
			return l.List(ctx, q.Dir, strings.Join(q.Words, " "))
		}),
		Line: func(n shownNote) string { return env.Note(a.Home, n.Note) },
		Text: func(n shownNote) string { return n.Text },
		Name: func(n shownNote) (string, string) { return strconv.Itoa(n.Number), out.Clip(out.OneLine(n.Text), 60) },
		Trash: &noun.Trash[shownNote]{Gone: "forgotten",
			Rows: listed(func(l *notes.Library, ctx context.Context, q noun.Query) ([]notes.Note, error) {
				return l.Forgotten(ctx, q.Dir)
			}),
			Delete:  func(names []string) engine.Op { return notes.Forget{Numbers: noun.Ints(names)} },
			Restore: func(name string) engine.Op { return notes.TakeBack{Number: noun.Int(name)} }}}
}

// found is one result of a search of the memory: who searches one wants decisions, too, with what they rejected.
type found struct {
	note     *shownNote
	decision *foundDecision
}

// foundDecision is a decision as a search of the memory shows it.
type foundDecision struct {
	rooms.Decision
	Rejected []string `json:"rejected"`
}

// newSearch is the command memory search.
func newSearch(a *commands) *cobra.Command {
	row := noun.Noun[found]{Call: a.Call, Is: "note or decision", Are: "notes and decisions", Path: "socrates memory",
		Scope: noun.Project(a.Call), Indexed: true,
		Rows: noun.Stored(a.Call, a.find),
		Line: func(f found) string { return a.foundLine(f, false) },
		Far:  func(f found) string { return a.foundLine(f, true) },
		Wrap: func(all []found) any {
			notes, decisions := []shownNote{}, []foundDecision{}
			for _, f := range all {
				if f.note != nil {
					notes = append(notes, *f.note)
				} else {
					decisions = append(decisions, *f.decision)
				}
			}
			return map[string]any{"notes": notes, "decisions": decisions}
		}}
	return row.Search(&cobra.Command{Use: "search WORDS", Short: "Search notes and decisions"})
}

// find returns the notes and then the decisions that contain all words.
func (a *commands) find(ctx context.Context, e *engine.Engine, q noun.Query) (all []found, _ error) {
	words := strings.Join(q.Words, " ")
	kept, err := notes.In(e).List(ctx, q.Dir, words)
	if err != nil {
		return nil, err
	}
	for _, n := range shownNotes(kept) {
		all = append(all, found{note: &n})
	}
	decisions, _, err := rooms.In(e).Decisions(ctx, q.Dir, words, call.Listed)
	if err != nil {
		return nil, err
	}
	for _, d := range decisions {
		digest, err := rooms.In(e).Digest(ctx, d.Room)
		if err != nil {
			return nil, err
		}
		all = append(all, found{decision: &foundDecision{d, digest.Rejected}})
	}
	return all, nil
}

// foundLine formats one result; far: of any project.
func (a *commands) foundLine(f found, far bool) string {
	if f.note != nil {
		return env.Note(a.Home, f.note.Note)
	}
	text := a.decision(f.decision.Decision, far)
	for _, r := range f.decision.Rejected {
		text += "    rejected: " + out.Clip(out.OneLine(r), 65) + "\n"
	}
	return text
}
