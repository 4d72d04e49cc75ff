package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/trust"
)

func newTrust(a *app) *cobra.Command {
	c := &cobra.Command{Use: "trust", Short: "Decide what of a project may run: hooks, MCP servers, commands, checks, skills",
		Long: `A project can bring hooks, MCP servers, custom commands, checks and skills with scripts.
None of them runs before you approve it, and an approval is of its content: its definition and
every file of the project it would run, with modes and links. When any of that changes, it does
not run until you approve the change, which is shown as a diff. Where nobody can be asked, the
program ends with code 3.

NAME is as ` + "`socrates trust list`" + ` shows it; hook:NAME or mcp:NAME where a bare name is not enough.`,
		Example: `  socrates trust list
  socrates trust show guard
  socrates trust approve guard mcp:files`,
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return a.listTrust() }}
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		w, err := a.wantedHere()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var list []string
		for _, i := range w.items {
			list = append(list, i.ID())
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	var all, yes bool
	approve := &cobra.Command{Use: "approve NAME...", Short: "Let these run as they are now; shows each and asks", ValidArgsFunction: names,
		RunE: func(_ *cobra.Command, args []string) error { return a.approveTrust(args, all, yes) }}
	approve.Flags().BoolVar(&all, "all", false, "everything that is not approved")
	approve.Flags().BoolVar(&yes, "yes", false, "do not ask; for scripts")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List what the project wants to run and what of it may", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return a.listTrust() }},
		&cobra.Command{Use: "show NAME", Short: "Print all of it; of what changed, the diff", ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return a.showTrust(args) }},
		approve,
		&cobra.Command{Use: "revoke NAME...", Short: "Forget that these were approved", ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return a.revokeTrust(args) }})
	return c
}

// wanted is what the project we are in wants to run, and what servers of the person's own said of their tools.
type wanted struct {
	store   *trust.Store
	project string
	items   []wantedItem
}

type wantedItem struct {
	trust.Item
	State trust.State `json:"state"`
	Diff  string      `json:"diff,omitempty"`
	scope string      // the project, or empty: the person's own settings
}

// approvals opens the store of what the person approved, beside the record of this machine.
func (a *app) approvals() (*trust.Store, error) {
	file, err := dataFile()
	if err != nil {
		return nil, err
	}
	s, err := trust.Open(filepath.Join(filepath.Dir(file), "trust.json"))
	if err != nil {
		return nil, failure.New(failure.ExitConfig, "trust", err.Error(), "")
	}
	return s, nil
}

// approvedChecks are the commands of the project's checks that the person approved.
func (a *app) approvedChecks(dir string) (list []string, err error) {
	items, err := trust.Collect(dir, trust.Check)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	store, err := a.approvals()
	if err != nil {
		return nil, err
	}
	project, err := trust.Project(dir)
	for _, i := range items {
		if state, _ := store.State(project, i); state == trust.Approved {
			list = append(list, i.Name)
		}
	}
	return list, err
}

// wantedHere is what the project we are in wants to run.
func (a *app) wantedHere() (*wanted, error) {
	dir, err := a.dir()
	if err != nil {
		return nil, err
	}
	return a.wanted(dir)
}

func (a *app) wanted(dir string) (*wanted, error) {
	store, err := a.approvals()
	if err != nil {
		return nil, err
	}
	w := &wanted{store: store}
	if w.project, err = trust.Project(dir); err != nil {
		return nil, err
	}
	items, err := trust.Collect(dir)
	if err != nil {
		return nil, err
	}
	from, err := a.sources()
	if err != nil {
		return nil, err
	}
	from.ProjectDir = ""
	own, _, err := config.Load(from)
	if err != nil {
		return nil, err
	}
	for _, i := range append(items, store.Noted(w.project)...) {
		if i.Kind != trust.Check || !slices.Contains(own.Strings("checks.commands"), i.Name) { // else it may run anyway
			w.add(i, w.project)
		}
	}
	for _, at := range above(w.project) {
		theirs, err := trust.Collect(at, trust.Skill)
		if err != nil {
			return nil, err
		}
		for _, i := range theirs {
			w.add(i, at)
		}
	}
	for _, i := range store.Noted("") {
		w.add(i, "")
	}
	return w, nil
}

func (w *wanted) add(i trust.Item, scope string) {
	if i.Problem == "" && i.Definition != nil {
		var err error
		switch i.Kind {
		case trust.Hook:
			_, err = hook.Parse(i.Name, i.Definition)
		case trust.MCP:
			_, err = mcp.Parse(i.Name, i.Definition)
		}
		if err != nil {
			i.Problem = err.Error()
		}
	}
	state, diff := w.store.State(scope, i)
	w.items = append(w.items, wantedItem{i, state, diff, scope})
}

// named finds items by what a person calls them. A server's name stands for its tools, too.
func (w *wanted) named(names []string) ([]wantedItem, error) {
	var list []wantedItem
	for _, name := range names {
		var found []wantedItem
		for _, i := range w.items {
			if i.ID() == name || i.Name == name || trust.Of(i.Item, strings.TrimPrefix(name, "mcp:")) {
				found = append(found, i)
			}
		}
		kinds := map[trust.Kind]bool{}
		var ids []string
		for _, i := range found {
			ids = append(ids, i.ID())
			if i.Kind != trust.Tool {
				kinds[i.Kind] = true
			}
		}
		switch {
		case len(found) == 0:
			for _, i := range w.items {
				ids = append(ids, i.Name)
			}
			if len(ids) == 0 {
				return nil, failure.Usage("this project wants to run nothing", "")
			}
			return nil, failure.Usage(fmt.Sprintf("nothing here is called %q", name), failure.Nearest(name, ids))
		case len(kinds) > 1:
			return nil, failure.Usage(name+" means more than one thing", "write one of "+strings.Join(ids, ", "))
		}
		list = append(list, found...)
	}
	return list, nil
}

func (a *app) listTrust() error {
	w, err := a.wantedHere()
	if err != nil {
		return err
	}
	if a.out.Format != "text" {
		if w.items == nil {
			w.items = []wantedItem{}
		}
		return a.out.JSON(w.items)
	}
	if len(w.items) == 0 {
		a.out.Tell("This project wants to run nothing of its own.\n")
		return nil
	}
	open := 0
	for _, i := range w.items {
		if i.Kind == trust.Tool && i.State == trust.Approved {
			continue // they were pinned when their server was first used; socrates mcp tools shows them
		}
		line := fmt.Sprintf("%-9s %-8s %s", i.State, i.Kind, clean.Reveal(i.Name))
		if i.Problem != "" {
			line += ": " + clean.Reveal(i.Problem)
		}
		fmt.Fprintln(a.out, line)
		if i.State != trust.Approved {
			open++
		}
	}
	if open > 0 {
		a.out.Tell("\nWhat is not approved does not run. Look: socrates trust show NAME; then: socrates trust approve NAME\n")
	}
	return nil
}

func (a *app) showTrust(args []string) error {
	if len(args) != 1 {
		return failure.Usage("socrates trust show takes one name", "socrates trust list shows them")
	}
	w, err := a.wantedHere()
	if err != nil {
		return err
	}
	found, err := w.named(args)
	if err != nil {
		return err
	}
	if a.out.Format != "text" {
		return a.out.JSON(found)
	}
	for n, i := range found {
		if n > 0 {
			fmt.Fprintln(a.out)
		}
		a.showWanted(i, a.out)
	}
	return nil
}

// showWanted prints an item, or how it differs from what was approved.
func (a *app) showWanted(i wantedItem, to io.Writer) {
	switch {
	case i.Problem != "":
		fmt.Fprintf(to, "%s %s cannot be used: %s\n", i.Kind, clean.Reveal(i.Name), clean.Reveal(i.Problem))
	case i.Diff != "":
		fmt.Fprintf(to, "%s %s has changed since it was approved:\n%s", i.Kind, clean.Reveal(i.Name), i.Diff)
	default:
		fmt.Fprintf(to, "%s[%s]\n", i.Text, i.State)
	}
}

func (a *app) approveTrust(args []string, all, yes bool) error {
	w, err := a.wantedHere()
	if err != nil {
		return err
	}
	found := w.items
	switch {
	case all && len(args) > 0:
		return failure.Usage("--all and names do not go together", "")
	case !all && len(args) == 0:
		return failure.Usage("say what to approve", "socrates trust list shows what there is; --all is all of it")
	case !all:
		if found, err = w.named(args); err != nil {
			return err
		}
	}
	pending := []wantedItem{}
	for _, i := range found {
		if i.Problem != "" && !all {
			return failure.New(failure.ExitConfig, "trust", fmt.Sprintf("%s %s cannot be approved: %s", i.Kind, clean.Reveal(i.Name), clean.Reveal(i.Problem)),
				"")
		}
		if i.State == trust.New || i.State == trust.Changed {
			pending = append(pending, i)
		}
	}
	if len(pending) == 0 {
		a.out.Tell("There is nothing to approve.\n")
		return nil
	}
	if !yes && !a.attended() {
		return failure.Usage("nobody is here to be asked", "look with socrates trust show NAME, then add --yes")
	}
	for _, i := range pending {
		if !yes {
			if ok, err := a.consent(i); err != nil || !ok {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := w.store.Approve(i.scope, i.Item); err != nil {
			return err
		}
		a.out.Tell(fmt.Sprintf("approved: %s %s\n", i.Kind, clean.Reveal(i.Name)))
	}
	return nil
}

// consent shows an item to the person at the terminal and asks whether it may run.
func (a *app) consent(i wantedItem) (bool, error) {
	a.showWanted(i, a.out.Err)
	noun := string(i.Kind)
	if i.Kind == trust.MCP {
		noun = "MCP server"
	}
	line, err := a.readLine(fmt.Sprintf("\nMay this %s be used? [y/N] ", noun))
	answer := strings.ToLower(line)
	return err == nil && (answer == "y" || answer == "yes"), nil
}

func (a *app) revokeTrust(args []string) error {
	if len(args) == 0 {
		return failure.Usage("say what to revoke", "socrates trust list shows what there is")
	}
	w, err := a.wantedHere()
	if err != nil {
		return err
	}
	items := make([]trust.Item, 0, len(w.items))
	for _, i := range w.items {
		items = append(items, i.Item)
	}
	for _, i := range w.store.Gone(w.project, items) { // no file names them any more; their approval still counts
		w.items = append(w.items, wantedItem{i, trust.Approved, "", w.project})
	}
	found, err := w.named(args)
	if err != nil {
		return err
	}
	for _, i := range found {
		if err := w.store.Revoke(i.scope, i.Item); err != nil {
			return err
		}
		a.out.Tell(fmt.Sprintf("revoked: %s %s\n", i.Kind, clean.Reveal(i.Name)))
	}
	return nil
}

// trusted returns what of the project may run, of some kinds. What is not approved is shown and asked about; where nobody
// can be asked, the program ends with code 3 before anything of the project ran.
func (a *app) trusted(dir string, kinds ...trust.Kind) ([]trust.Item, error) {
	w, err := a.wanted(dir)
	if err != nil {
		return nil, err
	}
	var list []trust.Item
	var open []string
	here := a.attended() && !a.alone && a.lend == nil // else somebody else has the keyboard
	for _, i := range w.items {
		if !slices.Contains(kinds, i.Kind) {
			continue
		}
		ok := i.State == trust.Approved
		if !ok && i.Problem == "" && here {
			if ok, err = a.consent(i); err != nil {
				return nil, err
			}
			if ok {
				if err := w.store.Approve(i.scope, i.Item); err != nil {
					return nil, err
				}
			}
		} else if !ok && here {
			a.out.Warn(fmt.Sprintf("%s %s is left out: %s", i.Kind, clean.Reveal(i.Name), clean.Reveal(i.Problem)))
		} else if !ok {
			open = append(open, fmt.Sprintf("%s %s (%s)", i.Kind, clean.Reveal(i.Name), i.State))
		}
		if ok {
			list = append(list, i.Item)
		}
	}
	if len(open) > 0 {
		return nil, failure.New(failure.ExitConfig, "trust", "this project wants to run what you have not approved: "+strings.Join(open, ", "),
			"in "+w.project+": socrates trust show NAME, then socrates trust approve NAME")
	}
	return list, nil
}
