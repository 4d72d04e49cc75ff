// Package acp provides the command that editors start to use this program as their agent.
//
// The command is a host: it gives internal/acp the engine, the settings and ways to start debates, and speaks no
// protocol itself. It exits with 0 when the editor closes stdin, with 2 when a person or a seat of a debate starts
// it, and with 4 when a sign-in that the editor asked for fails.
//
// It differs from a chat at the terminal in two ways. It asks nothing at the terminal, because stdin carries the
// protocol; questions go through the editor. And a debate runs in a process of its own, started with the flags the
// person typed, so that closing the editor does not end it.
package acp

import (
	"context"
	"os"
	"os/exec"
	"sync"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/acp"
	"github.com/socrates-cli/socrates/internal/build"
	"github.com/socrates-cli/socrates/internal/door"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/slash"
	"github.com/socrates-cli/socrates/internal/slash/env"
)

type commands struct {
	*call.Call
}

// Command returns the command acp.
func Command(shared *call.Call) *cobra.Command {
	a, signIn := &commands{shared}, false
	c := &cobra.Command{Use: "acp", Short: "Run as an agent in your editor (Agent Client Protocol)",
		Long: `Editors start this command and speak the Agent Client Protocol with it over stdin and stdout:
Zed, JetBrains, Neovim, Emacs and others. A session is a conversation: continue it in the
terminal with socrates chat. /debate in a session asks the panel.

The editor asks you before a tool call that needs approval. Debates finish even if the editor
is closed; a running turn is stopped, and its work is saved.`,
		Example: `  # Zed, settings.json
  "agent_servers": {"Socrates": {"type": "custom", "command": "socrates", "args": ["acp"]}}`,
		Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			if signIn {
				return a.signIn()
			}
			return a.serve(c.Context())
		}}
	call.Unattended(c) // the editor asks, not the terminal
	c.Flags().BoolVar(&signIn, "sign-in", false, "sign in, then exit (editors use this)")
	return c
}

// signIn lets the person sign in at a terminal that the editor opened. It runs login as a process of its own, because
// login asks for keys at the terminal; login itself reports what failed.
func (a *commands) signIn() error {
	program, err := a.Home.Settings.Self()
	if err != nil {
		return err
	}
	c := exec.Command(program[0], append(program[1:], "login")...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return failure.New(failure.ExitAuth, "auth", "", "") // login has reported it
	}
	return nil
}

// serve speaks with the editor until it closes stdin or a signal arrives. Then it stops the jobs that still run and
// delivers their events.
func (a *commands) serve(ctx context.Context) error {
	if out.IsTerminal(os.Stdin) {
		return failure.Usage("socrates acp is started by editors, which speak the Agent Client Protocol with it",
			"add it to yours, see docs/acp.md; to chat here: socrates chat")
	}
	if seat.Inside() {
		return failure.Usage("a seat of a debate cannot be an editor's agent", "answer the question yourself")
	}
	program, err := a.Home.Settings.Self()
	if err != nil {
		return err
	}
	jobs, err := teller.NewJobs(a.Call)
	if err != nil {
		return err
	}
	defer jobs.Close()
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	return acp.Serve(ctx, a.host(e, program), a.In)
}

// host is what this program provides to the agent.
func (a *commands) host(e *engine.Engine, program []string) acp.Host {
	return acp.Host{Version: build.Version(), Out: a.Out, Engine: e, Env: func(dir string) *slash.Env { return a.envOf(e, dir) },
		Choices: a.choices, Bring: a.Home.Servers.Inspect, Lend: a.Home.Servers.Attach,
		Fill: func(ctx context.Context, say turns.Say) (turns.Say, error) { return turn.Fill(ctx, a.Call, say, "") },
		Window: func(ctx context.Context, spec string) int {
			if m, err := a.Home.Seats.Solo(ctx, spec); err == nil { // the turn reports what is wrong with it
				return m.Info().Window
			}
			return 0
		},
		Debate: func(ctx context.Context, dir string, d rooms.Asked) (string, []string, error) {
			args := append([]string{"mcp", "host", "--output", "stream-json", "--"}, d.Flags...)
			return door.Begin(ctx, program, dir, nil, append(args, d.Question)...)
		}}
}

// envOf returns what slash commands know about a folder. Models are discovered once, whoever asks first.
func (a *commands) envOf(e *engine.Engine, dir string) *slash.Env {
	env := env.Of(a.Home, e, dir)
	find := env.Models
	models := sync.OnceValue(func() []string { return find(context.Background()) })
	env.Models = func(context.Context) []string { return models() }
	if cfg, err := a.Home.Settings.Of(dir); err == nil { // the turn reports settings that cannot be read
		env.Begin["mode"] = cfg.String("permission.mode")
	}
	return env
}

// choices are what a person can choose for a conversation.
func (a *commands) choices(ctx context.Context, dir string) (c acp.Choices, err error) {
	cfg, err := a.Home.Settings.Of(dir)
	if err != nil {
		return c, err
	}
	for _, p := range cfg.Presets() {
		c.Presets = append(c.Presets, acp.Named{Name: p.Name, Doc: p.Doc})
	}
	all, err := a.Home.Seats.Discover(ctx)
	if err != nil {
		return c, err
	}
	for _, f := range all {
		if f.Used && f.IsModel() {
			c.Seats = append(c.Seats, f.Spec)
		}
	}
	if c.Model, err = a.Home.Seats.Choose(ctx, "", ""); err != nil {
		f := failure.Explain(err)
		c.Why = f.Message + "; " + f.Hint
	}
	return c, nil
}
