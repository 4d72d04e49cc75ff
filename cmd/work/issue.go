package work

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/issues"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/issue"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/tree"
)

// drafts are the commands of issue drafts.
type drafts struct{ *commands }

// newIssue is the command issue.
func newIssue(a *commands) *cobra.Command {
	d := &drafts{a}
	c := &cobra.Command{Use: "issue", Short: "Draft issues from decisions and runs, edit them, and file them",
		Long: `Draft an issue from a decision or a run, without a model. Nothing leaves this machine until you file
it; that opens an issue with gh, or with glab if the remote is on GitLab, under your own login.`,
		Example: `  socrates work issue new --decision last
  socrates work issue edit 1
  socrates work issue file 1`}
	n := d.listed()
	c.AddCommand(d.make(), n.List("List issue drafts"), d.show(n), d.edit(), d.file(),
		n.Remove(&cobra.Command{Use: "rm NUMBER…", Short: "Move issue drafts to the trash", Aliases: []string{"delete"}}),
		n.Restores(&cobra.Command{Use: "restore NUMBER", Short: "Restore a deleted issue draft"}))
	return c
}

// on makes a command act on a draft; the default is the newest of the project.
func (d *drafts) on(c *cobra.Command, do func(ctx context.Context, e *engine.Engine, i issue.Issue) error) *cobra.Command {
	c.Args, c.ValidArgsFunction = cobra.MaximumNArgs(1), d.listed().Offers(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := d.Open(c.Context())
		if err != nil {
			return err
		}
		i, err := d.find(c.Context(), e, args)
		if err != nil {
			return err
		}
		return do(c.Context(), e, i)
	}
	return c
}

// Numbers are per store, not per project.
func (d *drafts) find(ctx context.Context, e *engine.Engine, args []string) (issue.Issue, error) {
	if len(args) > 0 {
		n, err := noun.Number(args[0], "issue draft", "socrates work issue")
		if err != nil {
			return issue.Issue{}, err
		}
		return issues.In(e).Issue(ctx, noun.Int(n))
	}
	dir, err := d.project()
	if err != nil {
		return issue.Issue{}, err
	}
	all, err := issues.In(e).List(ctx, dir)
	if err == nil && len(all) == 0 {
		err = failure.Usage("no issue drafts in this project", "make one: socrates work issue new")
	}
	if err != nil {
		return issue.Issue{}, err
	}
	return all[0], nil
}

// make is the command issue new.
func (d *drafts) make() *cobra.Command {
	decision := ""
	c := &cobra.Command{Use: "new [RUN]", Short: "Make a draft from a run, or from a decision",
		Long: `A decision's draft has the answer, the reasons, the dissent and what would flip it; a run's draft has the
request and the steps as a task list. Names after an @ are quoted, so filing it notifies nobody.`,
		Example: `  socrates work issue new
  socrates work issue new --decision last`}
	c.Flags().StringVar(&decision, "decision", "", "a decided `debate` instead of a run (last: the newest)")
	c.Args = cobra.MaximumNArgs(1)
	c.ValidArgsFunction = d.complete
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx := c.Context()
		e, err := d.Open(ctx)
		if err != nil {
			return err
		}
		op, err := d.source(ctx, e, decision, args)
		if err != nil {
			return err
		}
		root, err := e.Do(ctx, op)
		if err != nil {
			return err
		}
		i, err := drafted(ctx, e, root)
		if err != nil {
			return err
		}
		n := strconv.Itoa(i.Number)
		return d.done("Drafted issue "+n+": "+i.Title+"\nRead it: socrates work issue show "+n+"\nFile it: socrates work issue file "+n,
			oneIssue{i})
	}
	return c
}

// source returns what a draft is made from; the default is the most recent run of the project.
func (d *drafts) source(ctx context.Context, e *engine.Engine, decision string, args []string) (op issues.Draft, err error) {
	switch {
	case decision != "" && len(args) > 0:
		return op, failure.Usage("a draft is made from a run or from a decision, not from both", "leave one out")
	// "last" and short names work as everywhere.
	case decision != "":
		op.Debate, err = d.rooms.Name(ctx, e, decision)
	default:
		op.Run, err = d.named(ctx, e, strings.Join(args, ""))
	}
	return op, err
}

// drafted reads a draft by its first node.
func drafted(ctx context.Context, e *engine.Engine, root tree.ID) (issue.Issue, error) {
	nodes, err := e.Tree(ctx, root)
	i, _ := issue.Read(nodes)
	return i, err
}

// listed describes drafts for noun: each line says where it comes from or where it was filed.
func (d *drafts) listed() noun.Noun[issues.Deleted] {
	return noun.Noun[issues.Deleted]{Call: d.Call, Is: "issue draft", Are: "issue drafts", Path: "socrates work issue", Numbers: true,
		First: "Make one: socrates work issue new", Scope: noun.Scope{Is: "project", Here: d.project},
		Rows: noun.Stored(d.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) (list []issues.Deleted, _ error) {
			all, err := issues.In(e).List(ctx, q.Dir)
			for _, i := range all {
				list = append(list, issues.Deleted{Issue: i})
			}
			return list, err
		}),
		Line: func(i issues.Deleted) string {
			where := i.URL
			if where == "" && i.Debate != "" {
				where = "decision " + i.Debate
			} else if where == "" {
				where = "run " + i.Run
			}
			state := i.State()
			if !i.Until.IsZero() {
				state = out.Until(time.Until(i.Until))
			}
			return fmt.Sprintf("%4d  %-9s  %s (%s)\n", i.Number, state, out.Clip(i.Title, 60), where)
		},
		Name: func(i issues.Deleted) (string, string) { return strconv.Itoa(i.Number), out.Clip(i.Title, 60) },
		Wrap: func(all []issues.Deleted) any { return allIssues{all} },
		Newest: func(ctx context.Context) (string, error) {
			e, err := d.Open(ctx)
			if err != nil {
				return "", err
			}
			i, err := d.find(ctx, e, nil)
			return strconv.Itoa(i.Number), err
		},
		Trash: &noun.Trash[issues.Deleted]{
			Rows: noun.Stored(d.Call, func(ctx context.Context, e *engine.Engine, q noun.Query) ([]issues.Deleted, error) {
				return issues.In(e).Trash(ctx, q.Dir)
			}),
			Delete:  func(names []string) engine.Op { return issues.Delete{Numbers: noun.Ints(names)} },
			Restore: func(name string) engine.Op { return issues.Restore{Number: noun.Int(name)} }}}
}

// show is the command issue show.
func (d *drafts) show(n noun.Noun[issues.Deleted]) *cobra.Command {
	return noun.Show(n, &cobra.Command{Use: "show [NUMBER]", Short: "Print an issue draft as Markdown"},
		func(ctx context.Context, number string) (issue.Issue, error) {
			e, err := d.Open(ctx)
			if err != nil {
				return issue.Issue{}, err
			}
			return issues.In(e).Issue(ctx, noun.Int(number))
		},
		func(i issue.Issue) error {
			_, err := d.Out.Write([]byte(page(i)))
			if i.URL != "" {
				d.Out.Tell("Filed: " + i.URL + "\n")
			}
			return failure.Unread(err)
		})
}

// page formats a draft as one text: its title is the first line.
func page(i issue.Issue) string { return "# " + i.Title + "\n\n" + i.Body }

// unpaged splits it again. Lines above the first line are dropped only if blank.
func unpaged(text string) (title, body string) {
	first, body, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	return strings.TrimSpace(strings.TrimLeft(first, "# ")), strings.TrimLeft(body, "\n")
}
