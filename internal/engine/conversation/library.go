package conversation

import (
	"context"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/snapshot"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Files says where the files of projects are saved. Its zero value saves none. Keeper may be called often: it opens, or
// finds again, the snapshots of a folder.
type Files struct {
	// Keeper returns what saves the files of a project; nil: they are not saved.
	Keeper func(ctx context.Context, dir string) (*snapshot.Keeper, error)
	// Folders lists the folders whose files are saved.
	Folders func() ([]string, error)
}

// Library answers queries about conversations. It is safe for concurrent use and keeps no state.
type Library struct {
	core   *engine.Core
	store  *store.Store
	engine *engine.Engine
	files  Files
}

// With adds conversations to an engine.
func With(f Files) func(*engine.Engine, *engine.Core) engine.Part {
	return func(e *engine.Engine, c *engine.Core) engine.Part {
		return engine.Part{Library: &Library{core: c, store: c.Store, engine: e, files: f}, Shape: shape()}
	}
}

// In returns the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// shape is what the store must contain for the records of conversations to be readable.
func shape() store.Shape {
	talked := store.First{Kind: string(talk.RootKind), Filled: []string{"$.dir"}}
	return store.Shape{
		Firsts: map[string]store.First{treeRefs: talked, branchRefs: talked, labelRefs: talked, useRefs: {Kind: string(margin.UseKind)}},
		Texts: map[string][]string{string(talk.BriefKind): {"$.text"}, string(talk.ExchangeKind): {"$.whole"},
			string(material.HandleKind): {"$.blob"}},
	}
}

// beginning returns the body of a conversation's first node; false if it cannot be read.
func beginning(root tree.Node) (talk.Root, bool) {
	r, ok := talk.RootKind.Of(root)
	return r, ok && r.Dir != ""
}

// Keeper returns what saves the files of a project; nil: they are not saved.
func (l *Library) Keeper(ctx context.Context, dir string) (*snapshot.Keeper, error) {
	if l.files.Keeper == nil {
		return nil, nil
	}
	return l.files.Keeper(ctx, dir)
}
