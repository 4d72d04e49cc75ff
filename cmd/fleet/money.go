package fleet

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/team"
)

// quota returns the command that limits spending.
func (c *commands) quota() *cobra.Command {
	q := team.Quota{}
	period := ""
	cmd := &cobra.Command{Use: "quota person|pool|project NAME", Short: "Limit what a person, a pool or a project may spend",
		Long: `Limit what a person, a worker or pool, or a project may spend in a day or a month (UTC). A call's
maximum cost is reserved before it is sent; a call that the quota does not cover is not sent, and
the error says when the next period begins. Without --usd and --tokens, the quota is removed.

Calls to models with an unknown price count as $0; limit them with --tokens.`,
		Example: `  socrates hub quota person alice --usd 20 --per month
  socrates hub quota project /srv/app --tokens 5000000 --per day
  socrates hub quota pool team --usd 0`,
		ValidArgs: []string{team.OfPerson, team.OfPool, team.OfProject},
		Args:      cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			q.Kind, q.Name, q.Period = args[0], args[1], team.Period(period)
			if q.Kind == team.OfProject {
				dir, err := filepath.Abs(q.Name)
				if err != nil {
					return failure.Usage("project "+q.Name+": "+err.Error(), "")
				}
				q.Name = dir
			}
			client, err := c.client()
			if err == nil {
				_, err = asked(q, client.Limit(cmd.Context(), q))
			}
			if err != nil {
				return err
			}
			text := "The " + q.Kind + " " + q.Name + " has no quota."
			if q.USD > 0 || q.Tokens > 0 {
				text = "The " + q.Kind + " " + q.Name + " may spend " + q.Limits() + "."
			}
			return c.Out.Done(q, text)
		}}
	cmd.Flags().Float64Var(&q.USD, "usd", 0, "limit in dollars")
	cmd.Flags().IntVar(&q.Tokens, "tokens", 0, "limit in tokens")
	cmd.Flags().StringVar(&period, "per", string(team.Month), "the period: day, month")
	return cmd
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
