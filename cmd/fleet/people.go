package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/team"
)

// person returns the commands for people who use the hub.
func (c *commands) person() *cobra.Command {
	all := &cobra.Command{Use: "person", Short: "Manage the people who use the hub"}
	p := team.Person{}
	role := ""
	add := &cobra.Command{Use: "add NAME", Short: "Add a person, or change their role; a new person's token is printed once",
		Long: `Add a person and print a token for them, once. For an existing person, change role and login; their
tokens remain valid.

Roles: reader can view what is shared with them; debater can also start and steer debates, and
delete their own; agent can also run agents and answer their questions, which amounts to an
account on this machine; admin manages people, workers, quotas and settings.

With --login they can also sign in with the provider named by --oidc-issuer.`,
		Example: `  socrates hub person add alice --role debater
  socrates hub person add bob --role agent --login bob@example.org`,
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			p.Name, p.Role = args[0], team.Role(role)
			return c.addPerson(cmd.Context(), p)
		}}
	add.Flags().StringVar(&role, "role", string(team.Debater), "what they may do: reader, debater, agent, admin")
	add.Flags().StringVar(&p.Login, "login", "", "`address` or subject by which the sign-in provider knows them")
	people := c.people()
	remove := people.Drops(&cobra.Command{Use: "remove NAME", Aliases: []string{"rm"}, Short: "Shut a person out and revoke their tokens"},
		c.removePerson)
	link := people.Shows(&cobra.Command{Use: "link NAME", Short: "Print a link that signs a person's browser in, once"}, c.linkPerson)
	all.AddCommand(add, people.List("List people and their roles"), link, remove)
	return all
}

// people describes people for noun.
func (c *commands) people() noun.Noun[team.Person] {
	return noun.Noun[team.Person]{Call: c.Call, Is: "person", Are: "people", Path: "socrates hub person",
		First: "Add one: socrates hub person add NAME",
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]team.Person, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.People(ctx))
		}),
		Line: func(p team.Person) string {
			return fmt.Sprintf("%-24s %-8s %s\n", p.Name, p.Role, strings.TrimSpace(p.Login+"  since "+p.Since.Format("2006-01-02")))
		},
		Name: func(p team.Person) (string, string) { return p.Name, string(p.Role) }}
}

// Stdout has only the token, or an object with it, for scripts.
func (c *commands) addPerson(ctx context.Context, p team.Person) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	before, err := asked(client.People(ctx))
	if err != nil {
		return err
	}
	if _, err = asked(p, client.Enter(ctx, p)); err != nil {
		return err
	}
	if slices.ContainsFunc(before, func(b team.Person) bool { return b.Name == p.Name }) {
		return c.Out.Done(map[string]string{"changed": p.Name}, "Changed "+p.Name+": "+string(p.Role)+
			". Their tokens remain valid. Another one: socrates token add NAME --scope admin --person "+p.Name)
	}
	token, err := guard.AddToken(client.Dir, "person-"+p.Name, guard.Admin, p.Name) // limited by the person's role at any time
	if errors.Is(err, guard.ErrTaken) {
		return failure.Usage("a token named person-"+p.Name+" exists", "remove it first: socrates token remove person-"+p.Name)
	} else if err != nil {
		return err
	}
	c.Out.Err.Raw("Added " + p.Name + " (" + string(p.Role) + "). Their token cannot be shown again; programs send it as: Authorization: " +
		"Bearer TOKEN\nFor their browser: socrates hub person link " + p.Name + "\n")
	invited := invitation.For(filepath.Join(client.Dir, "hub"), token)
	if invited != "" {
		c.Out.Err.Raw("For commands on their machine: socrates hub connect " + invited + "\n")
	}
	if c.Out.Format != "text" {
		raw, err := json.Marshal(map[string]string{"name": p.Name, "role": string(p.Role), "token": token, "invitation": invited})
		if err != nil {
			return err
		}
		token = string(raw)
	}
	return c.Out.Raw(token + "\n") // the only place that prints it: its owner asked for it
}

// removePerson removes a person; their tokens and sessions stop working at once.
func (c *commands) removePerson(ctx context.Context, name string) error {
	client, err := c.client()
	if err == nil {
		_, err = asked(name, client.Leave(ctx, name))
	}
	if err == nil {
		err = guard.RemoveTokens(client.Dir, name)
	}
	if err != nil {
		return err
	}
	return c.Out.Done(map[string]string{"removed": name}, "Removed "+name+" and their tokens. Anything they started remains.")
}

func (c *commands) linkPerson(ctx context.Context, name string) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	list, err := asked(client.People(ctx))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(p team.Person) bool { return p.Name == name }) {
		return failure.Usage("no person named "+name, "list them with: socrates hub person list")
	}
	l, ok := serve.Ask(ctx, client.Dir, name)
	if !ok {
		return failure.New(failure.ExitFailed, "hub", "no hub is running here", "start it: socrates hub")
	}
	c.Out.Err.Raw("For " + name + ", within 5 minutes; it works once:\n")
	return c.Out.Raw(l.Link + "\n")
}

// share returns the command that makes a worker or a project private or shared.
func (c *commands) share() *cobra.Command {
	s := team.Share{}
	with := ""
	cmd := &cobra.Command{Use: "share worker|project NAME", Short: "Set who sees a worker, a pool or a project",
		Long: `Set who sees a worker, a pool or a project (a folder of this machine, with those below it). Anything
never shared is visible to everybody. Admins see everything. If a person cannot see a folder, they cannot
see a project that contains it either, because debates there read its files.

--owner names the person who pays for a worker's answers: socrates hub spending lists the cost under them.`,
		Example: `  socrates hub share worker laptop-2 --owner alice --with bob,carol
  socrates hub share project /srv/app --with nobody
  socrates hub share project /srv/app --with all`,
		ValidArgs: []string{team.OfWorker, team.OfProject},
		Args:      cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			s.Kind, s.Name = args[0], args[1]
			if s.Kind == team.OfProject {
				dir, err := filepath.Abs(s.Name)
				if err != nil {
					return failure.Usage("project "+s.Name+": "+err.Error(), "")
				}
				s.Name = dir
			}
			for p := range strings.SplitSeq(with, ",") {
				if p = strings.TrimSpace(p); p != "" && p != team.Nobody {
					s.People = append(s.People, p)
				}
			}
			client, err := c.client()
			if err == nil {
				_, err = asked(s, client.Share(cmd.Context(), s))
			}
			if err != nil {
				return err
			}
			if s.Kind == team.OfProject {
				c.warnMissing(s.Name)
			} else {
				c.warnUnknown(cmd.Context(), client, s.Name)
			}
			said := told(s)
			if s.Kind == team.OfProject && !slices.Contains(s.People, team.Everybody) {
				said += " Projects that contain it are hidden from everybody else, too."
			}
			return c.Out.Done(s, said)
		}}
	cmd.Flags().StringVar(&with, "with", "", "who else sees it: `people`, comma-separated; all, or nobody")
	cmd.Flags().StringVar(&s.Owner, "owner", "", "the `person` it belongs to")
	cmd.MarkFlagRequired("with")
	return cmd
}

// told describes a share in a sentence.
func told(s team.Share) string {
	who := "Only admins see"
	switch {
	case slices.Contains(s.People, team.Everybody):
		who = "Everybody sees"
	case s.Owner != "" && len(s.People) > 0:
		who = strings.Join(append([]string{s.Owner}, s.People...), ", ") + " and admins see"
	case s.Owner != "":
		who = s.Owner + " and admins see"
	case len(s.People) > 0:
		who = strings.Join(s.People, ", ") + " and admins see"
	}
	return who + " the " + s.Kind + " " + s.Name + "."
}

// shares returns the command that lists them.
func (c *commands) shares() *cobra.Command {
	return noun.Noun[team.Share]{Call: c.Call, Is: "share", Are: "shares", Path: "socrates hub shares",
		First: "Everybody sees everything until you share something: socrates hub share worker NAME --with PEOPLE",
		Rows: noun.Found(func(ctx context.Context, _ noun.Query) ([]team.Share, error) {
			client, err := c.client()
			if err != nil {
				return nil, err
			}
			return asked(client.Shares(ctx))
		}),
		Line: func(s team.Share) string { return told(s) + "\n" }}.
		Lists(&cobra.Command{Use: "shares [WORD]...", Short: "List who sees what"})
}
