package evals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/suite"
	"github.com/socrates-cli/socrates/internal/learn"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/seat/scheme"
	"github.com/socrates-cli/socrates/internal/tree"
)

// compete continues a contest from its record, and closes it if it is completed.
func (l *Library) compete(ctx context.Context, root tree.ID, p contest.Plan, past *past, programs bool, interrupt <-chan struct{}) error {
	began := time.Now()
	items, err := l.items(ctx, p)
	if err != nil {
		return err
	}
	limits, recorded := past.limits(), past.own
	h := &hall{l: l, root: root, rooms: past.rooms, budget: budget.New(limits.USD, limits.Tokens, nil)}
	// Lost amounts count as spent: they may have been paid.
	h.budget.Spend(past.bill.Usage.USD+past.bill.Lost(), past.bill.Usage.Total())
	// The job runs for hours; from here on the contest holds the record.
	past.own, past.rooms = nil, nil
	judge := suite.Judge{}
	if programs {
		judge.Run = l.program
	}
	err = contest.Run(ctx, p, limits, items, recorded,
		contest.Hall{Root: root, Append: l.store.Append, Room: h.room, Judge: judge, Interrupt: interrupt})
	if err != nil {
		return err
	}
	end := contest.EndKind.New(root, "code", contest.End{MS: time.Since(began).Milliseconds()})
	_, err = l.store.AppendTo(context.WithoutCancel(ctx), evalRefs+p.Name, root, end.ID, end)
	return err
}

// items reads the items a contest was opened with.
func (l *Library) items(ctx context.Context, p contest.Plan) ([]suite.Item, error) {
	text, err := l.store.Named(ctx, p.Text)
	if err != nil {
		return nil, err
	}
	var items []suite.Item
	for it, err := range suite.Read(strings.NewReader(text)) {
		if err != nil {
			return nil, fmt.Errorf("the recorded items of %s: %w", p.Name, err)
		}
		items = append(items, it)
	}
	if len(items) != p.Items {
		return nil, fmt.Errorf("the record of %s contains %d of %d items", p.Name, len(items), p.Items)
	}
	return items, nil
}

// hall is where the rooms of a contest are.
type hall struct {
	l      *Library
	root   tree.ID
	budget *budget.Budget

	mu    sync.Mutex
	rooms map[string]span // recorded rooms, by name
}

// journal returns the record of a room, or opens the room if there is none.
func (h *hall) journal(ctx context.Context, f table.Frame) ([]tree.Node, error) {
	h.mu.Lock()
	s, known := h.rooms[f.Room]
	h.mu.Unlock()
	if known {
		return s.nodes(ctx, h.l, h.root)
	}
	return h.l.store.Append(ctx, table.FrameKind.New(h.root, "code", f))
}

// room puts a question to seats, in a folder that contains only the item's files.
func (h *hall) room(ctx context.Context, f table.Frame, it suite.Item, strategy debate.Strategy) ([]tree.Node, error) {
	nodes, err := h.journal(ctx, f)
	if err != nil {
		return nil, err
	}
	temp, err := scratch.New("item")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", it.ID, err)
	}
	defer temp.Remove()
	// The folder in the recorded frame may be from an earlier session: the files are laid out again each time.
	dir := temp.Path
	if err := it.Lay(dir); err != nil {
		return nil, err
	}
	f.Dir = dir
	room := &debate.Room{Frame: f, Budget: h.budget, Halt: unusable}
	if err := h.l.rooms.Play(ctx, room, nodes, strategy, len(it.Files) > 0); err != nil {
		return nil, err
	}
	nodes = room.Nodes()
	s := span{nodes[0].ID, nodes[0].Seq, nodes[0].Seq}
	for _, n := range nodes {
		s.last = max(s.last, n.Seq)
	}
	h.mu.Lock()
	h.rooms[f.Room] = s
	h.mu.Unlock()
	return nodes, h.teach(ctx, nodes, it)
}

// teach records what a room teaches about its seats, once: the item's key is known. Simulated seats teach nothing, nor does a question
// asked with its options reversed.
func (h *hall) teach(ctx context.Context, nodes []tree.Node, it suite.Item) error {
	f, _ := table.FrameKind.Of(nodes[0])
	pretends := slices.ContainsFunc(f.Seats, func(s table.Seat) bool { return scheme.Of(s.Spec).Notice != "" })
	if f.Mirrored || pretends || len(learn.LessonKind.All(nodes)) > 0 {
		return nil
	}
	res, err := debate.Summarize(nodes)
	truth := debate.OptionOf(verdict.Ledger{Options: res.Options}, it.TruthText())
	if err != nil || truth == "" || res.Panel.Voted == 0 || res.Exploration { // after a discussion, votes are no longer each seat's own
		return err
	}
	_, err = h.l.store.Append(ctx, learn.LessonKind.New(nodes[0].ID, "code", learn.Of(res, truth, truth, "key of the item")))
	return err
}

// unusable reports whether a seat cannot be asked any more: continuing would make it look wrong.
func unusable(r exchange.Reply) bool {
	return slices.Contains([]trouble.Kind{exchange.BudgetKind, exchange.NoCopyKind, trouble.Auth, trouble.Quota}, r.Kind)
}
