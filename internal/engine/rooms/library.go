package rooms

import (
	"context"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Wiring is what debates need from outside: they know no vendor and no tool by name.
type Wiring struct {
	// Seat makes the model behind a seat's spec.
	Seat func(ctx context.Context, spec string) (llm.Model, error)
	// Frame makes the debate of a question, as the settings and the person define it; nil: debates cannot be started.
	Frame func(ctx context.Context, a Asked) (Debate, error)
	// Join returns the seat for a spec that joins the table of a frame, where some names are taken; nil: no seat can join.
	Join func(ctx context.Context, spec string, f table.Frame, names []string) (table.Seat, error)
	// Show reads a file of a folder as seats are shown it: all of it, or the named lines; nil: no files can be shared.
	Show func(ctx context.Context, dir, file string) (string, error)
	// Attended means that a person is present who can be asked and waited for.
	Attended bool
	// Tools are the tools that seats read with.
	Tools []tool.Tool
	// Views are the read-only views of projects too large to be copied quickly; nil: every project is copied.
	Views *git.Views
	// Look makes the function that checks evidence in a room, and the function that ends it.
	Look func(f table.Frame) (look func(context.Context, verdict.Claim) debate.Observation, end func() error)
}

// Library answers queries about debates.
type Library struct {
	core   *engine.Core
	store  *store.Store
	wiring Wiring
}

// With adds debates to an engine.
func With(w Wiring) func(*engine.Engine, *engine.Core) engine.Part {
	return func(_ *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, wiring: w}, Shape: shape()}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// shape is what the store must contain for the records of debates to be readable.
func shape() store.Shape {
	room := store.First{Kind: string(table.FrameKind), Filled: []string{"$.room", "$.seats"}}
	return store.Shape{
		Firsts: map[string]store.First{Refs: room, supersededRefs: room},
		Texts: map[string][]string{string(table.ContextKind): {"$.text"}, string(exchange.AskKind): {"$.system", "$.prompt"},
			string(exchange.ReplyKind): {"$.text"}, string(exchange.AddendumKind): {"$.text"}},
	}
}

// frameOf returns the frame of a debate from its first node; false if it cannot be read.
func frameOf(root tree.Node) (table.Frame, bool) {
	f, ok := table.FrameKind.Of(root)
	return f, ok && f.Room != "" && len(f.Seats) > 0
}
