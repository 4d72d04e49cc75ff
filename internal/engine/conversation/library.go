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

// Files is where the files of projects are kept. Its zero value keeps none.
// Keeper may be called often: it opens, or finds again, what is kept of a folder.
type Files struct {
	// Keeper keeps the files of a project; nil: they are not kept.
	Keeper func(ctx context.Context, dir string) (*snapshot.Keeper, error)
	// Folders are those whose files are kept.
	Folders func() ([]string, error)
}

// Library answers what is asked about conversations.
// It is safe for concurrent use and keeps nothing of its own.
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

// In is the library of an engine.
func In(e *engine.Engine) *Library { return engine.Of[*Library](e) }

// shape is what the store must hold for what is kept of conversations to be read.
func shape() store.Shape {
	talked := store.First{Kind: string(talk.RootKind), Filled: []string{"$.dir"}}
	return store.Shape{
		Firsts: map[string]store.First{treeRefs: talked, branchRefs: talked, labelRefs: talked, useRefs: {Kind: string(margin.UseKind)}},
		Texts: map[string][]string{string(talk.BriefKind): {"$.text"}, string(talk.ExchangeKind): {"$.whole"},
			string(material.HandleKind): {"$.blob"}},
	}
}

// beginning is what a conversation began with, by its first node; false if that cannot be read.
func beginning(root tree.Node) (talk.Root, bool) {
	r, ok := talk.RootKind.Of(root)
	return r, ok && r.Dir != ""
}

// Keeper keeps the files of a project; nil: they are not kept.
func (l *Library) Keeper(ctx context.Context, dir string) (*snapshot.Keeper, error) {
	if l.files.Keeper == nil {
		return nil, nil
	}
	return l.files.Keeper(ctx, dir)
}
