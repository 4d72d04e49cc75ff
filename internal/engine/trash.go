package engine

import (
	"context"
	"errors"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// TrashTime is how long what was deleted can be taken back.
const TrashTime = 7 * 24 * time.Hour

// purgedAtOnce is how much of what has expired one op removes: nobody waits for more.
const purgedAtOnce = 20

// PurgeTrash removes for good some of what has been in the trash long enough. The rest, and what cannot be removed now, is the
// next time.
// Its errors are dropped: the operation it comes after has succeeded, and doctor tells of a store that cannot be
// written.
func (c *Core) PurgeTrash(ctx context.Context) {
	if ctx.Err() == nil {
		c.Store.Purge(ctx, time.Now().Add(-TrashTime), purgedAtOnce)
	}
}

// Expire removes for good all that has been in the trash long enough, and returns how many things that were.
func (e *Engine) Expire(ctx context.Context) (int, error) {
	return e.core.Store.Purge(ctx, time.Now().Add(-TrashTime), 0)
}

// Discard moves refs to the trash, all or none, and removes for good some of what has expired.
// It does not look whether what they lead to is at work: callers hold its lock.
func (c *Core) Discard(ctx context.Context, refs []tree.Ref) error {
	defer c.PurgeTrash(ctx)
	err := c.Store.Discard(ctx, "person", refs...)
	if errors.Is(err, store.ErrMoved) {
		return &Refusal{Message: "another process has just changed one of them; nothing was deleted", Hint: "try again", Err: err}
	}
	return err
}

// Restore takes refs out of the trash by the names they had, all or none. taken refuses if one of the names has another owner now.
func (c *Core) Restore(ctx context.Context, taken Refusal, names ...string) error {
	err := c.Store.Restore(ctx, names...)
	if errors.Is(err, store.ErrMoved) {
		taken.Err = err
		return &taken
	}
	return err
}

// Trashed is when something was deleted.
type Trashed struct {
	At    time.Time `json:"deleted"`
	Until time.Time `json:"until"` // it can be taken back
}

// NewTrashed is that of what a node in the trash discarded.
func NewTrashed(head tree.Node) Trashed { return Trashed{head.At, head.At.Add(TrashTime)} }
