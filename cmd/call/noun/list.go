package noun

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
)

// List returns the command list.
func (n Noun[T]) List(short string) *cobra.Command {
	return n.Lists(&cobra.Command{Use: "list [WORDS]", Short: short})
}

// Lists makes a command list the noun, filtered by its arguments.
func (n Noun[T]) Lists(c *cobra.Command) *cobra.Command {
	q, f := Query{}, c.Flags()
	if n.Most != 0 {
		f.IntVar(&q.Limit, "limit", n.Most, "maximum number to show (0: all)")
	}
	if n.Scope.Here != nil {
		f.BoolVar(&q.All, "all", false, "include all "+n.Scope.Is+"s")
	}
	if n.Trash != nil {
		f.BoolVar(&q.Deleted, "deleted", false, "list deleted "+n.Are+" (see "+strings.TrimPrefix(n.Path, "socrates ")+" restore)")
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		q.Words = args
		return n.list(c.Context(), q)
	}
	return c
}

// Search returns the command search: a list that needs words.
func (n Noun[T]) Search(c *cobra.Command) *cobra.Command {
	n.Trash = nil // deleted rows are listed, not searched
	c.Args = needsWords("list all with: " + n.Path + " list")
	return n.Lists(c)
}

// needsWords refuses an empty search.
func needsWords(hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if strings.TrimSpace(strings.Join(args, "")) == "" {
			return failure.Usage("no search words given", hint)
		}
		return nil
	}
}

// list finds the rows and writes them. If the index is still being built, it says so, because that explains missing
// rows.
func (n Noun[T]) list(ctx context.Context, q Query) (err error) {
	if q.Limit < 0 {
		return failure.Usage("--limit must be 0 or more", "0 shows all")
	}
	if n.Scope.Here != nil && !q.All && !q.Deleted { // deleted rows may belong to a folder that no longer exists: list those of all folders
		if q.Dir, err = n.Scope.Here(); err != nil {
			return err
		}
	}
	rows, more, err := n.find(ctx, q)
	if err != nil {
		return err
	}
	list := out.List[T]{Rows: rows, Head: n.Head, Line: n.line(q), None: n.none(q)}
	switch {
	case more:
		list.Then = "Not all " + n.Are + " are shown; --limit 0 shows all.\n"
		list.Left = "not all " + n.Are + " are listed; --limit 0 lists all" // a list that is cut must not look whole
	case n.Foot != nil:
		list.Then = n.Foot(rows)
	}
	if n.Wrap != nil && n.Out.Format != "text" {
		return n.Out.JSON(n.Wrap(rows))
	}
	if err = list.Write(n.Out); err == nil && n.Indexed && n.Out.Format == "text" {
		e, err := n.Open(ctx)
		if err != nil {
			return err
		}
		n.TellUnindexed(e)
	}
	return err
}

// find returns the rows that contain all words, and whether there are more of them than the limit allows.
func (n Noun[T]) find(ctx context.Context, q Query) (rows []T, more bool, _ error) {
	from, text := n.Rows, n.Text
	if q.Deleted {
		from = n.Trash.Rows
	}
	if text == nil {
		text = n.line(Query{All: true})
	}
	rows = []T{}
	for row, err := range from(ctx, q) {
		switch {
		case err != nil:
			return nil, false, err
		case (!n.Indexed || q.Deleted) && !out.Matches(text(row), q.Words):
		case q.Limit > 0 && len(rows) == q.Limit:
			return rows, true, nil
		default:
			rows = append(rows, row)
		}
	}
	return rows, false, nil
}

// line formats a row, with its folder if there may be several.
func (n Noun[T]) line(q Query) func(T) string {
	if n.Far != nil && (q.All || q.Deleted) {
		return n.Far
	}
	return n.Line
}

// none explains an empty list: nothing matches the words, or nothing exists yet.
func (n Noun[T]) none(q Query) string {
	is := map[bool]string{true: "deleted "}[q.Deleted] + cmp.Or(n.Is, strings.TrimSuffix(n.Are, "s"))
	switch words := strings.Join(q.Words, " "); {
	case words != "":
		text := fmt.Sprintf("No %s contains all of these words: %s\n", is, words)
		if q.Dir != "" {
			text += fmt.Sprintf("Only this %s was searched; --all includes all %ss.\n", n.Scope.Is, n.Scope.Is)
		}
		return text
	case q.Deleted:
		return "No " + n.Are + " were deleted in the last " + call.TrashDays + ".\n"
	case n.None != nil:
		return n.None() + "\n"
	case q.Dir == "":
		return strings.TrimSpace("No "+n.Are+" yet. "+n.First) + "\n"
	}
	return fmt.Sprintf("No %s in this %s yet. %s; for all %ss: %s list --all\n", n.Are, n.Scope.Is, n.First, n.Scope.Is, n.Path)
}
