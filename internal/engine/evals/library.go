package evals

import (
	"context"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/store"
)

// Program runs a program in dir that judges an answer there, and reports whether it ended with status 0.
type Program func(ctx context.Context, dir string, argv []string, limit time.Duration) (bool, error)

// Library answers queries about evaluations.
type Library struct {
	core    *engine.Core
	store   *store.Store
	rooms   *rooms.Library
	program Program
}

// With adds evaluations to an engine that has debates; program may be nil if none should run.
func With(program Program) func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, rooms: rooms.In(e), program: program},
			Shape: store.Shape{
				Firsts: map[string]store.First{evalRefs: {Kind: string(contest.PlanKind), Filled: []string{"$.name"}}},
				Texts:  map[string][]string{string(contest.PlanKind): {"$.items"}},
			}}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// evalRefs is the prefix of the refs of evaluations.
const evalRefs = "eval/"
