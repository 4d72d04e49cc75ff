package noun

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Offers completes names, at most most on a line; 0: any number.
func (n Noun[T]) Offers(most int) cobra.CompletionFunc {
	return n.offers(most, func() Query { return Query{} })
}

func (n Noun[T]) offers(most int, query func() Query) cobra.CompletionFunc {
	return n.Offer(most, func(ctx context.Context, begun string) (list []string, err error) {
		q := query()
		if n.Index != nil && !q.Deleted {
			return n.Index(ctx, begun)
		}
		q.Quiet = true
		if q.Limit = call.Offered; n.Scope.Here != nil && !q.Deleted {
			if q.Dir, err = n.Scope.Here(); err != nil {
				return nil, err
			}
		}
		rows, _, err := n.find(ctx, q)
		for _, row := range rows {
			name, about := n.Name(row)
			if about != "" {
				name += "\t" + about
			}
			list = append(list, name)
		}
		return list, err
	})
}

func (n Noun[T]) names(rows []T) (list []string) {
	for _, row := range rows {
		name, _ := n.Name(row)
		list = append(list, name)
	}
	return list
}

// Show makes a command show one thing of a noun: a program gets what find returns, a person what show prints.
func Show[T, R any](n Noun[T], c *cobra.Command, find func(ctx context.Context, name string) (R, error),
	show func(R) error) *cobra.Command {
	return n.Shows(c, func(ctx context.Context, name string) error {
		row, err := find(ctx, name)
		if err != nil {
			return err
		}
		if n.Out.Format != "text" {
			return n.Out.JSON(row)
		}
		return show(row)
	})
}

// Shows makes a command show one thing of the noun with run, which serves persons and programs because there is more
// than one thing to show.
func (n Noun[T]) Shows(c *cobra.Command, run func(ctx context.Context, name string) error) *cobra.Command {
	return n.onOne(c, n.Newest, run)
}

// Drops makes a command remove one thing for good, of a noun without a trash. The command reports the result.
func (n Noun[T]) Drops(c *cobra.Command, run func(ctx context.Context, name string) error) *cobra.Command {
	return n.onOne(c, nil, run)
}

// onOne makes a command act on the one thing that its argument names, or on the newest.
func (n Noun[T]) onOne(c *cobra.Command, newest func(context.Context) (string, error),
	run func(ctx context.Context, name string) error) *cobra.Command {
	hint := "list them with: " + n.Path + " list"
	if n.Last || newest != nil {
		hint += `; "last" is the newest of this project`
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if newest != nil && len(args) == 0 {
			return nil
		}
		return call.Takes(1, "the "+map[bool]string{true: "number", false: "name"}[n.Numbers]+" of one "+n.Is, hint)(c, args)
	}
	c.ValidArgsFunction = n.Offers(1)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		name := ""
		switch {
		case len(args) == 0 || newest != nil && args[0] == "last":
			name, err = newest(c.Context())
		case n.Numbers:
			name, err = Number(args[0], n.Is, n.Path)
		default:
			name = args[0]
		}
		if err != nil {
			return err
		}
		return run(c.Context(), name)
	}
	return c
}
