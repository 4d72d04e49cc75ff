package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/team"
)

// quota returns the command that limits spending.
func (c *commands) quota() *cobra.Command {
	q, none, period := team.Quota{}, false, ""
	cmd := &cobra.Command{Use: "quota person|pool|project NAME", Short: "Limit what a person, a pool or a project may spend",
		Long: `Limit what a person, a worker or pool, or a project may spend in a day or a month (UTC). A call's
maximum cost is reserved before it is sent; a call that the quota does not cover is not sent, and
the error says when the next period begins. Flags that are left out keep their value, so --tokens
adds a limit to the one in dollars; both have the same period. --none removes what was set before.

Calls to models with an unknown price count as $0; limit them with --tokens.`,
		Example: `  socrates hub quota person alice --usd 20 --per month
  socrates hub quota project /srv/app --tokens 5000000 --per day
  socrates hub quota pool team --none`,
		ValidArgs: []string{team.OfPerson, team.OfPool, team.OfProject},
		Args:      cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			q.Kind, q.Name = args[0], args[1]
			if q.Kind == team.OfProject {
				dir, err := filepath.Abs(q.Name)
				if err != nil {
					return failure.Usage("project "+q.Name+": "+err.Error(), "")
				}
				q.Name = dir
			}
			usd, tokens := cmd.Flags().Changed("usd"), cmd.Flags().Changed("tokens")
			if err := sensible(q, usd, tokens, none || cmd.Flags().Changed("per")); err != nil {
				return err
			}
			client, err := c.client()
			if err != nil {
				return err
			}
			before, err := quotaOf(cmd.Context(), client, q)
			if err != nil {
				return err
			}
			if !usd && !none {
				q.USD = before.USD
			}
			if !tokens && !none {
				q.Tokens = before.Tokens
			}
			if q.USD == 0 && q.Tokens == 0 && !none {
				return failure.Usage("the "+q.Kind+" "+q.Name+" has no quota", "name a limit: --usd or --tokens")
			}
			if q.Period = before.Period; cmd.Flags().Changed("per") || q.Period == "" {
				q.Period = team.Period(period)
			}
			if _, err := asked(q, client.Limit(cmd.Context(), q)); err != nil {
				return err
			}
			if q.Kind == team.OfPool {
				c.warnUnknown(cmd.Context(), client, q.Name)
			}
			if q.Kind == team.OfProject {
				c.warnMissing(q.Name)
			}
			text := "The " + q.Kind + " " + q.Name + " has no quota."
			if q.USD > 0 || q.Tokens > 0 {
				text = "The " + q.Kind + " " + q.Name + " may spend " + q.Limits() + "."
			}
			if was := before.Limits(); before.Name != "" && was != q.Limits() {
				text += " Before: " + was + "."
			}
			return c.Out.Done(q, text)
		}}
	cmd.Flags().Float64Var(&q.USD, "usd", 0, "limit in dollars")
	cmd.Flags().IntVar(&q.Tokens, "tokens", 0, "limit in tokens")
	cmd.Flags().StringVar(&period, "per", string(team.Month), "the period: day, month")
	cmd.Flags().BoolVar(&none, "none", false, "remove the limits that were set before")
	return cmd
}

// sensible refuses limits that cannot be meant. A limit of 0 would read as none, and is stored as none.
func sensible(q team.Quota, usd, tokens, other bool) error {
	const hint = "remove the quota with --none; to let a person start nothing: socrates hub person add NAME --role reader"
	switch {
	case usd && !(q.USD > 0 && q.USD <= math.MaxFloat64):
		return failure.Usage(fmt.Sprintf("--usd %g is not a limit: it must be more than 0", q.USD), hint)
	case tokens && q.Tokens <= 0:
		return failure.Usage(fmt.Sprintf("--tokens %d is not a limit: it must be more than 0", q.Tokens), hint)
	case !usd && !tokens && !other:
		return failure.Usage("no limit given", "set one with --usd or --tokens, or remove the quota with --none")
	}
	return nil
}

// quotaOf returns what was set before; the zero Quota: nothing.
func quotaOf(ctx context.Context, client *socket.Client, q team.Quota) (team.Quota, error) {
	list, err := asked(client.Quotas(ctx))
	for _, b := range list {
		if b.Kind == q.Kind && b.Name == q.Name {
			return b, err
		}
	}
	return team.Quota{}, err
}

// warnUnknown warns of a name that no worker has, and no worker answers for: it may be mistyped, or join later.
func (c *commands) warnUnknown(ctx context.Context, client *socket.Client, name string) {
	list, err := client.Workers(ctx)
	if err == nil && !slices.ContainsFunc(list, func(w socket.Worker) bool {
		return w.Name == name || slices.Contains(w.Pools, name) || slices.Contains(w.Offer.Pools, name)
	}) {
		c.Out.Warn("no worker or pool is named " + name + " yet; list them with: socrates hub list")
	}
}

// warnMissing warns of a project's folder that does not exist.
func (c *commands) warnMissing(dir string) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		c.Out.Warn("the folder " + dir + " does not exist")
	}
}

// quotas returns the command that lists them, with what is used.
func (c *commands) quotas() *cobra.Command {
	return noun.Noun[team.Quota]{Call: c.Call, Is: "quota", Are: "quotas", Path: "socrates hub quotas",
		First: "Set one: socrates hub quota person NAME --usd 20",
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]team.Quota, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Quotas(ctx))
		}),
		Line: func(q team.Quota) string {
			return fmt.Sprintf("%-8s %-24s %s, used $%.2f and %d tokens\n", q.Kind, q.Name, q.Limits(), q.UsedUSD, q.UsedTokens)
		}}.Lists(&cobra.Command{Use: "quotas [WORD]...", Short: "List quotas and how much of each is used"})
}

// spending returns the command that lists who caused and who paid for which cost.
func (c *commands) spending() *cobra.Command {
	days := 30
	cmd := noun.Noun[team.Line]{Call: c.Call, Is: "entry", Are: "entries", Path: "socrates hub spending",
		Head: fmt.Sprintf("%-10s %-16s %-16s %-16s %6s %9s %10s  %s\n", "day", "triggered by", "paid by", "worker", "calls", "dollars",
			"tokens", "project"),
		None: func() string { return "Nothing was spent." },
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]team.Line, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Spent(ctx, time.Now().AddDate(0, 0, 1-days)))
		}),
		Line: func(l team.Line) string {
			return fmt.Sprintf("%-10s %-16s %-16s %-16s %6d %9.4f %10d  %s\n", l.Day, cmp.Or(l.Person, socket.Owner),
				cmp.Or(l.Payer, socket.Owner),
				cmp.Or(l.Pool, "-"), l.Calls, l.USD, l.Tokens, l.Project)
		}}.Lists(&cobra.Command{Use: "spending [WORD]...", Short: "List spending: who triggered it and who paid"})
	cmd.Flags().IntVar(&days, "days", days, "number of days to list")
	return cmd
}
