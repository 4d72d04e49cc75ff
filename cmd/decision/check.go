package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/adr"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/drift"
	"github.com/socrates-cli/socrates/internal/drift/account"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/process/marked"
)

type checkFlags struct {
	since, dir string
	all        bool
	commands   []string
	room       string // only this one, of any state; empty: all decisions
}

// checked is the output of check for a program, and the input of revisit.
type checked struct {
	Checked   int            `json:"checked"`
	Outdated  int            `json:"outdated"`
	Decisions []drift.Report `json:"decisions"`
}

// newCheck returns the command check. A workflow runs it in a fresh clone, so decision files are enough and a store
// is opened only if one exists.
func newCheck(a *commands) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{Use: "check [ROOM]", Short: "Check decisions against the project as it is now", Args: cobra.MaximumNArgs(1),
		Long: `Look for the quoted lines that decisions rest on, run their allowed commands again, and recompute
each verdict without the evidence that no longer holds. No model is asked.

Decisions come from the project's decision files, which is enough in a fresh clone, and from the
store if you have one. With ROOM, check only that decision from the store, even a rehearsal's.
Exit code 1: a winner, gate or block would change, or no evidence for the winner is left.`,
		Example: `  socrates decisions check
  socrates decisions check --since origin/main
  socrates decisions check --output json | socrates decisions revisit --from -`}
	c.Flags().StringVar(&f.since, "since", "", "count only changes since this `revision`")
	c.Flags().BoolVar(&f.all, "all", false, "check the decisions of all projects")
	c.Flags().StringVar(&f.dir, "dir", "", "`folder` of decision files (default: decisions.dir, docs/adr)")
	c.Flags().StringArrayVar(&f.commands, "allow-check", nil, "allow checks to run this `command` (repeatable)")
	c.ValidArgsFunction = a.rooms.CompleteOne
	c.RunE = func(c *cobra.Command, args []string) error {
		f.room = strings.Join(args, "")
		return a.check(c.Context(), f)
	}
	return c
}

// It checks all projects before it prints anything, because the exit code depends on all of them. A missing folder of
// another project is a warning, of this project an error.
func (a *commands) check(ctx context.Context, f checkFlags) error {
	if err := a.frames.Allow(f.commands, nil); err != nil {
		return err
	}
	gather := func() ([]ground, error) { return a.gather(ctx, f) }
	if f.room != "" {
		gather = func() ([]ground, error) { return a.one(ctx, f.room) }
	}
	all, err := gather()
	if err != nil {
		return err
	}
	result := checked{Decisions: []drift.Report{}}
	for _, p := range all {
		if p.dir != all[0].dir && !call.Exists(p.dir) {
			a.Out.Warn("not checked, the folder is not here: " + p.dir)
			continue
		}
		reports, err := a.hold(ctx, p, f.since)
		if err != nil {
			return err
		}
		result.Decisions = append(result.Decisions, reports...)
	}
	var outdated []string
	for _, r := range result.Decisions {
		if !r.Holds {
			outdated = append(outdated, r.Room)
		}
	}
	result.Checked, result.Outdated = len(result.Decisions), len(outdated)
	if a.Out.Format != "text" {
		if err := a.Out.JSON(result); failure.Unread(err) != nil {
			return err
		}
	} else if result.Checked == 0 && f.room == "" {
		list, err := a.listed(ctx, f.all)
		if err != nil {
			return err
		}
		fmt.Fprint(a.Out, noneText(list))
	} else {
		fmt.Fprint(a.Out, account.Of(result.Decisions, 0))
		if n := account.Skipped(result.Decisions); n > 0 {
			fmt.Fprintf(a.Out, "  Commands not run: %d; allow them with --allow-check. --output json says why not.\n", n)
		}
		if f.room == "" {
			if err := a.rehearsed(ctx, f.all); err != nil {
				return err
			}
		}
	}
	if len(outdated) == 0 {
		return nil
	}
	return failure.New(failure.ExitFailed, "outdated", fmt.Sprintf("%d of %d decisions are outdated: %s", len(outdated), result.Checked,
		strings.Join(outdated, ", ")), "debate them again: socrates decisions check --output json | socrates decisions revisit --from -")
}

// one finds a single decision of the store and its project. It may be a rehearsal or superseded: whoever names it
// wants to know.
func (a *commands) one(ctx context.Context, name string) ([]ground, error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	if name, err = a.rooms.Name(ctx, e, name); err != nil {
		return nil, err
	}
	basis, ok, err := a.basis(ctx, e, name)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, failure.Usage(name+" contains no decision that can be checked", "see it with: socrates debate show "+name)
	case a.AtHub() != nil && !call.Exists(basis.Dir):
		return nil, failure.Usage(name+" belongs to another project of the hub: "+basis.Dir, "check it in a clone of that project")
	}
	return []ground{{dir: basis.Dir, bases: []drift.Basis{basis}}}, nil
}

// basis returns what a decision of the store rests on; false: nothing that can be checked. Its Dir is the folder it
// is checked in: for the hub's project whose clone is the current folder, the clone.
func (a *commands) basis(ctx context.Context, e *engine.Engine, name string) (drift.Basis, bool, error) {
	nodes, err := rooms.In(e).Trunk(ctx, name)
	if err != nil {
		return drift.Basis{}, false, err
	}
	b, ok := drift.From(nodes)
	if !ok || a.AtHub() == nil {
		return b, ok, nil
	}
	project, err := a.Project()
	if err == nil && b.Dir == project {
		b.Dir, err = a.Home.Settings.Project()
	}
	return b, ok, err
}

// hold checks the decisions of one project against its files. Commands of checks run in a copy of the project and
// only if they are allowed; the others count as not checked.
func (a *commands) hold(ctx context.Context, g ground, since string) ([]drift.Report, error) {
	p, err := drift.Open(ctx, g.dir, since)
	switch {
	case errors.Is(err, git.ErrRevision):
		return nil, failure.Usage("--since "+since+" is not a commit in "+g.dir, "fetch the history first (in a workflow: fetch-depth: 0)")
	case errors.Is(err, drift.ErrHistory):
		return nil, failure.Usage("--since needs a git repository; "+g.dir+" is not one", "")
	case err != nil:
		return nil, err
	}
	defer p.Close()
	look, end := a.frames.Look(table.Frame{Dir: g.dir})
	p.Look = look
	reports, err := p.Check(ctx, g.bases)
	for i := range reports {
		reports[i].File = g.files[reports[i].Room]
	}
	return reports, errors.Join(err, end())
}

// ground is a project's folder and the decisions about it.
type ground struct {
	dir   string
	bases []drift.Basis
	files map[string]string // decision files by room
}

// gather finds what to check: first this project's decision files, then other decisions of the store. A decision in
// both a file and the store is checked once, from the file. A file that says what its decision rests on, but cannot
// be read, ends the check: skipping it would look like approval.
func (a *commands) gather(ctx context.Context, f checkFlags) ([]ground, error) {
	b, err := a.Book(f.dir)
	if err != nil {
		return nil, err
	}
	if f.dir != "" && !call.Exists(b.Dir) { // a mistyped folder would pass every time
		return nil, failure.Usage("--dir "+f.dir+" does not exist", "name the folder of decision files, as in: --dir docs/adr")
	}
	pages, err := b.Pages()
	if err != nil {
		return nil, err
	}
	if f.dir != "" && len(pages) == 0 {
		a.Out.Warn("--dir " + f.dir + " contains no decision files")
	}
	here := ground{dir: b.Root, files: map[string]string{}}
	settled := map[string]bool{} // rooms not to look for in the store
	for _, p := range pages {
		here.files[p.Room] = p.Path
		basis, ok := drift.Read(p.Text)
		// A retired decision needs no check: nobody relies on it.
		if settled[p.Room] = ok || retired(p); ok && !retired(p) {
			here.bases = append(here.bases, basis)
		}
	}
	more, err := a.stored(ctx, f.all, b, settled)
	if err != nil {
		return nil, err
	}
	out := []ground{here}
	for _, basis := range more {
		// Decisions of one project are checked together, so that its history is read once.
		i := slices.IndexFunc(out, func(g ground) bool { return g.dir == basis.Dir })
		if i < 0 {
			i, out = len(out), append(out, ground{dir: basis.Dir})
		}
		out[i].bases = append(out[i].bases, basis)
		settled[basis.Room] = true
	}
	for _, p := range pages {
		if !settled[p.Room] && (drift.Marked(p.Text) || strings.Contains(p.Text, recorded)) {
			return nil, failure.New(failure.ExitFailed, "damaged",
				p.Path+" cannot be checked: its record of the evidence is damaged or missing",
				"restore it from git: git checkout -- "+p.Path)
		}
		if !settled[p.Room] {
			a.Out.Warn("not checked: " + p.Path + " was written by an earlier version, and its debate is not in this store")
		}
	}
	return out, nil
}

// recorded occurs in every decision file whose version also says what it rests on.
const recorded = "Record: sha256 "

// retired reports whether a decision file says that its decision no longer holds.
func retired(p adr.Page) bool {
	word, _, _ := strings.Cut(strings.ToLower(p.Status), " ")
	return word == "superseded" || word == "deprecated" || word == "rejected"
}

// listed returns the decisions of this project or of all; none without a store.
func (a *commands) listed(ctx context.Context, all bool) ([]rooms.Decision, error) {
	if there, err := a.HasStore(); err != nil || !there {
		return nil, err
	}
	dir := ""
	if !all {
		var err error
		if dir, err = a.Project(); err != nil {
			return nil, err
		}
	}
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := rooms.In(e).Decisions(ctx, dir, "", 0)
	return list, err
}

// rehearsed mentions rehearsals that were not checked: they are in the list of decisions, but checked only by name.
func (a *commands) rehearsed(ctx context.Context, all bool) error {
	list, err := a.listed(ctx, all)
	list = slices.DeleteFunc(list, func(d rooms.Decision) bool { return !d.Rehearsal })
	if err == nil && len(list) > 0 {
		fmt.Fprintf(a.Out, "  Rehearsals not checked: %d; check one by name: socrates decisions check %s\n", len(list), list[0].Room)
	}
	return err
}

// stored finds decisions of the store whose basis no file contains, the newest first: made by models, confirmed if a
// person was asked, and not superseded; also those that a danger blocks, which may be gone from the code by now. It
// creates no store.
func (a *commands) stored(ctx context.Context, all bool, b adr.Book, settled map[string]bool) ([]drift.Basis, error) {
	there, err := a.HasStore()
	if errors.Is(err, marked.ErrHidden) && len(settled) > 0 {
		a.Out.Warn("only decision files are checked: " + err.Error())
		return nil, nil
	}
	if err != nil || !there {
		return nil, err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	dir := ""
	switch {
	case all:
	case a.AtHub() == nil:
		dir = b.Root
	default:
		if dir, err = a.Project(); err != nil { // decisions of the hub, code of this clone
			return nil, err
		}
	}
	list, _, err := rooms.In(e).Decisions(ctx, dir, "", 0)
	if err != nil {
		return nil, err
	}
	held, err := rooms.In(e).Blocked(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		// A decision that waits for a person is not made yet.
		if d.Superseded == nil && d.End.ExitCode != failure.ExitPerson {
			held = append(held, d.Info)
		}
	}
	var out []drift.Basis
	for _, d := range held {
		if d.Rehearsal || settled[d.Room] {
			continue
		}
		basis, ok, err := a.basis(ctx, e, d.Room)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, basis)
		}
	}
	return out, nil
}

// noneText explains why none of these decisions can be checked, by kind: a person who expects a check learns what
// they have instead.
func noneText(list []rooms.Decision) string {
	var rehearsals, superseded, open, bare int
	name := ""
	for _, d := range list {
		switch {
		case d.Rehearsal:
			rehearsals++
			name = cmp.Or(name, d.Room)
		case d.Superseded != nil:
			superseded++
		case d.End.ExitCode == failure.ExitPerson:
			open++
		default:
			bare++
		}
	}
	why := slices.DeleteFunc([]string{said(rehearsals, "by a rehearsal, not by models"), said(superseded, "superseded"),
		said(open, "waiting for you (socrates decisions confirm ROOM)"), said(bare, "without a record of its evidence")},
		func(s string) bool { return s == "" })
	if len(why) == 0 {
		return "No decisions to check in this project: none was made here, or none still applies.\n"
	}
	text := "No decisions to check in this project: " + strings.Join(why, ", ") + ".\n"
	if name != "" {
		text += "Check a rehearsal by its name: socrates decisions check " + name + "\n"
	}
	return text
}

// said counts decisions in a clause; empty: none.
func said(n int, are string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, are)
}
