package engine

import (
	"context"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tree"
)

// evalRefs is how the refs of evaluations begin.
const evalRefs = "eval/"

// shape is what the store must hold for what is kept in it to be read.
func shape() store.Shape {
	room := store.First{Kind: string(debate.FrameKind), Filled: []string{"$.room", "$.seats"}}
	talked := store.First{Kind: string(talk.RootKind), Filled: []string{"$.dir"}}
	return store.Shape{
		Firsts: map[string]store.First{roomRefs: room, supersededRefs: room, treeRefs: talked, branchRefs: talked, labelRefs: talked,
			noteRefs: {Kind: string(talk.NoteKind), Filled: []string{"$.text"}}, useRefs: {Kind: string(talk.UseKind)},
			evalRefs: {Kind: string(contest.PlanKind), Filled: []string{"$.name"}}},
		Texts: map[string][]string{string(debate.ContextKind): {"$.text"}, string(debate.AskKind): {"$.system", "$.prompt"}, string(debate.ReplyKind): {"$.text"},
			string(debate.AddendumKind): {"$.text"}, string(talk.BriefKind): {"$.text"}, string(talk.ExchangeKind): {"$.whole"}, string(talk.HandleKind): {"$.blob"},
			string(contest.PlanKind): {"$.items"}},
	}
}

// Check looks for damage in the store and returns what it finds, in sentences. Unless whole is set it leaves out what reads
// every node and text.
func (e *Engine) Check(ctx context.Context, whole bool) ([]string, error) {
	return e.store.Check(ctx, whole, shape())
}

// Sound is nil if every node of a tree can be read, and else the damage.
func (e *Engine) Sound(ctx context.Context, root tree.ID) error { return e.store.Sound(ctx, root) }

// frameOf is what was fixed of a debate, by its first node; false if that cannot be read.
func frameOf(root tree.Node) (debate.Frame, bool) {
	f, ok := debate.FrameKind.Of(root)
	return f, ok && f.Room != "" && len(f.Seats) > 0
}

// beginning is what a conversation began with, by its first node; false if that cannot be read.
func beginning(root tree.Node) (talk.Root, bool) {
	r, ok := talk.RootKind.Of(root)
	return r, ok && r.Dir != ""
}
