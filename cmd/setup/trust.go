package setup

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/trust"
)

// newTrust returns the command trust. Listing exits with 0 even if something waits for approval; running it exits
// with 3.
func newTrust(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "trust", Short: "Approve what a project may run",
		Long: `A project can bring hooks, MCP servers, custom commands, checks and skills with scripts. None of
them runs before you approve it. An approval covers the content: the definition and every project
file it would run, with file modes and links. If any of that changes, it does not run until you
approve the change, which is shown as a diff. Without a terminal to ask on, the program exits with
code 3.

NAME is as ` + "`socrates trust list`" + ` shows it; write hook:NAME or mcp:NAME if a name is ambiguous.`,
		Example: `  socrates trust list
  socrates trust show guard
  socrates trust approve guard mcp:files`,
	}
	n := wanted(a)
	list, names := n.List("List what the project wants to run"), n.Offers(0)
	c.RunE = list.RunE
	var all, yes bool
	approve := &cobra.Command{Use: "approve NAME...", Short: "Approve the current content (shows each, then asks)",
		ValidArgsFunction: names,
		RunE:              func(_ *cobra.Command, args []string) error { return approveTrust(a, args, all, yes) }}
	approve.Flags().BoolVar(&all, "all", false, "approve everything not yet approved")
	approve.Flags().BoolVar(&yes, "yes", false, "do not ask (for scripts)")
	c.AddCommand(list,
		noun.Show(n, &cobra.Command{Use: "show NAME", Short: "Show the content, or the diff if it changed"},
			func(_ context.Context, name string) ([]home.Wanted, error) {
				w, err := a.Home.Approvals.Here()
				if err != nil {
					return nil, err
				}
				return w.Named([]string{name})
			},
			func(found []home.Wanted) error { showTrust(a, found); return nil }),
		approve, newAdopt(a),
		&cobra.Command{Use: "revoke NAME...", Short: "Revoke approvals", ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, args []string) error { return revokeTrust(a, args) }})
	return c
}

// wanted describes what the project wants to run for noun, each with its state. Listing runs and approves nothing.
func wanted(a *call.Call) noun.Noun[home.Wanted] {
	return noun.Noun[home.Wanted]{Call: a, Is: "item", Are: "items", Path: "socrates trust",
		None: func() string { return "Nothing to approve in this project." + alsoUnadopted(a, " ") },
		Rows: noun.Found(func(context.Context, noun.Query) ([]home.Wanted, error) {
			w, err := a.Home.Approvals.Here()
			if err != nil {
				return nil, err
			}
			return w.Items, nil
		}),
		Line: wantedLine,
		Text: func(i home.Wanted) string { return fmt.Sprint(i.State, " ", i.Kind, " ", i.Name, " ", i.Problem) },
		Name: func(i home.Wanted) (string, string) { return i.ID(), "" },
		Foot: func(shown []home.Wanted) (foot string) {
			if slices.ContainsFunc(shown, func(i home.Wanted) bool { return i.State != trust.Approved }) {
				foot = "\nOnly approved items run. Inspect: socrates trust show NAME. Approve: socrates trust approve NAME\n"
			}
			if more := alsoUnadopted(a, "\n"); more != "" {
				foot += more + "\n"
			}
			return foot
		}}
}

func wantedLine(i home.Wanted) string {
	if i.Kind == trust.Tool && i.State == trust.Approved {
		return "" // they are pinned when their server is first used; socrates mcp tools shows them
	}
	line := fmt.Sprintf("%-9s %-8s %s", i.State, i.Kind, clean.Reveal(i.Name))
	if i.Problem != "" {
		line += ": " + clean.Reveal(i.Problem)
	}
	return line + "\n"
}

// showTrust shows items in full, or how they differ from what was approved.
func showTrust(a *call.Call, found []home.Wanted) {
	for n, i := range found {
		if n > 0 {
			fmt.Fprintln(a.Out)
		}
		showWanted(a, i, a.Out)
	}
}

// showWanted prints an item, or how it differs from what was approved.
func showWanted(a *call.Call, i home.Wanted, to io.Writer) {
	switch {
	case i.Problem != "":
		fmt.Fprintf(to, "%s %s cannot be used: %s\n", i.Kind, clean.Reveal(i.Name), clean.Reveal(i.Problem))
	case i.Diff != "":
		fmt.Fprintf(to, "%s %s has changed since it was approved:\n%s", i.Kind, clean.Reveal(i.Name), i.Diff)
	default:
		fmt.Fprintf(to, "%s[%s]\n", i.Text, i.State)
	}
}

// What is approved is what was read when the command began: content that changes while the person reads is approved
// as shown, so the new content does not run.
func approveTrust(a *call.Call, args []string, all, yes bool) error {
	w, err := a.Home.Approvals.Here()
	if err != nil {
		return err
	}
	found := w.Items
	switch {
	case all && len(args) > 0:
		return failure.Usage("use either --all or names", "")
	case !all && len(args) == 0:
		return failure.Usage("no name given", "list them with: socrates trust list; approve everything with --all")
	case !all:
		if found, err = w.Named(args); err != nil {
			return err
		}
	}
	pending := []home.Wanted{}
	for _, i := range found {
		// An invalid item is an error if named; with --all the others are still approved.
		if i.Problem != "" && !all {
			return failure.New(failure.ExitConfig, "trust", fmt.Sprintf("%s %s cannot be approved: %s", i.Kind, clean.Reveal(i.Name),
				clean.Reveal(i.Problem)),
				"")
		}
		if i.State == trust.New || i.State == trust.Changed {
			pending = append(pending, i)
		}
	}
	if len(pending) == 0 {
		a.Out.Tell("Nothing to approve." + alsoUnadopted(a, " ") + "\n")
		return nil
	}
	if !yes && !a.Attended() {
		return failure.Usage("cannot ask for approval: not a terminal", "inspect with socrates trust show NAME, then add --yes")
	}
	for _, i := range pending {
		if !yes {
			if ok, err := consent(a, i); err != nil || !ok {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := w.Store.Approve(i.Scope, i.Item); err != nil {
			return err
		}
		a.Out.Tell(fmt.Sprintf("approved: %s %s\n", i.Kind, clean.Reveal(i.Name)))
	}
	return nil
}

// Asker returns a function that asks a person about what a project wants to run; nil: nobody can be asked, or another
// reader has the keyboard. It is called again each time, because a conversation or a screen may have taken the
// keyboard meanwhile.
func (s *Setup) Asker() func(home.Wanted) (bool, error) {
	a := s.Call
	if !a.Asks() {
		return nil
	}
	return func(i home.Wanted) (bool, error) { return consent(a, i) }
}

// consent shows an item to the person at the terminal and asks whether it may run. Anything but y or yes means no,
// including the end of input.
func consent(a *call.Call, i home.Wanted) (bool, error) {
	showWanted(a, i, a.Out.Err)
	noun := string(i.Kind)
	if i.Kind == trust.MCP {
		noun = "MCP server"
	}
	line, err := a.ReadLine(fmt.Sprintf("\nApprove this %s? [y/N] ", noun))
	answer := strings.ToLower(line)
	return err == nil && (answer == "y" || answer == "yes"), nil
}

// Approvals of items that the project no longer has still count and can be revoked by name.
func revokeTrust(a *call.Call, args []string) error {
	if len(args) == 0 {
		return failure.Usage("no name given", "list them with: socrates trust list")
	}
	w, err := a.Home.Approvals.Here()
	if err != nil {
		return err
	}
	items := make([]trust.Item, 0, len(w.Items))
	for _, i := range w.Items {
		items = append(items, i.Item)
	}
	// A deleted hook may return with another branch, still approved.
	for _, i := range w.Store.Gone(w.Project, items) { // no file names them any more, but their approval still counts
		w.Items = append(w.Items, home.Wanted{Item: i, State: trust.Approved, Scope: w.Project})
	}
	found, err := w.Named(args)
	if err != nil {
		return err
	}
	for _, i := range found {
		if err := w.Store.Revoke(i.Scope, i.Item); err != nil {
			return err
		}
		a.Out.Tell(fmt.Sprintf("revoked: %s %s\n", i.Kind, clean.Reveal(i.Name)))
	}
	return nil
}
