package teller

import (
	"context"
	"iter"
	"sync"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/tree"
)

// Jobs tells the outside of every job of this process: turns and debates, several at once, whoever looks at them.
type Jobs struct {
	Outside
	jobs sync.WaitGroup
}

// NewJobs reads whom to tell. The engine that the call opens then tells of its jobs, and somebody is there to be asked in its debates.
// It must come before the call opens its engine, which is wired once.
func NewJobs(a *call.Call) (*Jobs, error) {
	t, err := New(a, "work")
	jobs, wire := &Jobs{Outside: t}, a.Wire
	a.Wire = func(w *all.Wiring) {
		if wire != nil {
			wire(w)
		}
		w.Rooms.Attended, w.Began = true, jobs.Began
	}
	return jobs, err
}

// Began is told of each job as it begins. A nil teller tells nobody.
// The watch begins before Began returns, so no node of the job can be missed.
func (t *Jobs) Began(root tree.ID, recorded int64) {
	if t != nil {
		news := t.a.Engine.Watch(context.Background(), root, recorded)
		t.jobs.Go(func() { t.hear(root, recorded, news) })
	}
}

// hear tells of a job until it has ended.
func (t *Jobs) hear(root tree.ID, recorded int64, news iter.Seq2[engine.News, error]) {
	first, err := conversation.In(t.a.Engine).Path(context.Background(), root)
	if err != nil {
		return // what is wrong with the store is told by those who show it
	}
	hear := t.turn(root)
	if first[0].Kind == string(table.FrameKind) {
		if hear = t.room(recorded); recorded > 0 {
			hear(first[0])
		}
	}
	for n, err := range news {
		if err != nil {
			return
		}
		if n.Node != nil {
			hear(*n.Node)
		}
	}
}

// turn and room make what hears a job's nodes, with a scene of their own: the front end that shows the job may be gone
// by then.
func (t *Jobs) turn(root tree.ID) func(tree.Node) {
	told, run := Turns{Outside: t.Outside}, &scene.Run{}
	told.Begin(turns.In(t.a.Engine).Turn(root), run)
	return func(n tree.Node) { told.Hear(n, run.Node(n)) }
}

// room hears the nodes of one debate.
func (t *Jobs) room(recorded int64) func(tree.Node) {
	told, room := t.OfRoom(recorded), scene.NewRoom()
	return func(n tree.Node) { told.Hear(room, n, room.Node(n)) }
}

// Close ends what is at work still, as leaving does, and waits until everybody has heard of it.
func (t *Jobs) Close() {
	if t.a.Engine == nil { // it was never opened
		t.Outside.Close(false)
		return
	}
	for _, root := range t.a.Engine.Busy() {
		t.a.Engine.Do(context.Background(), engine.Stop{Root: root})
	}
	t.jobs.Wait()
	t.Outside.Close(false)
}
