package door

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/browser"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/serve"
	"github.com/socrates-cli/socrates/internal/serve/api"
)

// webCommand returns the command web. A server that it started itself runs until ctrl-C.
func (a *commands) webCommand() *cobra.Command {
	return &cobra.Command{Use: "web", Short: "Open the web UI in your browser",
		Long: `Open the web UI in your browser. A running server is used; otherwise one is
started here. Without a display, the link is printed.`,
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return a.web(c.Context()) }}
}

// It asks the socket of a running server for a new link; without a server this process becomes one.
func (a *commands) web(ctx context.Context) error {
	dir, err := a.stateDir()
	if err != nil {
		return err
	}
	l, ok := serve.Ask(ctx, dir, "")
	if !ok {
		return a.serveHTTP(ctx, serve.Options{Addr: usualAddr}, true)
	}
	if browser.Open(l.Link) == nil {
		a.Out.Tell("Your browser opens.\n")
		return nil
	}
	return a.Out.Raw(l.Link + "\n")
}

// turn fills in what the conversation leaves open, as a chat in its folder would.
func (a *commands) turn(ctx context.Context, say turns.Say) (turns.Say, error) {
	return turn.Fill(ctx, a.Call, say, "")
}

// seats returns the available seats, by the settings of the folder where the server was started.
func (a *commands) seats(ctx context.Context) ([]api.Candidate, error) {
	all, err := a.Home.Seats.Discover(ctx)
	list := []api.Candidate{}
	for _, f := range all {
		list = append(list, api.Candidate{Spec: f.Spec, Source: f.Source, Model: f.Model, Lineage: f.Lineage, Ready: f.Ready,
			Used: f.Used, Why: f.Why})
	}
	return list, err
}
