// Package door is the MCP server of this program: other agents start debates, wait for them and read decisions
// through it. It keeps no state: a debate runs in a process of its own, and everything is read from the store.
//
// New makes a server for any transport of the SDK, Serve one over pipes for a single client. The tools are in Tools,
// in the order clients show them; the decision and the ledger of a debate are resources, too. A debate is started by
// another process of this program (Begin, with the hidden command mcp host), which leads a session of its own: it
// continues when the client, its terminal or this server ends, and calling again with the same arguments joins it.
// The server follows it in the store like everybody else (Follow). The HTTP server and its models start and follow
// debates by the same functions.
//
// A client may do less than the person at the terminal. It cannot raise a limit, give commands to a debate (they drop
// seats and decide), choose a folder, or start a debate from within one (Host.Seated). A decision left to the person
// is requested through the client, if it can show a form, once for each debate; the answer comes back with a state
// that this server signed.
//
// Calls answer within the time a client gave them, with state running and the next call to make: the debate needs
// minutes, clients wait for less. Progress notifications keep clients that read them from giving up. An error is a
// sentence for a model, with what to do about it; no answer is longer than maxText, cut after the decision.
//
// A door is safe for concurrent calls. It opens the store on first use and does not close it: the Host does.
package door

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/socrates-cli/socrates/internal/engine"
)

// Host is the program behind the door. All fields are set before New and not changed; Clean must be safe for
// concurrent use.
type Host struct {
	Version string
	Program []string // starts this program again, with the flags that choose settings and store
	Dir     string   // the folder debates are about
	Project string   // the folder whose decisions are searched
	Seated  bool     // we run inside a seat of a debate
	// ReadOnly offers only tools that read.
	ReadOnly bool
	// AtOnce marks tools for clients that hide tools behind a search, which would cost a model a turn.
	AtOnce map[string]any
	// Engine opens the store on first use.
	Engine func(context.Context) (*engine.Engine, error)
	// Clean removes secrets and control characters from a text.
	Clean func(string) string
}

// door serves one client at a time over pipes, or several.
type door struct {
	Host
	secret []byte        // signs the state that a client returns to us
	beat   time.Duration // between two notes of progress
	gone   chan struct{} // closed once the only client waits for nothing any more; nil: there are several

	mu       sync.Mutex
	engine   *engine.Engine
	elicited map[string]bool // rooms whose person was asked to choose
}

// instructions describe the tools as a whole to a client's model.
const instructions = `Socrates has several AI models from different vendors debate a question. Code checks their claims against
the project and computes the verdict. Call debate for decisions with real alternatives: put the question neutrally, name the options,
and do not hint at an answer of your own. While the answer's state is "running", call debate_wait. Report the decision, quote the
dissent, and call it a consensus only if nobody dissented and no seat is missing.`

// New makes the server. One server may serve several clients; a room that asked its person is remembered for all of
// them.
func New(h Host) *mcp.Server { return newDoor(h).server() }

// The secret is new for each process: a state that an earlier one signed is refused.
func newDoor(h Host) *door {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return &door{Host: h, secret: secret, beat: 5 * time.Second, elicited: map[string]bool{}}
}

// server makes the server with tools, resources and prompts.
func (d *door) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "socrates", Title: "Socrates", Version: d.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{}, CompletionHandler: d.complete})
	s.AddReceivingMiddleware(withoutForm)
	d.addTools(s)
	d.addPages(s)
	return s
}

// open opens the store once.
// A failure is not kept: the next call tries again. The context of the first call does not end the store.
func (d *door) open(ctx context.Context) (*engine.Engine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.engine != nil {
		return d.engine, nil
	}
	e, err := d.Engine(context.WithoutCancel(ctx))
	if err == nil {
		d.engine = e
	}
	return e, err
}
