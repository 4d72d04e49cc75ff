package decision

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// newWrite returns the command write. It never renumbers files and never rewrites a text: people link to both.
func newWrite(a *commands) *cobra.Command {
	var dir string
	var dry bool
	c := &cobra.Command{Use: "write [ROOM…]", Short: "Write decisions as ADR files (docs/adr/0001-title.md)",
		Long: `Write decisions as numbered Markdown files (architectural decision records, ADRs). Without
arguments, write every decision of this project that has no file yet, oldest first, except
those of rehearsals. An existing file keeps its number and text; only its status line is
updated when the decision has been superseded.`,
		ValidArgsFunction: a.rooms.CompleteAll}
	c.Flags().StringVar(&dir, "dir", "", "`folder` inside the project (default: decisions.dir, docs/adr)")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be written, write nothing")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		b, err := a.Book(dir)
		if err != nil {
			return err
		}
		b.Dry = dry
		if err := b.Check(); err != nil {
			return err
		}
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		results, err := a.toWrite(ctx, e, args)
		if err != nil {
			return err
		}
		files := []adr.File{}
		if len(results) > 0 {
			if files, err = a.rooms.WriteFiles(ctx, e, b, results); err != nil {
				return err
			}
		}
		list := out.List[adr.File]{Rows: files, Line: room.FileLine,
			None: "No decisions by models here. To write a rehearsal's decision, name it.\n"}
		if dry {
			list.Then = "Dry run: nothing was written. Run it without --dry-run to write the files.\n"
		}
		return list.Write(a.Out)
	}
	return c
}

// toWrite finds the decisions to write: the named ones, or those of the project that models made, the oldest first.
// A rehearsal is written only by its name, since no model took part in it.
func (a *commands) toWrite(ctx context.Context, e *engine.Engine, debates []string) ([]debate.Result, error) {
	project, err := a.Project()
	if err != nil {
		return nil, err
	}
	all, _, err := rooms.In(e).Decisions(ctx, project, "", 0)
	if err != nil {
		return nil, err
	}
	var names []string
	// The oldest first, so that numbers of files follow time.
	for i := len(all) - 1; i >= 0 && len(debates) == 0; i-- {
		if !all[i].Rehearsal {
			names = append(names, all[i].Room)
		}
	}
	for _, room := range debates {
		name, err := a.rooms.Name(ctx, e, room)
		if err != nil {
			return nil, err
		}
		d, err := rooms.In(e).Decision(ctx, name)
		if err != nil {
			return nil, err
		}
		// Files belong to the project whose files the decision rests on.
		if !containsRoom(all, name) {
			return nil, failure.Usage(name+" belongs to another project",
				"run it there: socrates decisions write "+name+" --cwd "+d.Dir)
		}
		names = append(names, name)
	}
	var list []debate.Result
	for _, name := range names {
		res, err := rooms.Named(ctx, rooms.In(e), name)
		if err != nil {
			return nil, err
		}
		list = append(list, res)
	}
	return list, nil
}

// containsRoom reports whether a debate is among the decisions of this project.
func containsRoom(all []rooms.Decision, room string) bool {
	for _, d := range all {
		if d.Room == room {
			return true
		}
	}
	return false
}
