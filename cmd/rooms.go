package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/strategy"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

func newDebateList(a *app) *cobra.Command {
	limit, deleted := 0, false
	c := &cobra.Command{Use: "list [WORDS]", Short: "List debates, newest first"}
	c.Flags().IntVar(&limit, "limit", call.Listed, "maximum number to show (0: all)")
	c.Flags().BoolVar(&deleted, "deleted", false, "list deleted debates (see debate restore)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if limit < 0 {
			return failure.Usage("--limit must be 0 or more", "0 shows all")
		}
		e, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if deleted {
			return a.listTrash(c.Context(), e, args, limit)
		}
		kept, more, err := a.narrow(c.Context(), e, args, limit)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			if more {
				a.Out.Warn("older debates are not listed; --limit 0 lists all")
			}
			return a.Out.JSON(kept)
		}
		for _, r := range kept {
			a.roomLine(r, out.Ago(r.Started))
		}
		switch {
		case more:
			a.Out.Tell("Older debates are not shown; for all: socrates debate list --limit 0\n")
		case len(kept) == 0 && len(args) > 0:
			a.Out.Tell("No debate contains these words.\n")
		case len(kept) == 0:
			a.Out.Tell("No debates yet. Start one: socrates debate \"Should we …?\"\n")
		}
		return nil
	}
	return c
}

// narrow finds the newest debates that have the words, at most limit of them unless it is 0, and says whether there are more.
func (a *app) narrow(ctx context.Context, e *engine.Engine, words []string, limit int) (kept []engine.RoomInfo, more bool, err error) {
	kept = []engine.RoomInfo{}
	if len(words) == 0 && limit > 0 {
		if kept, err = e.Rooms(ctx, limit+1); len(kept) > limit {
			return kept[:limit], true, err
		}
		return kept, false, err
	}
	for r, err := range e.EachRoom(ctx, false) {
		if err != nil {
			return nil, false, err
		}
		if !hasWords(r, words) {
			continue
		}
		if limit > 0 && len(kept) == limit {
			return kept, true, nil
		}
		kept = append(kept, r)
	}
	return kept, false, nil
}

// hasWords says whether name, question, outcome and winner of a debate have all words.
func hasWords(r engine.RoomInfo, words []string) bool {
	text := r.Room + " " + r.Question + " " + standing(r)
	if r.End != nil {
		text += " " + r.End.Winner
	}
	return out.Matches(text, words)
}

// roomLine is a debate in a list: a line, or where the screen is narrow a few.
func (a *app) roomLine(r engine.RoomInfo, when string) {
	asked := strings.Join(strings.Fields(r.Question), " ")
	line := fmt.Sprintf("%-34s %-11s %-25s ", r.Room, when, standing(r))
	screen := out.Columns(os.Stdout)
	switch {
	case !out.IsTerminal(os.Stdout) || screen >= 145:
		line += out.Clip(asked, 70)
	case screen >= 74:
		line = strings.TrimRight(line, " ") + "\n    " + out.Clip(asked, screen-5)
	default:
		line = out.Wrap(r.Room+"  "+when+"  "+standing(r), screen-1, "    ") + "\n    " + out.Clip(asked, screen-5)
	}
	fmt.Fprintln(a.Out, line)
}

func standing(r engine.RoomInfo) string {
	switch {
	case r.End != nil && r.End.ExitCode == failure.ExitPerson:
		return "open: your call"
	case r.End != nil && r.End.Outcome.Decision():
		return fmt.Sprintf("%s %.2f", r.End.Outcome, r.End.Value)
	case r.End != nil:
		return string(r.End.Outcome)
	case r.Running:
		return "running"
	}
	return "stopped, resumable"
}

// completeRooms offers the names of debates to the shell.
func (a *app) completeRooms(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeRoomList(c, nil, begun)
}

// offered is how many names a shell is offered.
const offered = 100

// completeRoomList offers those that are not named yet: the newest, or those that begin with what was typed.
func (a *app) completeRoomList(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	return a.Complete(c, func(ctx context.Context) (list []string, _ error) {
		e, err := a.Open(ctx)
		if err != nil {
			return nil, err
		}
		var rooms []engine.RoomInfo
		if begun == "" {
			rooms, err = e.Rooms(ctx, offered)
		} else {
			rooms, err = a.begunLike(ctx, e, begun)
		}
		for _, r := range rooms {
			if !slices.Contains(args, r.Room) {
				list = append(list, r.Room+"\t"+out.Clip(r.Question, 60))
			}
		}
		return list, err
	})
}

func (a *app) begunLike(ctx context.Context, e *engine.Engine, begun string) (list []engine.RoomInfo, _ error) {
	names, err := e.RoomNames(ctx, begun, offered)
	for _, name := range names {
		if r, err := e.RoomInfo(ctx, name); err == nil {
			list = append(list, r)
		}
	}
	return list, err
}

// oneRoom takes one room's name, "last" for the newest.
func oneRoom(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return failure.Usage(c.CommandPath()+" takes the name of one debate", "list them with: socrates debate list; \"last\" is the newest")
	}
	return nil
}

// roomName resolves "last".
func (a *app) roomName(ctx context.Context, e *engine.Engine, name string) (string, error) {
	if name == "last" {
		newest, err := e.LastRoom(ctx)
		if err == nil && newest == "" {
			err = failure.Usage("no debates yet", `start one: socrates debate "Should we …?"`)
		}
		return newest, err
	}
	_, err := e.Room(ctx, name)
	if !errors.Is(err, store.ErrNotFound) {
		return strings.TrimPrefix(name, "room/"), err
	}
	if e.Deleted(ctx, name) {
		return "", failure.Usage("the debate "+name+" was deleted", "restore it with: socrates debate restore "+name)
	}
	rooms, err := e.Rooms(ctx, 5)
	if err != nil {
		return "", err
	}
	var names []string
	for _, r := range rooms {
		names = append(names, r.Room)
	}
	return "", failure.Usage("unknown debate "+name, failure.Nearest(name, names))
}

// openRoom opens the engine and finds the debate a command is about. A person is told if a part of it cannot be read.
func (a *app) openRoom(ctx context.Context, name string) (*engine.Engine, tree.ID, error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	if name, err = a.roomName(ctx, e, name); err != nil {
		return nil, "", err
	}
	root, err := e.Room(ctx, name)
	if err != nil {
		return e, root, err
	}
	err = e.Sound(ctx, root)
	if lost, ok := errors.AsType[*store.Error](err); ok && errors.Is(err, store.ErrDamaged) {
		a.Out.Warn("the output below is incomplete: " + lost.Error() + "; " + lost.Hint)
		err = nil
	}
	return e, root, err
}

func newDebateShow(a *app) *cobra.Command {
	var explainIt, nodes, follow bool
	c := &cobra.Command{Use: "show ROOM", Short: "Show a debate", Args: oneRoom, ValidArgsFunction: a.completeRooms}
	c.Flags().BoolVar(&explainIt, "explain", false, "explain every number")
	c.Flags().BoolVar(&nodes, "nodes", false, "list every node")
	c.Flags().BoolVar(&follow, "follow", false, "follow a debate that another process runs")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, root, err := a.openRoom(ctx, args[0])
		if err != nil {
			return err
		}
		switch {
		case nodes:
			return a.showNodes(ctx, e, root)
		case follow:
			if err := a.runs(ctx, e, args[0]); err != nil {
				return err
			}
			return a.showLive(ctx, e, root)
		}
		res, err := e.Result(ctx, root)
		if err != nil {
			return err
		}
		if a.Out.Format != "text" {
			return a.showProgram(ctx, e, root, res)
		}
		if !res.Ended {
			return a.showUnfinished(ctx, e, root, res)
		}
		if explainIt {
			fmt.Fprint(a.Out, verdict.Explain(res.Ledger(), res.Rules))
			return nil
		}
		a.Out.Raw(a.Out.Page(a.Out.Clean(res.Decision)))
		if d, err := e.Decision(ctx, res.Room); err == nil && d.Superseded != nil {
			a.Out.Tell("Superseded " + supersession(d.Superseded) + "\n")
		}
		return nil
	}
	return c
}

func newDebateResume(a *app) *cobra.Command {
	d := &debateFlags{}
	c := &cobra.Command{Use: "resume ROOM", Short: "Resume an interrupted debate, reusing paid answers",
		Args: oneRoom, ValidArgsFunction: a.completeRooms}
	f := c.Flags()
	f.StringVar(&d.out, "out", "", "also write the decision to this `file`")
	f.StringVar(&d.record, "record", "", "record all seat traffic to this `file`")
	a.ForceFlag(c)
	d.adrFlag(c)
	d.gateFlag(c)
	f.BoolVar(&d.explain, "explain", false, "explain every number")
	f.StringArrayVar(&d.commands, "allow-check", nil, "let checks run this `command`")
	f.StringArrayVar(&d.sources, "allow-source", nil, "let checks fetch from this `host`")
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name, err := a.roomName(ctx, e, args[0])
		if err != nil {
			return err
		}
		d.apply(a)
		if err := a.ready(d); err != nil {
			return err
		}
		if err := allow(a, d); err != nil {
			return err
		}
		return a.conduct(ctx, e, engine.Resume{Room: name}, d)
	}
	return c
}

func newDebateFork(a *app) *cobra.Command {
	d := &debateFlags{}
	var at string
	var drop []string
	c := &cobra.Command{Use: "fork ROOM", Short: "Rerun with other seats or limits, reusing paid answers",
		Args: oneRoom, ValidArgsFunction: a.completeRooms}
	f := c.Flags()
	f.StringVar(&at, "at", "", "drop everything after this `node` (end of its id)")
	f.StringArrayVar(&d.seats, "seat", nil, "add this `seat` (repeatable)")
	f.StringArrayVar(&drop, "drop", nil, "drop this `seat` (repeatable)")
	f.StringVar(&d.out, "out", "", "also write the decision to this `file`")
	f.StringVar(&d.record, "record", "", "record all seat traffic to this `file`")
	a.ForceFlag(c)
	d.adrFlag(c)
	d.gateFlag(c)
	f.BoolVar(&d.explain, "explain", false, "explain every number")
	f.StringArrayVar(&d.commands, "allow-check", nil, "let checks run this `command`")
	f.StringArrayVar(&d.sources, "allow-source", nil, "let checks fetch from this `host`")
	d.settings(c)
	d.setting(c, "effort", "debate.effort", "reasoning effort of added models: low, medium, high")
	c.RunE = func(c *cobra.Command, args []string) error { return a.fork(c.Context(), d, args[0], at, drop) }
	return c
}

func (a *app) fork(ctx context.Context, d *debateFlags, room, at string, drop []string) error {
	d.apply(a)
	if err := a.ready(d); err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	name, err := a.roomName(ctx, e, room)
	if err != nil {
		return err
	}
	f, err := e.Frame(ctx, name)
	if err != nil {
		return err
	}
	seats, err := a.reseat(ctx, f, d, drop)
	if err != nil {
		return err
	}
	if err := allow(a, d); err != nil {
		return err
	}
	fresh, err := a.limits()
	if err != nil {
		return err
	}
	f.Seats, f.Limits = seats, d.change(f.Limits, fresh)
	if err := seat.TellTruth(&f, ""); err != nil {
		return err
	}
	if err := enough(f, 0); err != nil {
		return err
	}
	a.estimate(f, 0)
	return a.conduct(ctx, e, engine.Fork{Room: name, At: at, Change: func(g *debate.Frame) { g.Seats, g.Limits = f.Seats, f.Limits }}, d)
}

// change takes those of the fresh limits that a flag asks for, and the old ones otherwise.
func (d *debateFlags) change(old, fresh debate.Limits) debate.Limits {
	for key, assign := range map[string]func(){
		"debate.seat_timeout": func() { old.SeatTimeout = fresh.SeatTimeout },
		"debate.timeout":      func() { old.Timeout = fresh.Timeout },
		"debate.grace":        func() { old.Grace = fresh.Grace },
		"debate.rounds":       func() { old.Rounds = fresh.Rounds },
		"debate.budget_usd":   func() { old.USD = fresh.USD },
		"debate.max_tokens":   func() { old.Tokens = fresh.Tokens },
		"debate.tool_calls":   func() { old.ToolCalls = fresh.ToolCalls },
	} {
		if *d.set[key] != "" {
			assign()
		}
	}
	return old
}

// reseat drops and adds seats.
func (a *app) reseat(ctx context.Context, f debate.Frame, d *debateFlags, drop []string) ([]debate.SeatInfo, error) {
	var seats []debate.SeatInfo
	var ids []string
	for _, s := range f.Seats {
		ids = append(ids, s.ID)
		if !slices.Contains(drop, s.ID) {
			seats = append(seats, s)
		}
	}
	for _, id := range drop {
		if !slices.Contains(ids, id) {
			return nil, failure.Usage("no seat "+id+" in this debate", failure.Nearest(id, ids))
		}
	}
	more, _, err := a.Home.Seats.Panel(ctx, d.seats)
	if err != nil {
		return nil, err
	}
	for _, s := range more {
		a.Home.Seats.WarnUnlisted(s.Spec)
		a.Home.Programs.WarnOpen(s.Spec, s.Open)
		for base, n := s.ID, 2; slices.Contains(ids, s.ID); n++ {
			s.ID = fmt.Sprintf("%s-%d", base, n)
		}
		ids = append(ids, s.ID)
		seats = append(seats, s)
	}
	s, _ := strategy.Find(f.Strategy)
	switch {
	case s.Most > 0 && len(seats) > s.Most:
		return nil, failure.Usage(fmt.Sprintf("%d seats are too many for the strategy %s; the limit is %d", len(seats), s.Name, s.Most),
			"drop the others with --drop")
	case len(seats) < s.Least:
		return nil, failure.Usage(fmt.Sprintf("the strategy %s needs %d seats, not %d", s.Name, s.Least, len(seats)),
			"drop fewer, or add one with --seat")
	}
	_, err = seat.Company(seats)
	return seats, err
}

func newDebateScore(a *app) *cobra.Command {
	var explainIt bool
	c := &cobra.Command{Use: "score FILE.json", Short: "Verify a verdict from its export", Args: func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return failure.Usage("score takes one file", "create one: socrates debate export last --format json > debate.json")
		}
		return nil
	}}
	c.Flags().BoolVar(&explainIt, "explain", false, "explain every number")
	c.RunE = func(c *cobra.Command, args []string) error {
		raw, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		var res debate.Result
		if err := json.Unmarshal(raw, &res); err != nil || res.Schema == "" {
			return failure.Usage(args[0]+" is not a JSON export of a debate",
				"create one: socrates debate export last --format json > debate.json")
		}
		if err := res.Unsound(); err != nil {
			return failure.New(failure.ExitFailed, "differs", err.Error(), "the file was modified, or made under different rules")
		}
		again := verdict.Decide(res.Ledger(), res.Rules)
		if explainIt {
			fmt.Fprint(a.Out, verdict.Explain(res.Ledger(), res.Rules))
		} else if err := a.Out.JSON(again); err != nil {
			return err
		}
		have, _ := json.Marshal(res.Verdict())
		want, _ := json.Marshal(again)
		if string(have) != string(want) {
			return failure.New(failure.ExitFailed, "differs", "the verdict in "+args[0]+" does not match its ledger",
				"the file was modified, or made under different rules")
		}
		a.Out.Tell("The verdict in " + args[0] + " matches its ledger, byte for byte. (Recomputed from votes, claims, checks and rules; texts and costs are not checked.)\n")
		return nil
	}
	return c
}

func newDebateSchema(a *app) *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of --output json", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		s, err := outputSchema()
		if err != nil {
			return err
		}
		return a.Out.JSON(s)
	}}
}

// outputSchema is the JSON Schema of the one object --output json prints of a debate.
func outputSchema() (*jsonschema.Schema, error) {
	whole, err := jsonschema.For[terminal](nil)
	if err != nil {
		return nil, err
	}
	none, err := jsonschema.For[out.Failed](nil)
	if err != nil {
		return nil, err
	}
	for _, s := range []*jsonschema.Schema{whole, none} {
		s.AdditionalProperties = nil // lines of a stream have seq, ts and session as well
	}
	return &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", OneOf: []*jsonschema.Schema{whole, none}}, nil
}
