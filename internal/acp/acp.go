// Package acp is this program as an agent inside an editor: the Agent Client Protocol, version 1, over pipes. A
// session is a conversation of the store, so the terminal, the browser and the editor can continue the same one.
//
// [Serve] is the entry point: it reads JSON-RPC from the editor until the pipe closes. The parts, from the outside
// in:
//
//   - wire.go reads lines, matches answers to our requests, and keeps order: a request begins once those before it were
//     answered, except that nothing waits for a prompt.
//   - dispatch.go is the table of methods. schema.go has the protocol's types.
//   - session.go opens, forks, lists and replays sessions; options.go has the options of one.
//   - prompt.go answers a prompt: as a turn (turn.go), a slash command, a debate (debate.go) or the run of a plan (run.go).
//   - call.go and ask.go report tool calls and ask for permission in the editor's own dialogs.
//
// The package changes nothing itself: every change is an operation of the engine, and every update is read from the
// store, so that an editor that reconnects gets the same again. A question to the person is open everywhere at once;
// the first answer, in the editor or elsewhere, counts.
//
// The first cancel ends a prompt gracefully, the second at once. When the pipe closes, turns of this process are
// stopped and kept; debates run in processes of their own and continue. Host.Out cleans text from models and files.
// Nothing but the protocol is ever written to stdout.
//
// Not supported: the editor's own terminal and file system methods (tools read and write the disk), audio, and MCP
// servers over SSE.
package acp

import (
	"context"
	"io"
	"sync"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/slash"
)

// Host is the program behind the agent. All functions must be set and safe for concurrent use.
type Host struct {
	Version string
	Out     *out.Out // stdout carries the protocol and nothing else
	Engine  *engine.Engine
	// Env returns what slash commands know of a folder.
	Env func(dir string) *slash.Env
	// Fill sets the mode and model of a turn if neither it nor its conversation names them.
	Fill func(context.Context, turns.Say) (turns.Say, error)
	// Choices returns what a person can choose for a conversation in a folder.
	Choices func(ctx context.Context, dir string) (Choices, error)
	// Window returns the context window of a model in tokens; 0: unknown.
	Window func(ctx context.Context, spec string) int
	// Debate runs a debate in a process of its own, and returns its name and warnings once it is on disk.
	Debate func(ctx context.Context, dir string, d rooms.Asked) (room string, notes []string, err error)
	// Bring examines an MCP server that the editor provides, written as in .mcp.json, and Lend adds it to a
	// conversation; with keep it is approved for the project.
	Bring func(dir, name string, definition map[string]any) (home.EditorServer, error)
	Lend  func(tree string, b home.EditorServer, keep bool) error
}

// Choices are what a person can choose for a conversation.
type Choices struct {
	Model   string   // the default model; empty: none
	Why     string   // why there is none
	Seats   []string // the default panel
	Presets []Named
}

// Named is an option to choose, with a description.
type Named struct{ Name, Doc string }

// agent is the agent of one editor. Locks are taken in the order session.mu, agent.mu, conn.mu.
type agent struct {
	Host
	conn
	ctx context.Context // ends with the connection, and all turns with it

	mu       sync.Mutex
	client   *ability // the editor's abilities; nil: not reported yet
	sessions map[string]*session
}

// Serve serves an editor until it closes the pipe or ctx ends. Turns end with it; what they did is kept, and debates
// finish in their own processes.
func Serve(ctx context.Context, h Host, in io.Reader) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	a := &agent{Host: h, ctx: ctx, sessions: map[string]*session{}}
	a.conn = conn{send: h.Out.Line, asked: map[int]chan message{}, running: map[string]context.CancelFunc{}}
	lines := make(chan error, 1)
	go func() { lines <- a.listen(ctx, in, a.dispatch) }()
	var err error
	select {
	case err = <-lines:
	case <-ctx.Done():
	}
	end()
	for _, root := range a.Engine.Busy() {
		a.Engine.Do(context.Background(), engine.Stop{Root: root, Reason: "the editor closed the connection"})
	}
	a.work.Wait()
	return err
}
