package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/browser"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/keyring"
	"github.com/socrates-cli/socrates/internal/mcp"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/trust"
)

// newMCP returns the command mcp; more are the subcommands that serve, which belong to another noun.
func newMCP(a *call.Call, more ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: "mcp", Short: "Use MCP servers, and serve debates to other agents",
		Long: `MCP servers give an agent additional tools. Define yours in config.yaml:

  mcp:
    files:
      command: npx
      args: [-y, "@modelcontextprotocol/server-filesystem", /srv/docs]
    tracker:
      url: https://mcp.example.com/mcp
      bearer: env:TRACKER_TOKEN

A project defines servers in .mcp.json; they run only after you approve them with socrates trust.
Tool definitions are pinned when a server is first used. If a tool's name, description or schema
changes later, the tool is disabled until you approve the change.`,
		Example: `  socrates mcp tools files
  socrates mcp call files read_file --json '{"path": "/srv/docs/a.md"}'`,
	}
	servers := servers(a)
	list := servers.List("List the servers without starting any")
	c.RunE = list.RunE
	named := func(n int, what string) cobra.PositionalArgs {
		return call.Takes(n, what, "list servers with: socrates mcp list")
	}
	names := servers.Offers(1)
	var args string
	try := &cobra.Command{Use: "call NAME TOOL", Short: "Call a tool and print its result", Args: named(2, "a server and a tool"),
		ValidArgsFunction: names,
		RunE:              func(c *cobra.Command, of []string) error { return callServer(c.Context(), a, of[0], of[1], args) }}
	try.Flags().StringVar(&args, "json", "{}", "arguments as a JSON `object`")
	c.AddCommand(more...)
	c.AddCommand(list,
		&cobra.Command{Use: "tools NAME", Short: "Connect to a server and list its tools", Args: named(1, "a server"),
			ValidArgsFunction: names,
			RunE:              func(c *cobra.Command, of []string) error { return listTools(c.Context(), a, of[0]) }},
		&cobra.Command{Use: "prompts NAME", Short: "List a server's prompts (type /mcp:NAME:PROMPT to use one)", Args: named(1, "a server"),
			ValidArgsFunction: names, RunE: func(c *cobra.Command, of []string) error { return listPrompts(c.Context(), a, of[0]) }},
		&cobra.Command{Use: "resources NAME [URI]", Short: "List a server's resources, or print one", Args: cobra.RangeArgs(1, 2),
			ValidArgsFunction: names,
			RunE:              func(c *cobra.Command, of []string) error { return serverResources(c.Context(), a, of[0], of[1:]) }},
		try,
		&cobra.Command{Use: "login NAME", Short: "Sign in to a server in the browser", Args: named(1, "a server"), ValidArgsFunction: names,
			RunE: func(c *cobra.Command, of []string) error { return loginServer(c.Context(), a, of[0]) }},
		&cobra.Command{Use: "logout NAME", Short: "Sign out of a server", Args: named(1, "a server"), ValidArgsFunction: names,
			RunE: func(_ *cobra.Command, of []string) error { return logoutServer(a, of[0]) }})
	return c
}

// serverRow is a server as `socrates mcp list` shows it.
type serverRow struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	State  string `json:"state"` // "yours", or its state of trust
	Server string `json:"server"`
}

// Names of a project's servers come from its file and may hold anything, so they are revealed when shown.
func serverRows(a *call.Call) ([]serverRow, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return nil, err
	}
	yours, err := a.Home.Servers.Own(dir)
	if err != nil {
		return nil, err
	}
	rows := []serverRow{}
	for _, s := range yours {
		rows = append(rows, serverRow{s.Name, s.Origin, "yours", s.Says()})
	}
	w, err := a.Home.Approvals.Wanted(dir)
	if err != nil {
		return nil, err
	}
	for _, i := range w.Items {
		if i.Kind != trust.MCP {
			continue
		}
		says := i.Problem
		if s, err := mcp.Parse(i.Name, i.Definition); err == nil && says == "" {
			says = s.Says()
		}
		rows = append(rows, serverRow{i.Name, i.Path, string(i.State), says})
	}
	return rows, nil
}

// servers describes MCP servers for noun: the person's and the project's. None is started.
func servers(a *call.Call) noun.Noun[serverRow] {
	return noun.Noun[serverRow]{Call: a, Is: "MCP server", Are: "MCP servers", Path: "socrates mcp",
		First: "To add one, see: socrates mcp --help",
		Rows:  noun.Found(func(context.Context, noun.Query) ([]serverRow, error) { return serverRows(a) }),
		Line: func(r serverRow) string {
			return fmt.Sprintf("%-9s %-12s %s\n", r.State, clean.Reveal(r.Name), clean.Reveal(r.Server))
		},
		Name: func(r serverRow) (string, string) { return r.Name, "" }}
}

// findServer finds a usable server by its name. A server of the project is used only if its approval holds, so
// approvals are asked for here.
func findServer(a *call.Call, name string) (mcp.Server, error) {
	rows, err := serverRows(a)
	if err != nil {
		return mcp.Server{}, err
	}
	var names []string
	origin := ""
	for _, r := range rows {
		names = append(names, r.Name)
		// The person's own come first, so a project cannot take the name of one.
		if r.Name == name && origin == "" {
			origin = r.Origin
		}
	}
	if len(names) == 0 {
		return mcp.Server{}, failure.Usage("no MCP servers are configured", "to add one, see: socrates mcp --help")
	}
	if origin == "" {
		return mcp.Server{}, failure.Usage("unknown MCP server "+name, failure.Nearest(name, names))
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return mcp.Server{}, err
	}
	var items []trust.Item
	if origin != home.FromSettings {
		if items, err = a.Home.Approvals.Trusted(dir, trust.MCP); err != nil {
			return mcp.Server{}, err
		}
	}
	all, err := a.Home.Servers.All(dir, items)
	if err != nil {
		return mcp.Server{}, err
	}
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return mcp.Server{}, failure.New(failure.ExitConfig, "trust", "the MCP server "+name+" may not be used",
		"see: socrates trust show mcp:"+name)
}

// connectServer begins a session with a server and reports which of its tools may be used. The caller closes the
// session. Each error belongs to the tool at the same index: a tool whose definition changed may not be used.
func connectServer(ctx context.Context, a *call.Call, name string) (*mcp.Session, []error, error) {
	s, err := findServer(a, name)
	if err != nil {
		return nil, nil, err
	}
	o, err := a.Home.Servers.Options(s.Dir)
	if err != nil {
		return nil, nil, err
	}
	c, err := mcp.Connect(ctx, s, o)
	if err != nil {
		return nil, nil, mcpFailure(err)
	}
	return c, o.Vet(s, c.Offers), nil
}

// mcpFailure is an error of a server; an interrupt stays one.
func mcpFailure(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return failure.New(failure.ExitFailed, "mcp", err.Error(), "")
}

// listTools connects to a server and lists its tools, and why some may not be used. Connecting pins tools seen for
// the first time.
func listTools(ctx context.Context, a *call.Call, name string) error {
	ctx, end := a.Ended(ctx)
	defer end()
	c, vetoes, err := connectServer(ctx, a, name)
	if err != nil {
		return err
	}
	defer c.Close()
	type row struct {
		mcp.Offer
		Tool    string `json:"tool"` // its name for models
		Usable  bool   `json:"usable"`
		Problem string `json:"problem,omitempty"`
	}
	rows := []row{}
	for i, o := range c.Offers {
		r := row{Offer: o, Tool: mcp.ToolName(name, o.Name), Usable: vetoes[i] == nil}
		if vetoes[i] != nil {
			r.Problem = vetoes[i].Error()
		}
		rows = append(rows, r)
	}
	return out.List[row]{Rows: rows, Line: func(r row) string {
		text := strings.Join(strings.Fields(clean.Reveal(r.Description)), " ")
		if r.Problem != "" {
			text = "LEFT OUT: " + r.Problem
		}
		return out.Fit(os.Stdout, fmt.Sprintf("%-20s %s\n", clean.Reveal(r.Name), out.Clip(text, 300)), strings.Repeat(" ", 21))
	}}.Write(a.Out)
}

// listPrompts lists a server's prompts as they are typed in a conversation.
func listPrompts(ctx context.Context, a *call.Call, name string) error {
	ctx, end := a.Ended(ctx)
	defer end()
	c, _, err := connectServer(ctx, a, name)
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := c.Prompts(ctx)
	if err != nil {
		return failure.New(failure.ExitFailed, "mcp", err.Error(), "")
	}
	list := out.List[mcp.Prompt]{Rows: append([]mcp.Prompt{}, all...), None: "This server offers no prompts.\n"}
	list.Line = func(p mcp.Prompt) string {
		line := clean.Reveal("/mcp:" + name + ":" + p.Name)
		for _, arg := range p.Args {
			line += " <" + clean.Reveal(arg) + ">"
		}
		return line + "\n    " + clean.Reveal(p.Doc) + "\n"
	}
	return list.Write(a.Out)
}

// serverResources lists a server's resources, or prints one. Text of a resource comes from another machine: it is
// printed and sent to no model.
func serverResources(ctx context.Context, a *call.Call, name string, uri []string) error {
	ctx, end := a.Ended(ctx)
	defer end()
	c, _, err := connectServer(ctx, a, name)
	if err != nil {
		return err
	}
	defer c.Close()
	if len(uri) > 0 {
		answer, err := c.Read(ctx, uri[0])
		if err != nil {
			return failure.New(failure.ExitFailed, "mcp", err.Error(), "list them: socrates mcp resources "+name)
		}
		fmt.Fprintln(a.Out, answer.Bare)
		return nil
	}
	all, err := c.Resources(ctx)
	if err != nil {
		return failure.New(failure.ExitFailed, "mcp", err.Error(), "")
	}
	return out.List[mcp.Resource]{Rows: append([]mcp.Resource{}, all...), None: "This server offers no resources.\n",
		Line: func(r mcp.Resource) string {
			return strings.TrimSpace(fmt.Sprintf("%-40s %s  %s", clean.Reveal(r.URI), clean.Reveal(r.Name), clean.Reveal(r.Doc))) + "\n"
		}}.Write(a.Out)
}

// It calls the tool without a gate, because the person typed the call. The tool's pin decides whether it may be used
// at all.
func callServer(ctx context.Context, a *call.Call, name, tool, args string) error {
	var object map[string]any
	if err := json.Unmarshal([]byte(args), &object); err != nil {
		return failure.Usage("--json is not a JSON object", `for example: --json '{"path": "a.md"}'`)
	}
	ctx, end := a.Ended(ctx)
	defer end()
	c, vetoes, err := connectServer(ctx, a, name)
	if err != nil {
		return err
	}
	defer c.Close()
	var names []string
	found := false
	for i, o := range c.Offers {
		names = append(names, o.Name)
		if o.Name == tool {
			// A changed definition may give the same arguments another meaning.
			if found = true; vetoes[i] != nil {
				return failure.New(failure.ExitConfig, "trust", fmt.Sprintf("the tool %s of %s is not used: %v", tool, name, vetoes[i]), "")
			}
		}
	}
	if !found {
		return failure.Usage("the MCP server "+name+" has no tool "+tool, failure.Nearest(tool, names))
	}
	answer, err := c.Call(ctx, tool, json.RawMessage(args))
	if err != nil {
		return mcpFailure(err)
	}
	if a.Out.Format != "text" {
		if err := a.Out.JSON(struct {
			Server string `json:"server"`
			Tool   string `json:"tool"`
			Text   string `json:"text"`
			Images int    `json:"images"`
			Failed bool   `json:"failed"`
		}{name, tool, answer.Bare, len(answer.Images), answer.Failed}); err != nil {
			return err
		}
	} else if answer.Bare != "" {
		fmt.Fprintln(a.Out, strings.TrimSuffix(answer.Bare, "\n"))
	}
	if n := len(answer.Images); n > 0 {
		a.Out.Tell(fmt.Sprintf("The result also contains %d images.\n", n))
	}
	// The printed result explains the failure.
	if answer.Failed {
		return failure.New(failure.ExitFailed, "mcp", "the tool "+tool+" reported an error", "")
	}
	return nil
}

// loginServer signs in to a server by OAuth in a browser on this machine. An open server asks for nothing.
func loginServer(ctx context.Context, a *call.Call, name string) error {
	s, err := findServer(a, name)
	if err != nil {
		return err
	}
	// A local program uses the login of its environment; a bearer is a login already.
	if s.URL == "" || s.Bearer != "" {
		return failure.Usage("no sign-in for "+name, "sign-in applies to servers with a url and no bearer")
	}
	o, err := a.Home.Servers.Options(s.Dir)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	asked := false
	o.Wait = 6 * time.Minute
	o.SignIn = func(address string) {
		asked = true
		opening := "Open"
		if browser.Open(address) == nil {
			opening = "A browser opens. If it does not, open"
		}
		a.Out.Ask(opening + " this page in a browser on this machine and sign in:\n\n" + address + "\n\n")
	}
	c, err := mcp.Connect(ctx, s, o)
	if err != nil {
		return mcpFailure(err)
	}
	defer c.Close()
	o.Vet(s, c.Offers)
	if !asked {
		a.Out.Tell(name + " does not require sign-in.\n")
		return nil
	}
	a.Out.Tell(fmt.Sprintf("Signed in to %s; it has %d tools.\n", name, len(c.Offers)))
	return nil
}

// logoutServer forgets the tokens here and tells the server nothing.
func logoutServer(a *call.Call, name string) error {
	r, err := a.Home.Keys.Keyring()
	if err == nil {
		err = r.Delete(home.SignInOf(name))
	}
	if errors.Is(err, keyring.ErrNone) {
		return failure.Usage("no sign-in for "+name, "")
	}
	if err != nil {
		return fmt.Errorf("forgetting the sign-in to %s: %w", name, err)
	}
	a.Out.Tell("Signed out of " + name + " here; the server may keep the session.\n")
	return nil
}
