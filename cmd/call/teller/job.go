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

// Jobs notifies programs outside of every job of this process: turns and debates, several at once, whoever watches
// them.
type Jobs struct {
	Outside
	jobs sync.WaitGroup
}

// NewJobs reads the receivers from the settings. The engine that the call opens then reports its jobs here, and its
// debates may ask a person. It must be called before the call opens its engine, which is wired once.
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

// Began is called with each job as it begins. A nil teller tells nobody. The watch begins before Began returns, so no
// node of the job can be missed.
func (t *Jobs) Began(root tree.ID, recorded int64) {
	if t != nil {
		news := t.a.Engine.Watch(context.Background(), root, recorded)
		t.jobs.Go(func() { t.hear(root, recorded, news) })
	}
}

// hear reports a job until it has ended.
func (t *Jobs) hear(root tree.ID, recorded int64, news iter.Seq2[engine.News, error]) {
	first, err := conversation.In(t.a.Engine).Path(context.Background(), root)
	if err != nil {
		return // whoever shows the job reports errors of the store
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

// turn returns what handles the nodes of one turn, with a scene of its own: the front end that shows the job may be
// gone by then.
func (t *Jobs) turn(root tree.ID) func(tree.Node) {
	told, run := Turns{Outside: t.Outside}, &scene.Run{}
	told.Begin(turns.In(t.a.Engine).Turn(root), run)
	return func(n tree.Node) { told.Hear(n, run.Node(n)) }
}

// room handles the nodes of one debate.
func (t *Jobs) room(recorded int64) func(tree.Node) {
	told, room := t.OfRoom(recorded), scene.NewRoom()
	return func(n tree.Node) { told.Hear(room, n, room.Node(n)) }
}

// Close stops the jobs that still run, as quitting does, and waits until everything is delivered.
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
