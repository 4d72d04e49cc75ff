package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

func newDecisions(a *app) *cobra.Command {
	c := &cobra.Command{Use: "decisions", Short: "Search, confirm, revisit and export decisions",
		Long: `Decisions are a project's memory: a new debate shows its seats earlier decisions on similar
questions, as history rather than as fact.

A decision belongs to the git worktree it was made in or, outside git, to the folder. A
superseded decision is marked and kept; its content never changes.`,
		Example: `  socrates decisions search writer connection
  socrates decisions confirm last --why "the load test agrees"
  socrates decisions supersede OLD --by NEW --reason "we left SQLite"
  socrates decisions revisit last --seat claude --seat gemini:big
  socrates decisions write --dir docs/adr`}
	c.AddCommand(newDecisionsList(a), newDecisionsSearch(a), newDecisionsShow(a), newDecisionsConfirm(a), newDecisionsOverrule(a),
		newDecisionsSupersede(a), newDecisionsRevisit(a), newDecisionsWrite(a))
	return c
}

func newDecisionsList(a *app) *cobra.Command {
	var all bool
	limit := 0
	c := &cobra.Command{Use: "list", Short: "List this project's decisions, newest first", Args: cobra.NoArgs}
	c.Flags().BoolVar(&all, "all", false, "include all projects")
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.listDecisions(c.Context(), all, "", limit, "No decisions in this project yet.\n")
	}
	return c
}

func newDecisionsSearch(a *app) *cobra.Command {
	var all bool
	limit := 0
	c := &cobra.Command{Use: "search WORDS", Short: "Search decisions",
		Example: "  socrates decisions search redis session", Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return failure.Usage("no search words given", "list all with: socrates decisions list")
			}
			return nil
		}}
	c.Flags().BoolVar(&all, "all", false, "include all projects")
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.RunE = func(c *cobra.Command, args []string) error {
		words := strings.Join(args, " ")
		return a.listDecisions(c.Context(), all, words, limit, fmt.Sprintf("No decision contains all of these words: %s\n", words))
	}
	return c
}

// listDecisions prints the decisions of this project, or of all, that have the words.
func (a *app) listDecisions(ctx context.Context, all bool, words string, limit int, none string) error {
	if limit < 0 {
		return failure.Usage("--limit must be 0 or more", "0 shows all")
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	dir := ""
	if !all {
		if dir, err = a.Home.Settings.Project(); err != nil {
			return err
		}
	}
	found, more, err := e.Decisions(ctx, dir, words, limit)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		if more {
			a.Out.Warn("not all decisions are listed; --limit 0 lists all")
		}
		return a.Out.JSON(found)
	}
	for _, d := range found {
		fmt.Fprint(a.Out, decisionLines(d, all))
	}
	if more {
		a.Out.Tell("Not all decisions are shown; --limit 0 shows all.\n")
	}
	if len(found) == 0 {
		a.Out.Tell(none)
	}
	a.TellUnindexed(e)
	return nil
}

// decisionLines is a decision in the list: what it is called, then what was decided of what.
func decisionLines(d engine.Decision, all bool) string {
	line := fmt.Sprintf("%-34s %-11s %s\n", d.Room, out.Ago(d.Started), standing(d.RoomInfo))
	text := fmt.Sprintf("    %s\n    %s\n", out.Clip(out.OneLine(d.End.Winner), 75), out.Clip(out.OneLine(d.Question), 75))
	if d.Superseded != nil {
		text += "    superseded by " + d.Superseded.By + "\n"
	}
	if all {
		text += "    in " + d.Dir + "\n"
	}
	return line + text
}

// shownDecision is what `decisions show` tells a program.
type shownDecision struct {
	engine.Decision
	Digest   debate.Digest `json:"digest"`
	Revisits string        `json:"revisits"` // the earlier debate on the same question; empty: none
	Document string        `json:"document"` // Markdown
}

func newDecisionsShow(a *app) *cobra.Command {
	return &cobra.Command{Use: "show ROOM", Short: "Show a decision and whether it still holds", Args: oneRoom, ValidArgsFunction: a.completeRooms,
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			e, res, err := roomResult(ctx, a, args[0])
			if err != nil {
				return err
			}
			d, err := e.Decision(ctx, res.Room)
			if err != nil {
				return err
			}
			if a.Out.Format != "text" {
				return a.Out.JSON(shownDecision{d, res.Digest(), res.Revisits, res.Decision})
			}
			document := res.Decision
			if d.Superseded != nil { // below the title, where the other warnings are
				title, rest, _ := strings.Cut(document, "\n")
				document = title + "\n\n> Superseded " + supersession(d.Superseded) + "\n>\n" + rest
			}
			return a.Out.Raw(a.Out.Page(a.Out.Clean(document)))
		}}
}

func newDecisionsConfirm(a *app) *cobra.Command {
	c := &cobra.Command{Use: "confirm ROOM", Short: "Confirm a decision that asks a person", Args: oneRoom}
	return ruling(a, c, func(res debate.Result, _ []string) (string, error) {
		if len(res.Blocked) > 0 {
			return "", failure.New(failure.ExitFailed, "refused", res.Room+" is blocked by objection "+res.Blocked[0],
				"lift it: socrates debate tell "+res.Room+" \"/veto "+res.Blocked[0]+" REASON\"")
		}
		if res.Winner == "" {
			return "", failure.New(failure.ExitFailed, "refused", res.Room+" came to no decision that could be confirmed",
				"choose an option: socrates decisions overrule "+res.Room+" OPTION")
		}
		return res.Winner, nil
	})
}

func newDecisionsOverrule(a *app) *cobra.Command {
	return ruling(a, &cobra.Command{Use: "overrule ROOM OPTION", Short: "Choose another option where a person is asked",
		Example: "  socrates decisions overrule last B --why \"simpler to operate\"", Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return failure.Usage("overrule needs a debate and an option", "list the options: socrates debate show last")
			}
			return nil
		}}, func(_ debate.Result, args []string) (string, error) { return strings.Join(args[1:], " "), nil })
}

// roomResult opens a debate by its name and says what came of it.
func roomResult(ctx context.Context, a *app, name string) (*engine.Engine, debate.Result, error) {
	e, root, err := a.openRoom(ctx, name)
	if err != nil {
		return nil, debate.Result{}, err
	}
	res, err := e.Result(ctx, root)
	return e, res, err
}

// ruling makes a command by which a person decides what a debate left to one. It is the same word as /choose.
func ruling(a *app, c *cobra.Command, option func(debate.Result, []string) (string, error)) *cobra.Command {
	var why string
	c.ValidArgsFunction = a.completeRooms
	c.Flags().StringVar(&why, "why", "", "the reason, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, res, err := roomResult(ctx, a, args[0])
		if err != nil {
			return err
		}
		if !res.Ended {
			return failure.New(failure.ExitFailed, "refused", res.Room+" has not ended: there is nothing to decide yet",
				"watch it: socrates debate show "+res.Room+" --follow; if it was stopped: socrates debate resume "+res.Room)
		}
		key, err := option(res, args)
		if err != nil {
			return err
		}
		a.Out.Room = res.Room
		word := debate.Word{Verb: debate.Choose, Option: key, Text: out.OneLine(why)}
		return a.conduct(ctx, e, engine.Tell{Room: res.Room, Word: word}, &debateFlags{})
	}
	return c
}

func newDecisionsSupersede(a *app) *cobra.Command {
	var by, reason string
	c := &cobra.Command{Use: "supersede OLD --by NEW", Short: "Mark a decision as superseded",
		Args: oneRoom, ValidArgsFunction: a.completeRooms}
	c.Flags().StringVar(&by, "by", "", "the decision that replaces it (a `room`)")
	c.Flags().StringVar(&reason, "reason", "", "the reason, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		if by == "" {
			return failure.Usage("supersede needs the decision that replaces it",
				"name it: socrates decisions supersede "+args[0]+" --by ROOM")
		}
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		old, err := a.roomName(ctx, e, args[0])
		if err != nil {
			return err
		}
		if by, err = a.roomName(ctx, e, by); err != nil {
			return err
		}
		if _, err := e.Do(ctx, engine.Supersede{Old: old, New: by, Reason: out.OneLine(reason)}); err != nil {
			return err
		}
		d, err := e.Decision(ctx, old)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(d)
		}
		a.Out.Tell(old + " is superseded by " + by + ". Update their files with: socrates decisions write\n")
		return nil
	}
	return c
}

func newDecisionsRevisit(a *app) *cobra.Command {
	d := &debateFlags{}
	var reason string
	c := &cobra.Command{Use: "revisit ROOM", Short: "Debate a decided question again",
		Long: `Debate a decided question again with today's files. The options and seats are the same unless
flags change them. The seats see the earlier decision as history. If the new decision differs,
it supersedes the earlier one.`,
		Args: oneRoom, ValidArgsFunction: a.completeRooms}
	d.flags(a, c)
	c.Flags().StringVar(&reason, "reason", "", "the reason for the new debate, in one sentence")
	c.RunE = func(c *cobra.Command, args []string) error { return a.revisit(c, d, args[0], out.OneLine(reason)) }
	return c
}

func (a *app) revisit(c *cobra.Command, d *debateFlags, room, reason string) error {
	ctx := c.Context()
	d.apply(a)
	e, res, err := roomResult(ctx, a, room)
	if err != nil {
		return err
	}
	f, err := e.Frame(ctx, res.Room)
	if err != nil {
		return err
	}
	d.again(a, f, res)
	op, err := a.frameUp(ctx, d, f.Question)
	if err != nil || op == nil {
		return err
	}
	a.estimate(op.Frame, len(op.Context))
	return a.conduct(ctx, e, engine.Revisit{Debate: *op, Room: res.Room, Reason: reason}, d)
}

// again makes the flags say what an earlier debate was told, as far as they say nothing themselves.
func (d *debateFlags) again(a *app, f debate.Frame, res debate.Result) {
	d.revisits = f.Room
	if len(d.options) == 0 && f.Origin != "estimates" {
		for _, o := range res.Options {
			d.options = append(d.options, o.Text)
		}
	}
	keep := func(key, value string) {
		if *d.set[key] == "" && *d.set["preset"] == "" && value != "" {
			a.Home.Settings.Flags[key] = value
		}
	}
	keep("debate.strategy", f.Strategy)
	if len(d.seats) == 0 {
		for _, s := range f.Seats {
			spec := s.Spec
			if s.Persona.Name != "" {
				spec += "@" + s.Persona.Name
			}
			d.seats = append(d.seats, spec)
		}
		keep("debate.effort", f.Seats[0].Effort)
	}
	a.Home.Settings.Again() // with these
}

// tellRevisit says what a debate that has just ended means for the one it revisits.
func (a *app) tellRevisit(ctx context.Context, e *engine.Engine, res debate.Result) {
	if res.Revisits == "" {
		return
	}
	old, err := e.Decision(ctx, res.Revisits)
	switch {
	case err != nil:
	case old.Superseded != nil && old.Superseded.By == res.Room:
		a.Out.Tell(fmt.Sprintf("It differs from %s (%s) and supersedes it.\n", old.Room, old.End.Winner))
	case old.Superseded != nil:
		a.Out.Tell(old.Room + " has meanwhile been superseded by " + old.Superseded.By + ".\n")
	case !res.Outcome.Decision():
		a.Out.Tell(old.Room + " still stands: this debate reached no decision.\n")
	case res.Rehearsal && !old.Rehearsal:
		a.Out.Tell(old.Room + " still stands: a rehearsal cannot supersede a decision by models.\n")
	default:
		a.Out.Tell("It confirms " + old.Room + ".\n")
	}
}

func newDecisionsWrite(a *app) *cobra.Command {
	var dir string
	var dry bool
	c := &cobra.Command{Use: "write [ROOM…]", Short: "Write decisions as ADR files (docs/adr/0001-title.md)",
		Long: `Write decisions as numbered Markdown files (architectural decision records, ADRs). Without
arguments, write every decision of this project that has no file yet, oldest first, except
those of rehearsals. An existing file keeps its number and text; only its status line is
updated when the decision has been superseded.`,
		ValidArgsFunction: a.completeRoomList}
	c.Flags().StringVar(&dir, "dir", "", "`folder` inside the project (default: decisions.dir, docs/adr)")
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be written, write nothing")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		b, err := a.book(dir)
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
		results, err := a.toWrite(ctx, e, b, args)
		if err != nil {
			return err
		}
		files := []adr.File{}
		if len(results) > 0 {
			if files, err = a.writeFiles(ctx, e, b, results); err != nil {
				return err
			}
		}
		if a.Out.Format != "text" {
			return a.Out.JSON(files)
		}
		for _, f := range files {
			fmt.Fprint(a.Out, fileLine(f))
		}
		if dry && len(files) > 0 {
			a.Out.Tell("Dry run: nothing was written. Run it without --dry-run to write the files.\n")
		}
		if len(files) == 0 {
			a.Out.Tell("No decisions by models here. To write a rehearsal's decision, name it.\n")
		}
		return nil
	}
	return c
}

// toWrite finds the decisions to write: the named ones, or those of the project that models made, the oldest first.
func (a *app) toWrite(ctx context.Context, e *engine.Engine, b adr.Book, rooms []string) ([]debate.Result, error) {
	all, _, err := e.Decisions(ctx, b.Root, "", 0)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := len(all) - 1; i >= 0 && len(rooms) == 0; i-- {
		if !all[i].Rehearsal {
			names = append(names, all[i].Room)
		}
	}
	for _, room := range rooms {
		name, err := a.roomName(ctx, e, room)
		if err != nil {
			return nil, err
		}
		d, err := e.Decision(ctx, name)
		if err != nil {
			return nil, err
		}
		if !containsRoom(all, name) {
			return nil, failure.Usage(name+" belongs to another project",
				"run it there: socrates decisions write "+name+" --cwd "+d.Dir)
		}
		names = append(names, name)
	}
	var list []debate.Result
	for _, name := range names {
		root, err := e.Room(ctx, name)
		if err != nil {
			return nil, err
		}
		res, err := e.Result(ctx, root)
		if err != nil {
			return nil, err
		}
		list = append(list, res)
	}
	return list, nil
}

func containsRoom(all []engine.Decision, room string) bool {
	for _, d := range all {
		if d.Room == room {
			return true
		}
	}
	return false
}
