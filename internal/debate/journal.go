package debate

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/journal"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/tree"
)

// roomJournal is the journal of a room with its look-ups, and the head: the parent of new stages. It is safe for concurrent use:
// turns of several seats record through it at once.
type roomJournal struct {
	*journal.Book
	mu       sync.Mutex // guards the rest
	head     tree.ID
	steps    map[tree.ID][]exchange.Step
	earlier  map[tree.ID]bool // questions of earlier runs
	messages map[tree.ID]people.Message
	applied  []people.Applied // in the order they were applied
	ledgers  int
	options  bool
}

func newRoomJournal(j journal.Journal) *roomJournal {
	b := &roomJournal{steps: map[tree.ID][]exchange.Step{}, messages: map[tree.ID]people.Message{}, earlier: map[tree.ID]bool{}}
	b.Book = journal.Open(j, effectKey, b.index)
	for _, n := range j.Nodes {
		if n.Kind == string(exchange.AskKind) {
			b.earlier[n.ID] = true
		}
	}
	return b
}

// effectKey returns the key of a node that records an effect of a room; empty: it records none.
func effectKey(n tree.Node) string {
	switch n.Kind {
	case string(exchange.AskKind), string(exchange.ReplyKind), string(exchange.AddendumKind), string(ruling.CheckKind),
		string(ruling.NoteKind), string(people.NeedKind):
		var name struct{ Key, ID string }
		if json.Unmarshal(n.Body, &name) == nil {
			// A check has an ID, all others a Key; none has both.
			return name.Key + name.ID
		}
	}
	return ""
}

func (b *roomJournal) index(n tree.Node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch n.Kind {
	case string(exchange.StepKind):
		if s, ok := exchange.StepKind.Of(n); ok {
			b.steps[n.Parent] = append(b.steps[n.Parent], s)
		}
	case string(people.MessageKind):
		if message, ok := people.MessageKind.Of(n); ok {
			b.messages[n.ID] = message
		}
	case string(people.AppliedKind):
		if applied, ok := people.AppliedKind.Of(n); ok {
			b.applied = append(b.applied, applied)
		}
	case string(ruling.LedgerKind):
		b.ledgers++
	case string(table.OptionsKind):
		b.options = true
	}
	// Each stage is a child of the last; questions and replies are children of their stage and do not move the head.
	if n.Kind == string(table.FrameKind) || n.Kind == string(table.ContextKind) || n.Kind == string(table.OptionsKind) ||
		n.Kind == string(ruling.LedgerKind) || n.Kind == string(ruling.CheckKind) {
		b.head = n.ID
	}
}

// parent returns the stage whose children new nodes are.
func (b *roomJournal) parent() tree.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head
}

// asked finds a question by key, with its recorded steps, and reports whether an earlier run asked it.
func (b *roomJournal) asked(key string) (n tree.Node, steps []exchange.Step, earlier bool) {
	n, _ = journal.Happened(b.Book, exchange.AskKind, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	return n, b.steps[n.ID], b.earlier[n.ID]
}

// passed reports whether the room was at a question before: the question is recorded, or a reply that says it was not asked.
func (b *roomJournal) passed(key string) bool {
	_, asked := journal.Happened(b.Book, exchange.AskKind, key)
	_, replied := journal.Happened(b.Book, exchange.ReplyKind, key)
	return asked || replied
}

// appliedAt returns the messages that were applied at a place, in order.
func (b *roomJournal) appliedAt(point string) (out []people.Applied) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, applied := range b.applied {
		if applied.Point == point {
			out = append(out, applied)
		}
	}
	return out
}

// message returns the person's message in a node.
func (b *roomJournal) message(id tree.ID) (people.Message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	message, ok := b.messages[id]
	return message, ok
}

// isApplied reports whether a message was already applied or refused.
func (b *roomJournal) isApplied(id tree.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.applied, func(applied people.Applied) bool { return applied.Message == string(id) })
}

// note records a remark once, however often a room runs over its journal.
func (b *roomJournal) note(ctx context.Context, key, text string) error {
	if b.Sealed || b.noted(key) {
		return nil
	}
	return b.Add(ctx, ruling.NoteKind.New(b.parent(), "code", ruling.Note{Key: key, Text: text}))
}

// noted reports whether a remark is recorded.
func (b *roomJournal) noted(key string) bool {
	_, ok := journal.Happened(b.Book, ruling.NoteKind, key)
	return ok
}

// Bill sums what was spent according to the nodes. Its zero value is empty. Nodes are added in the order of commit: a question opens
// a reservation, and its reply settles it.
type Bill struct {
	Usage cost.Usage // of every reply
	open  map[tree.ID]float64
}

// Add adds the next node.
func (b *Bill) Add(n tree.Node) {
	if a, ok := exchange.AskKind.Of(n); ok {
		if b.open == nil {
			b.open = map[tree.ID]float64{}
		}
		b.open[n.ID] = a.USD
		return
	}
	r, ok := exchange.ReplyKind.Of(n)
	if !ok {
		r, ok = exchange.AddendumKind.Of(n)
	}
	if !ok {
		return
	}
	b.Usage = b.Usage.Add(r.Took())
	if r.State != exchange.Late {
		delete(b.open, n.Parent)
	}
}

// Lost sums the reservations of questions without a reply, since their calls may have been charged.
func (b Bill) Lost() (usd float64) {
	for _, ask := range slices.Sorted(maps.Keys(b.open)) { // in a fixed order, since sums of floats depend on it
		usd += b.open[ask]
	}
	return usd
}

// paid returns the bill of a room's nodes, including the steps of turns without a reply.
func paid(nodes []tree.Node) (usage cost.Usage, lost float64) {
	var b Bill
	for _, n := range nodes {
		b.Add(n)
	}
	usage = b.Usage
	for _, n := range nodes {
		if s, ok := exchange.StepKind.Of(n); ok {
			if _, open := b.open[n.Parent]; open {
				usage = usage.Add(s.Usage)
			}
		}
	}
	return usage, b.Lost()
}
