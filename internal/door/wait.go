package door

import (
	"context"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// view is a debate as it is followed.
type view struct {
	*scene.Room
	info rooms.Info
	seqs map[tree.ID]int64 // of its nodes
	last int64
}

// lookEvery is how often a wait looks whether anybody still runs the debate.
const lookEvery = 2 * time.Second

// follow looks at a debate until it has ended, nobody runs it any more, or the time is up. A client's cancel ends the look and
// nothing else.
func (d *door) follow(ctx context.Context, e *engine.Engine, at place, until time.Time, p *progress) (*view, error) {
	info, err := rooms.In(e).Info(ctx, at.room)
	if err != nil {
		return nil, err
	}
	root, err := rooms.In(e).Room(ctx, info.Room)
	if err != nil {
		return nil, err
	}
	v := &view{Room: scene.NewRoom(), seqs: map[tree.ID]int64{}}
	defer p.every(d.beat)()
	waiting, cancel := context.WithDeadline(ctx, until)
	var watched sync.WaitGroup
	watched.Go(func() { untilStopped(waiting, e, info.Room, cancel) })
	defer watched.Wait()
	defer cancel()
	for batch, err := range e.Follow(waiting, root, 0) {
		if err != nil {
			return nil, err
		}
		if p.take(v, batch); v.End != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	v.info, err = rooms.In(e).Info(ctx, info.Room)
	return v, err
}

// untilStopped calls over once a debate has stopped without having ended.
func untilStopped(ctx context.Context, e *engine.Engine, room string, over func()) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !stopped(ctx, e, room) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	over()
}

// stopped says whether nobody runs a debate that has not ended. It ends on disk before it is let go of, so a second look is sure.
func stopped(ctx context.Context, e *engine.Engine, room string) bool {
	for range 2 {
		if info, err := rooms.In(e).Info(ctx, room); err != nil || info.Ended || info.Running {
			return false
		}
	}
	return true
}
