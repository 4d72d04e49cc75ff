package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/fleet/invitation"
	"github.com/socrates-cli/socrates/internal/fleet/socket"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/team"
	"github.com/socrates-cli/socrates/internal/tree"
)

// tokenCommand returns the command token. Tokens are kept as hashes beside the store; a running server notices
// changes by itself.
func (a *commands) tokenCommand() *cobra.Command {
	c := &cobra.Command{Use: "token", Short: "Let programs use the HTTP API"}
	scope, person := "", ""
	add := &cobra.Command{Use: "add NAME", Short: "Create a token; it is printed once",
		Long: `Create a token for the HTTP API. It is printed once; only its hash is saved.

Scopes: read can view everything; debate can also start and steer debates; agent can also run
agents in your projects, under your permission rules; admin can also manage a hub.

With --person, it is a token of a person of the hub: their role limits it, and it ends with them.`,
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			return a.addToken(cmd.Context(), guard.Token{Name: args[0], Scope: guard.Scope(scope), Person: person})
		}}
	add.Flags().StringVar(&person, "person", "", "whose token it is: a `person` of the hub")
	add.Flags().StringVar(&scope, "scope", string(guard.Read), "what it may do: read, debate, agent, admin")
	tokens := a.tokens()
	remove := tokens.Drops(&cobra.Command{Use: "remove NAME", Aliases: []string{"rm"}, Short: "Revoke a token"},
		func(_ context.Context, name string) error {
			dir, err := a.stateDir()
			if err == nil {
				err = guard.RemoveToken(dir, name)
			}
			if errors.Is(err, guard.ErrUnknown) {
				return failure.Usage("no token named "+name, "list tokens: socrates token list")
			} else if err != nil {
				return err
			}
			return a.Out.Done(map[string]string{"removed": name}, "Removed the token "+name+".")
		})
	c.AddCommand(add, tokens.List("List tokens"), remove)
	return c
}

// Stdout has only the token, or an object with it, for scripts.
func (a *commands) addToken(ctx context.Context, t guard.Token) error {
	name, scope := t.Name, t.Scope
	if !slices.Contains(guard.Scopes, scope) {
		return failure.Usage("--scope "+string(scope)+" is not valid", "use read, debate, agent or admin")
	}
	if !tree.CleanName(name) {
		return failure.Usage(fmt.Sprintf("invalid token name %q", name), "use lowercase letters, digits and dashes, at most 64")
	}
	dir, err := a.stateDir()
	if err != nil {
		return err
	}
	if err := known(ctx, dir, t.Person); err != nil {
		return err
	}
	token, err := guard.AddToken(dir, name, scope, t.Person)
	if errors.Is(err, guard.ErrTaken) {
		return failure.Usage("a token named "+name+" exists", "remove it first: socrates token remove "+name)
	} else if err != nil {
		return err
	}
	a.Out.Err.Raw("Token " + name + " (" + string(scope) + "). It cannot be shown again; send it as: Authorization: Bearer TOKEN\n")
	invited := invitation.For(filepath.Join(dir, "hub"), token)
	if invited != "" {
		a.Out.Err.Raw("For commands on another machine: socrates hub connect " + invited + "\n")
	}
	if a.Out.Format != "text" {
		object := map[string]string{"name": name, "scope": string(scope), "token": token}
		if invited != "" {
			object["invitation"] = invited
		}
		raw, err := json.Marshal(object)
		if err != nil {
			return err
		}
		token = string(raw)
	}
	return a.Out.Raw(token + "\n") // the only place that prints the secret: its owner asked for it
}

// known refuses a name that no person of the hub here has; empty is whoever runs it.
func known(ctx context.Context, dir, person string) error {
	if person == "" {
		return nil
	}
	list, err := socket.NewClient(dir).People(ctx)
	switch {
	case socket.Away(err):
		return failure.New(failure.ExitFailed, "hub", "no hub is running here", "start it: socrates hub")
	case err != nil:
		return err
	case !slices.ContainsFunc(list, func(p team.Person) bool { return p.Name == person }):
		return failure.Usage("no person named "+person, "list them with: socrates hub person list")
	}
	return nil
}

// shownToken is a token in the list.
type shownToken struct {
	Name   string      `json:"name"`
	Scope  guard.Scope `json:"scope"`
	Made   string      `json:"made"`
	Person string      `json:"person,omitempty"`
	at     time.Time
}

// tokens describes tokens for noun: names and scopes; a token itself is shown once, when it is made.
func (a *commands) tokens() noun.Noun[shownToken] {
	return noun.Noun[shownToken]{Call: a.Call, Is: "token", Are: "tokens", Path: "socrates token",
		First: "Create one: socrates token add NAME",
		Rows: noun.Found(func(context.Context, noun.Query) (list []shownToken, _ error) {
			dir, err := a.stateDir()
			if err != nil {
				return nil, err
			}
			all, err := guard.Tokens(dir)
			for _, t := range all {
				list = append(list, shownToken{t.Name, t.Scope, t.Made.Format("2006-01-02"), t.Person, t.Made})
			}
			return list, err
		}),
		Line: func(t shownToken) string {
			whose := ""
			if t.Person != "" {
				whose = ", limited by the role of " + t.Person
			}
			return fmt.Sprintf("%-24s %-7s %s%s\n", clean.Line(t.Name), t.Scope, out.Ago(t.at), whose)
		},
		Name: func(t shownToken) (string, string) { return t.Name, string(t.Scope) }}
}
