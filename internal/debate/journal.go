package debate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Journal is where a room records what happens, and where it finds what happened already. Resume, replay and fork
// are the same thing: a room that runs over a journal which holds some or all of its answers.
type Journal struct {
	Nodes  []tree.Node // recorded earlier, root first; empty: a new room
	Append func(ctx context.Context, nodes ...tree.Node) ([]tree.Node, error)
	Put    func(ctx context.Context, text string) (hash string, err error)
	Text   func(ctx context.Context, hash string) (string, error)
	// Sealed journals answer only from what they hold: an effect that was not recorded is ErrNotRecorded.
	Sealed bool
}

// ErrNotRecorded says that a replay needs something its record does not hold.
var ErrNotRecorded = errors.New("the record does not contain this; it may be truncated or from another version")

// book is a Journal with an index, and the head new stages hang from.
type book struct {
	Journal
	mu      sync.Mutex
	head    tree.ID
	effects map[effect]tree.Node
	steps   map[tree.ID][]Exchange
	earlier map[tree.ID]bool // questions of earlier runs
	words   map[tree.ID]Word
	heed    []Heed        // in the order they were heeded
	waiting []tree.Node   // see later
	written chan struct{} // closed once nothing waits; nil: nothing does
	lost    error         // the first write that failed: the record ends before it
	ledgers int
	options bool
}

// effect names something that happened in a room. What is recorded of it is decoded only when it is asked for.
type effect struct{ kind, key string }

func newBook(j Journal) *book {
	b := &book{Journal: j, effects: map[effect]tree.Node{}, steps: map[tree.ID][]Exchange{}, words: map[tree.ID]Word{}, earlier: map[tree.ID]bool{}}
	for _, n := range j.Nodes {
		b.index(n)
		if n.Kind == string(AskKind) {
			b.earlier[n.ID] = true
		}
	}
	return b
}

func (b *book) index(n tree.Node) {
	switch n.Kind {
	case string(AskKind), string(ReplyKind), string(AddendumKind), string(CheckKind), string(NoteKind), string(NeedKind):
		var name struct{ Key, ID string }
		if err := json.Unmarshal(n.Body, &name); err == nil && name.Key+name.ID != "" {
			b.effects[effect{n.Kind, name.Key + name.ID}] = n
		}
	case string(StepKind):
		if s, ok := StepKind.Of(n); ok {
			b.steps[n.Parent] = append(b.steps[n.Parent], s)
		}
	case string(WordKind):
		if w, ok := WordKind.Of(n); ok {
			b.words[n.ID] = w
		}
	case string(HeedKind):
		if h, ok := HeedKind.Of(n); ok {
			b.heed = append(b.heed, h)
		}
	case string(LedgerKind):
		b.ledgers++
	case string(OptionsKind):
		b.options = true
	}
	if n.Kind == string(FrameKind) || n.Kind == string(ContextKind) || n.Kind == string(OptionsKind) ||
		n.Kind == string(LedgerKind) || n.Kind == string(CheckKind) {
		b.head = n.ID
	}
}

// happened finds the node of an effect.
func happened[T any](b *book, kind tree.Kind[T], key string) (n tree.Node, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok = b.effects[effect{string(kind), key}]
	return n, ok
}

// recall finds what is recorded of an effect.
func recall[T any](b *book, kind tree.Kind[T], key string) (value T, ok bool) {
	n, ok := happened(b, kind, key)
	if !ok {
		return value, false
	}
	return kind.Of(n)
}

// add records nodes. Once it returns they survive anything, with all that was recorded later before them. It outlives
// ctx: what happened is recorded even when the one who asked has gone.
func (b *book) add(ctx context.Context, nodes ...tree.Node) error {
	if err := b.later(ctx, nodes...); err != nil {
		return err
	}
	return b.flush()
}

// later records nodes behind the caller's back, in order: what they lead to is worked out while they are written. Nothing
// leaves the room before the next add, which waits for them and tells what failed.
func (b *book) later(ctx context.Context, nodes ...tree.Node) error {
	if b.Sealed {
		return fmt.Errorf("%s node: %w", nodes[0].Kind, ErrNotRecorded)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost != nil {
		return b.lost
	}
	for _, n := range nodes {
		b.index(n)
	}
	b.waiting = append(b.waiting, nodes...)
	if b.written == nil {
		b.written = make(chan struct{})
		go b.write(context.WithoutCancel(ctx), b.written)
	}
	return nil
}

// write records what waits, and what comes meanwhile, until nothing does.
func (b *book) write(ctx context.Context, written chan struct{}) {
	defer close(written)
	for {
		b.mu.Lock()
		nodes := b.waiting
		b.waiting = nil
		if len(nodes) == 0 || b.lost != nil {
			b.written = nil
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		stored, err := b.Append(ctx, nodes...)
		b.mu.Lock()
		b.Nodes = append(b.Nodes, stored...)
		b.lost = cmp.Or(b.lost, err)
		b.mu.Unlock()
	}
}

// flush waits until everything is recorded.
func (b *book) flush() error {
	b.mu.Lock()
	written := b.written
	b.mu.Unlock()
	if written != nil {
		<-written
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

func (b *book) put(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return b.Put(context.WithoutCancel(ctx), text)
}

func (b *book) text(ctx context.Context, hash string) (string, error) {
	if hash == "" {
		return "", nil
	}
	return b.Text(context.WithoutCancel(ctx), hash)
}

func (b *book) parent() tree.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.head
}

// asked finds a question by key, with the steps that were recorded under it, and says whether an earlier run asked it.
func (b *book) asked(key string) (n tree.Node, steps []Exchange, earlier bool) {
	n, _ = happened(b, AskKind, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	return n, b.steps[n.ID], b.earlier[n.ID]
}

// passed says whether the room was at a question before: it was recorded, or that it was not asked any more.
func (b *book) passed(key string) bool {
	_, asked := happened(b, AskKind, key)
	_, replied := happened(b, ReplyKind, key)
	return asked || replied
}

// heeds are the words that were heeded at a place, in order.
func (b *book) heeds(place string) (out []Heed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, h := range b.heed {
		if h.Place == place {
			out = append(out, h)
		}
	}
	return out
}

func (b *book) word(id tree.ID) (Word, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.words[id]
	return w, ok
}

// heeded says whether something became of a word already.
func (b *book) heeded(word tree.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.heed, func(h Heed) bool { return h.Word == string(word) })
}

// note records a remark once, however often a room runs over its journal.
func (b *book) note(ctx context.Context, key, text string) error {
	if b.Sealed || b.noted(key) {
		return nil
	}
	return b.add(ctx, NoteKind.New(b.parent(), "code", Note{key, text}))
}

func (b *book) noted(key string) bool {
	_, ok := happened(b, NoteKind, key)
	return ok
}

// Bill sums what nodes say was spent, one after the other. Its zero value is empty.
type Bill struct {
	Usage llm.Usage // of every reply
	open  map[tree.ID]float64
}

// Add takes in the next node.
func (b *Bill) Add(n tree.Node) {
	if a, ok := AskKind.Of(n); ok {
		if b.open == nil {
			b.open = map[tree.ID]float64{}
		}
		b.open[n.ID] = a.USD
		return
	}
	r, ok := ReplyKind.Of(n)
	if !ok {
		r, ok = AddendumKind.Of(n)
	}
	if !ok {
		return
	}
	b.Usage = b.Usage.Add(r.Took())
	if r.State != Late {
		delete(b.open, n.Parent)
	}
}

// Lost sums the reservations of questions that never got a reply, because it may have been paid for.
func (b Bill) Lost() (usd float64) {
	for _, ask := range slices.Sorted(maps.Keys(b.open)) { // in one order: sums of floats depend on it
		usd += b.open[ask]
	}
	return usd
}

// Paid is the bill of a room's nodes, with the steps of turns that have no reply.
func Paid(nodes []tree.Node) (usage llm.Usage, lost float64) {
	var b Bill
	for _, n := range nodes {
		b.Add(n)
	}
	usage = b.Usage
	for _, n := range nodes {
		if s, ok := StepKind.Of(n); ok {
			if _, open := b.open[n.Parent]; open {
				usage = usage.Add(s.Usage)
			}
		}
	}
	return usage, b.Lost()
}
