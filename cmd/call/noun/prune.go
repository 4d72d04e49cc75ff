package noun

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/failure"
)

// Pruning is a request to prune.
type Pruning struct {
	Age time.Duration // only what is older; negative: no age was given
	Dir string        // only what belongs to this folder; empty: to any
	Dry bool          // report what would be removed, and remove nothing
}

// Pruned is the result of a prune.
type Pruned struct {
	Object any    // for a program
	Text   string // for a person: what was removed
	Told   string // what else they should know
}

// Prunes describes how a noun is pruned.
type Prunes struct {
	Older string // the usage of --older-than; empty: age does not matter
	Must  bool   // an age is required: deleting what is old is never a guess
	Here  bool   // only the noun's place is pruned, unless --all is given
	Dry   string // the usage of --dry-run
	Do    func(ctx context.Context, s Pruning) (Pruned, error)
}

// Prune makes a command remove what is old or unused.
func (n Noun[T]) Prune(c *cobra.Command, p Prunes) *cobra.Command {
	older, all, dry := "", false, false
	f := c.Flags()
	if p.Older != "" {
		f.StringVar(&older, "older-than", "", p.Older)
	}
	if p.Here {
		f.BoolVar(&all, "all", false, "include all "+n.Scope.Is+"s")
	}
	f.BoolVar(&dry, "dry-run", false, p.Dry)
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		s := Pruning{Age: -1, Dry: dry}
		if older != "" || p.Older != "" && c.Flags().Changed("older-than") {
			if s.Age, err = call.ParseAge(older); err != nil {
				return err
			}
		} else if p.Must {
			return failure.Usage("no age given", "for example: "+n.Path+" prune --older-than 30d --dry-run")
		}
		if p.Here && !all {
			if s.Dir, err = n.Scope.Here(); err != nil {
				return err
			}
		}
		done, err := p.Do(c.Context(), s)
		if err != nil {
			return err
		}
		if n.Out.Format != "text" {
			return n.Out.JSON(done.Object)
		}
		_, err = n.Out.Write([]byte(done.Text))
		n.Out.Tell(done.Told)
		return failure.Unread(err)
	}
	return c
}
