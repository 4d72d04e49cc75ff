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

// view is a followed debate. It is for the goroutine of one call.
type view struct {
	*scene.Room
	info rooms.Info
	seqs map[tree.ID]int64 // of its nodes
	last int64
}

// lookEvery is the interval at which a wait checks whether a process still runs the debate.
const lookEvery = 2 * time.Second

// follow follows a debate until it has ended, no process runs it any more, or the time is up. A client's cancel ends
// only the following. The error is ctx's only if the client cancelled; a deadline that passes is an answer.
func (d *door) follow(ctx context.Context, e *engine.Engine, at position, until time.Time, p *progress) (*view, error) {
	v := &view{Room: scene.NewRoom(), seqs: map[tree.ID]int64{}}
	defer p.every(d.beat)()
	waiting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	go func() {
		select {
		case <-d.gone:
			cancel()
		case <-waiting.Done():
		}
	}()
	var err error
	v.info, err = Follow(waiting, e, at.room, func(b engine.Batch) bool {
		p.take(v, b)
		return v.End != nil
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return v, err
}

// Follow passes a debate's recorded nodes, and then new ones, to take until it returns true, no process runs the
// debate any more, or ctx ends; then it returns the state of the debate. Recorded nodes come first, in batches, then
// what is committed or grows. take is called from this goroutine only. The Info is read at the end, even if ctx has
// ended.
func Follow(ctx context.Context, e *engine.Engine, room string, take func(engine.Batch) (over bool)) (rooms.Info, error) {
	look := context.WithoutCancel(ctx) // a caller that stops waiting gets the state, too
	info, err := rooms.In(e).Info(look, room)
	if err != nil {
		return info, err
	}
	root, err := rooms.In(e).Room(look, info.Room)
	if err != nil {
		return info, err
	}
	waiting, cancel := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { untilStopped(waiting, e, info.Room, cancel) })
	defer watched.Wait()
	defer cancel()
	for batch, err := range e.Follow(waiting, root, 0) {
		if err != nil {
			return info, err
		}
		if take(batch) {
			break
		}
	}
	return rooms.In(e).Info(look, info.Room)
}

// untilStopped calls over once a debate has stopped without having ended. If its process was killed no node says so:
// only its lock is gone.
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

// stopped reports whether no process runs a debate that has not ended. Its end is on disk before the lock is
// released, so a second check is sure.
func stopped(ctx context.Context, e *engine.Engine, room string) bool {
	for range 2 {
		if info, err := rooms.In(e).Info(ctx, room); err != nil || info.Ended || info.Running {
			return false
		}
	}
	return true
}
