// Package door has the commands by which other agents use this program over MCP.
//
// There are two doors. mcp serve speaks MCP over stdin and stdout with the one agent that started it; serve speaks
// HTTP with browsers, programs and models' clients. Both pass requests to internal/door and internal/serve, which
// know no command; what they need of this program is a Host, made here.
//
// A debate never runs in the server: it is started as a process of its own (mcp host, hidden), which reads the
// request from stdin, announces on stdout which debate it became, and then prints nothing. So it survives its client,
// and a restarted server finds it in the store.
//
// A client is not the person: the person's settings limit what it may cost and run, a client can only narrow them,
// and nobody is ever asked at the terminal.
//
// Exit codes: serve and web exit with 0 when a signal stops them, as do mcp serve and its client; 1 if the connection
// breaks; 2 for an address that is refused, a token that already exists or a request that cannot be read. mcp host
// exits as its debate does.
package door

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/frame"
	"github.com/socrates-cli/socrates/cmd/call/room"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/serve"
)

type commands struct {
	*call.Call
	frames *frame.Framer
	rooms  *room.Rooms
}

// Door is how other programs connect: agents over MCP, browsers and programs over HTTP.
type Door struct{ commands }

// New returns the door of a call.
func New(shared *call.Call, frames *frame.Framer, rooms *room.Rooms) *Door {
	return &Door{commands{shared, frames, rooms}}
}

// Commands returns those of the HTTP server: serve, web and token.
func (d *Door) Commands() []*cobra.Command { return d.servers() }

// Serve serves pages and the API until a signal ends it.
func (d *Door) Serve(ctx context.Context, o serve.Options) error { return d.serveHTTP(ctx, o, false) }

// MCP returns the commands that serve other agents, below the command mcp.
func (d *Door) MCP() []*cobra.Command {
	a := &d.commands
	mcpServer := &cobra.Command{Use: "serve", Short: "Serve debates and decisions to other agents over MCP",
		Long: `Other agents start this command and speak MCP with it over stdin and stdout. They can start
debates, wait for them, add facts, and search this project's decisions.

A debate runs in its own process: it finishes even if the agent gives up or is closed.
Limits, seats and allowed checks are yours: an agent can lower a limit, never raise one.`,
		Example: `  claude mcp add socrates -- socrates mcp serve
  codex mcp add socrates -- socrates mcp serve
  gemini mcp add socrates socrates mcp serve`,
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return serveMCP(c.Context(), a.Call) }}
	host := &cobra.Command{Use: "host", Hidden: true,
		Short: "Run a debate for a client (JSON on stdin) or a person (-- FLAGS QUESTION)",
		Args:  cobra.ArbitraryArgs, RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.typed(c.Context(), args[:len(args)-1], args[len(args)-1])
			}
			ask, err := read(a.In)
			if err != nil {
				return err
			}
			return a.hold(c.Context(), ask)
		}}
	guess := &cobra.Command{Use: "estimate", Hidden: true, Short: "Describe the debate a client asks for, without starting it (JSON on " +
		"stdin)",
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			ask, err := read(a.In)
			if err != nil {
				return err
			}
			return a.guess(c.Context(), ask)
		}}
	call.Unattended(host, guess)
	return []*cobra.Command{mcpServer, host, guess}
}

// maxAsk limits a request, in bytes.
const maxAsk = 1 << 20

// Unknown fields are refused: an agent that misspells a limit must not get a debate without one.
func read(r io.Reader) (ask door.Ask, err error) {
	d := json.NewDecoder(io.LimitReader(r, maxAsk))
	d.DisallowUnknownFields()
	if err := d.Decode(&ask); err != nil {
		return ask, failure.Usage("stdin is not a request for a debate: "+err.Error(), "start a debate yourself with: socrates debate")
	}
	return ask, nil
}

// serveMCP serves one client over stdin and stdout until it closes them or a signal ends it. If stdin is a terminal,
// a person has tried the command.
func serveMCP(ctx context.Context, a *call.Call) error {
	if out.IsTerminal(os.Stdin) {
		return failure.Usage("socrates mcp serve is started by other agents, which speak MCP with it",
			"add it to one, for example: claude mcp add socrates -- socrates mcp serve")
	}
	h, err := hostOf(a)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	if err := door.Serve(ctx, h, os.Stdin, os.Stdout); err != nil && ctx.Err() == nil {
		return failure.New(failure.ExitFailed, "mcp", "the connection to the MCP client failed: "+err.Error(), "")
	}
	return nil
}

// hostOf is what this program provides to the door. Seated means that this process runs as a seat of a debate: its
// doors then start no debates.
func hostOf(a *call.Call) (door.Host, error) {
	program, err := a.Home.Settings.Self()
	if err != nil {
		return door.Host{}, err
	}
	h := door.Host{Version: build.Version(), Program: program, Seated: seat.Inside(), Engine: a.Open, Clean: a.Out.Clean,
		AtOnce: map[string]any{"anthropic/alwaysLoad": true}}
	if h.Dir, err = a.Home.Settings.Dir(); err != nil {
		return h, err
	}
	h.Project, err = a.Home.Settings.Project()
	return h, err
}
