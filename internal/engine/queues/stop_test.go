package queues_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/queues"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/work/queue"
	"github.com/socrates-cli/socrates/internal/work/way"
)

// Whoever stops a queue at once stops the prompt that is just beginning, too, however far it has come.
func TestStopNow(t *testing.T) {
	path, dir, folder := filepath.Join(t.TempDir(), "s.db"), t.TempDir(), t.TempDir()
	var adds atomic.Bool
	open := func() *engine.Engine {
		s, err := store.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := all.New(s, all.Wiring{Runs: runs.Wiring{Model: func(ctx context.Context, spec string) (string, error) {
			if adds.Load() {
				return spec, nil
			}
			<-ctx.Done() // nobody answers until the run is stopped
			return "", context.Cause(ctx)
		}, Folder: func() (string, error) { return folder, nil }}})
		t.Cleanup(func() { e.Close(); s.Close() })
		return e
	}
	works, stops := open(), open()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a stop that is lost is a failure, not a hang
	defer cancel()
	do := func(e *engine.Engine, op engine.Op) error {
		_, err := e.Do(ctx, op)
		return err
	}
	for range 15 {
		adds.Store(true)
		add := queues.Add{Dir: dir, Text: "Think.", Way: way.Way{Phases: []way.Phase{way.Refine}, Model: "some"}}
		if err := do(works, add); err != nil {
			t.Fatal(err)
		}
		adds.Store(false)
		root, err := works.Do(ctx, queues.Run{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := do(stops, queues.Stop{Dir: dir, Now: true}); err != nil {
			t.Fatal(err)
		}
		if err := works.Wait(root); err != nil {
			t.Fatal(err)
		}
		list, err := queues.In(works).List(ctx, dir)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v %v", list, err)
		}
		for _, i := range list[0].Items {
			if i.State != queue.Waiting && i.State != queue.Working && i.State != "cancelled" {
				t.Fatalf("prompt %d is %s: %s", i.Number, i.State, i.Why)
			}
		}
	}
}
