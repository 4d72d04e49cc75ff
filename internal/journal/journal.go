package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Journal is where effects are recorded and found again. Append, Put and Text must be safe for concurrent use. If Sealed is set, all
// may be nil except Text, which a replay reads with.
type Journal struct {
	Nodes []tree.Node // recorded earlier, root first
	// Append stores nodes in order, all or none, and returns them as stored, with their Seq.
	Append func(ctx context.Context, nodes ...tree.Node) ([]tree.Node, error)
	// Put stores a text and returns the hash by which nodes name it; Text reads it again.
	Put  func(ctx context.Context, text string) (hash string, err error)
	Text func(ctx context.Context, hash string) (string, error)
	// Sealed journals answer only from their record: an effect that was not recorded is ErrNotRecorded.
	Sealed bool
}

// ErrNotRecorded means that a replay needs something its record does not have.
var ErrNotRecorded = errors.New("the record lacks this entry; it may be truncated or from another version")

// Book is a Journal with an index of its effects. It is safe for concurrent use. Its methods do not wait for the disk, except Add and
// Flush.
type Book struct {
	Journal
	key  func(tree.Node) string
	also func(tree.Node)

	mu      sync.Mutex // guards the rest, and Nodes
	effects map[effect]tree.Node
	waiting []tree.Node   // see Later
	written chan struct{} // closed once no node waits; nil: none does
	lost    error         // the first write that failed: the record ends before it
}

// effect names something that happened. Its body is decoded only when it is asked for.
type effect struct{ kind, key string }

// Open indexes a journal. key returns the key of a node that records an effect, and "" for any other node. also, if not nil, is
// called with every node, recorded earlier or now, in order and one at a time.
func Open(j Journal, key func(tree.Node) string, also func(tree.Node)) *Book {
	b := &Book{Journal: j, key: key, also: also, effects: map[effect]tree.Node{}}
	for _, n := range j.Nodes {
		b.index(n)
	}
	return b
}

// index adds a node to the index. The caller holds mu, or is Open, whose book nobody else has yet.
func (b *Book) index(n tree.Node) {
	if key := b.key(n); key != "" {
		b.effects[effect{n.Kind, key}] = n
	}
	if b.also != nil {
		b.also(n)
	}
}

// Happened finds the node of an effect. It is false if the effect did not happen. Use Recall for the body.
func Happened[T any](b *Book, kind tree.Kind[T], key string) (n tree.Node, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok = b.effects[effect{string(kind), key}]
	return n, ok
}

// Recall returns the recorded value of an effect. It is also false if the body cannot be decoded: the effect then happens again and
// its new node counts.
func Recall[T any](b *Book, kind tree.Kind[T], key string) (value T, ok bool) {
	n, ok := Happened(b, kind, key)
	if !ok {
		return value, false
	}
	return kind.Of(n)
}

// Add records nodes. Once it returns they are on disk, with everything recorded before them. It ignores cancellation of ctx: what
// happened is recorded even if the caller has gone.
func (b *Book) Add(ctx context.Context, nodes ...tree.Node) error {
	if err := b.Later(ctx, nodes...); err != nil {
		return err
	}
	return b.Flush()
}

// Later records nodes in the background, in order, so that the caller can continue with their results meanwhile. Nobody may be told
// about them before the next Add, which waits for them and returns their error.
func (b *Book) Later(ctx context.Context, nodes ...tree.Node) error {
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

// write writes the waiting nodes, and those that arrive meanwhile, until none waits.
func (b *Book) write(ctx context.Context, written chan struct{}) {
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
		// Without the lock: others can record meanwhile, and the next write takes their nodes.
		stored, err := b.Append(ctx, nodes...)
		b.mu.Lock()
		b.Nodes = append(b.Nodes, stored...)
		b.lost = cmp.Or(b.lost, err)
		b.mu.Unlock()
	}
}

// Recorded returns the nodes written so far, without those that wait. The slice is shared and only grows: callers must not write to
// it.
func (b *Book) Recorded() []tree.Node {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Nodes[:len(b.Nodes):len(b.Nodes)]
}

// Flush waits until everything is recorded. Its error is that of the first failed write, however long ago.
func (b *Book) Flush() error {
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

// Keep stores a text and returns its hash, which is empty for an empty text.
func (b *Book) Keep(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return b.Put(context.WithoutCancel(ctx), text)
}

// Open reads a text by its hash.
func (b *Book) Open(ctx context.Context, hash string) (string, error) {
	if hash == "" {
		return "", nil
	}
	return b.Text(context.WithoutCancel(ctx), hash)
}
