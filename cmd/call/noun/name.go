package noun

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
)

// Offers complete the names of what there is here, at most so many on a line; 0: any number.
func (n Noun[T]) Offers(most int) cobra.CompletionFunc {
	return n.offers(most, func() Query { return Query{} })
}

func (n Noun[T]) offers(most int, query func() Query) cobra.CompletionFunc {
	return n.Offer(most, func(ctx context.Context, _ string) (list []string, err error) {
		q := query()
		q.Quiet = true
		if q.Limit = call.Offered; n.Place.Here != nil && !q.Deleted {
			if q.Dir, err = n.Place.Here(); err != nil {
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

// names are those of rows.
func (n Noun[T]) names(rows []T) (list []string) {
	for _, row := range rows {
		name, _ := n.Name(row)
		list = append(list, name)
	}
	return list
}

// Show makes a command show one thing of a noun: to a program as what find returns, to a person as show does it.
func Show[T, R any](n Noun[T], c *cobra.Command, find func(ctx context.Context, name string) (R, error),
	show func(R) error) *cobra.Command {
	if c.Args == nil {
		c.Args = call.Takes(1, "the name of one "+n.Is, "list them with: "+n.Path+" list")
	}
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = n.Offers(1)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		row, err := find(c.Context(), args[0])
		if err != nil {
			return err
		}
		if n.Out.Format != "text" {
			return n.Out.JSON(row)
		}
		return show(row)
	}
	return c
}
