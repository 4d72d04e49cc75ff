package rooms_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/debate/motion"
	"github.com/socrates-cli/socrates/internal/debate/people"
	"github.com/socrates-cli/socrates/internal/debate/ruling"
	"github.com/socrates-cli/socrates/internal/debate/table"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/all"
	"github.com/socrates-cli/socrates/internal/engine/rooms"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/cost"
	"github.com/socrates-cli/socrates/internal/llm/draft"
	"github.com/socrates-cli/socrates/internal/llm/fence"
	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// panelist is a model that votes for the option in its spec. What happens before it answers is up to before.
type panelist struct {
	vote   string
	before func(ctx context.Context, prompt string) error // nil: nothing
}

func (p panelist) Info() llm.Info { return llm.Info{ID: p.vote, Lineage: p.vote} }

func (p panelist) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		prompt := req.Messages[len(req.Messages)-1].Text()
		if p.before != nil {
			if err := p.before(ctx, prompt); err != nil {
				yield(llm.Delta{}, err)
				return
			}
		}
		label := ""
		for line := range strings.Lines(fence.Blocks(prompt)["options"]) {
			if l, text, _ := strings.Cut(strings.TrimSpace(line), ": "); strings.Contains(p.vote, text) {
				label = l
			}
		}
		d := draft.New(p.Info(), yield)
		d.Usage = cost.Usage{Input: 100, Output: 10}
		_, cross := fence.Blocks(prompt)["ledger"]
		if cross {
			d.Text(fmt.Sprintf(`{"option": %q, "because": [], "stances": [], "claims": [%s]}`, label, claim(label, "again "+p.vote)))
		} else {
			d.Text(fmt.Sprintf(`{"option": %q, "other": "", "summary": "s", "change_my_mind": "m", "confidence": 0.8, "claims": [%s]}`, label, claim(label, p.vote)))
		}
		d.End()
	}
}

// claim rests on a quote of a file, so that code looks at it.
func claim(label, text string) string {
	return fmt.Sprintf(`{"text": "it holds because of %s", "kind": "logic", "impact": 5, "option": %q, "supports": true,
 "evidence": {"kind": "quote", "file": "f.txt", "line": 1, "quote": %q, "command": [], "expect": "", "url": ""}}`, text, label, text)
}

// hall is an engine over a store, whose seats are panelists by spec.
type hall struct {
	*engine.Engine
	store *store.Store
	calls atomic.Int64
}

func newHall(t testing.TB, path string, before func(ctx context.Context, prompt string) error) *hall {
	t.Helper()
	s, err := store.Open(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &hall{store: s}
	h.Engine = all.New(s, all.Wiring{Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) {
		return panelist{spec, func(ctx context.Context, prompt string) error {
			h.calls.Add(1)
			if before == nil {
				return nil
			}
			return before(ctx, prompt)
		}}, nil
	},
		Look: func(table.Frame) (func(context.Context, verdict.Claim) debate.Observation, func() error) {
			return func(context.Context, verdict.Claim) debate.Observation {
				return debate.Observation{Result: verdict.Fail, Grade: verdict.Nothing, Detail: "not there"}
			}, func() error { return nil }
		}}})
	t.Cleanup(func() { h.Close(); s.Close() })
	return h
}

func question(votes ...string) rooms.Debate {
	f := table.Frame{Question: "Which hall?", Strategy: "council", Origin: "given", Options: motion.Letters([]string{"left", "right"}),
		Seed: 7, Limits: table.Limits{Rounds: 1}}
	for i, v := range votes {
		f.Seats = append(f.Seats, table.Seat{ID: fmt.Sprintf("s%d", i+1), Spec: v, Model: v, Lineage: v})
	}
	return rooms.Debate{Frame: f, Context: "the context"}
}

func (h *hall) do(t testing.TB, op engine.Op) tree.ID {
	t.Helper()
	root, err := h.Do(context.Background(), op)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func (h *hall) room(t testing.TB, root tree.ID) rooms.Info {
	t.Helper()
	debates, err := rooms.In(h.Engine).List(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := table.FrameKind.Of(h.nodes(t, root)[0])
	i := slices.IndexFunc(debates, func(r rooms.Info) bool { return r.Room == f.Room })
	if i < 0 {
		t.Fatalf("room %s is not in the list", f.Room)
	}
	return debates[i]
}

func (h *hall) nodes(t testing.TB, root tree.ID) []tree.Node {
	t.Helper()
	nodes, err := h.Tree(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func (h *hall) watch(t testing.TB, root tree.ID, after int64) (out []tree.Node) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // a watch that never ends is a failure, not a hang
	defer cancel()
	for n, err := range h.Watch(ctx, root, after) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Node != nil {
			out = append(out, *n.Node)
		}
	}
	if ctx.Err() != nil {
		t.Fatal("the watch did not end")
	}
	return out
}

func TestRoomRunsToItsEnd(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	root := h.do(t, question("left", "left too", "right"))
	seen := h.watch(t, root, 0)
	if err := h.Wait(root); err != nil {
		t.Fatal(err)
	}
	same(t, seen, h.nodes(t, root))
	if r := h.room(t, root); !r.Ended || r.Running || r.End == nil || r.End.Winner != "left" {
		t.Errorf("%+v", r)
	}
	if res, err := rooms.In(h.Engine).Result(t.Context(), root); err != nil || res.Outcome == "" {
		t.Errorf("%+v %v", res, err)
	}
}

func same(t *testing.T, got, want []tree.Node) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d nodes, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].ID != want[i].ID {
			t.Fatalf("node %d is %s, want %s", i, got[i].ID, want[i].ID)
		}
	}
}

// A room that has ended can be resumed as often as anybody likes: it shows its record and ends, and nobody is asked.
func TestResumeOfAnEndedRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	h := newHall(t, path, nil)
	root := h.do(t, question("left", "right"))
	if err := h.Wait(root); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		later := newHall(t, path, nil)
		if again := later.do(t, rooms.Resume{Room: h.room(t, root).Room}); again != root {
			t.Fatalf("resumed %s, want %s", again, root)
		}
		same(t, later.watch(t, root, 0), h.nodes(t, root))
		if err := later.Wait(root); err != nil || later.calls.Load() != 0 {
			t.Errorf("%v, %d calls", err, later.calls.Load())
		}
	}
}

// What was stopped goes on in another engine without asking again what was answered; a second engine is refused
// while the first runs, and its watcher sees each node once and in order.
func TestStopResumeRefuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	asked, gate := make(chan struct{}), make(chan struct{})
	hold := func(ctx context.Context, prompt string) error {
		if _, cross := fence.Blocks(prompt)["ledger"]; !cross {
			return nil
		}
		asked <- struct{}{}
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	one := newHall(t, path, hold)
	root := one.do(t, question("left", "right"))
	<-asked
	<-asked
	name := one.room(t, root).Room
	two := newHall(t, path, hold)
	if _, err := two.Do(t.Context(), rooms.Resume{Room: name}); err == nil {
		t.Fatal("a room that runs was resumed")
	} else if r, ok := errors.AsType[*engine.Refusal](err); !ok || r.Hint == "" {
		t.Errorf("%v", err)
	}
	if r := two.room(t, root); !r.Running || r.Ended {
		t.Errorf("%+v", r)
	}
	one.do(t, engine.Stop{Root: root})
	if err := one.Wait(root); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped room ended with %v", err)
	}
	if r := two.room(t, root); r.Running || r.Ended {
		t.Errorf("%+v", r)
	}
	before := two.nodes(t, root)

	var seen []tree.Node
	var wait sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wait.Go(func() { // one's watcher: it only has the disk to learn from
		for n, err := range one.Watch(ctx, root, 0) {
			if err != nil {
				t.Error(err)
				return
			}
			if n.Node != nil {
				seen = append(seen, *n.Node)
			}
		}
	})
	two.do(t, rooms.Resume{Room: name})
	<-asked
	<-asked
	close(gate)
	if err := two.Wait(root); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	nodes := two.nodes(t, root)
	same(t, seen[:min(len(seen), len(before))], before)
	same(t, nodes[:len(before)], before)
	same(t, two.watch(t, root, before[len(before)-1].Seq), nodes[len(before):])
	counts := map[string]int{}
	for _, r := range exchange.ReplyKind.All(nodes) {
		counts[r.Key]++
	}
	if len(counts) != 4 || counts["blind/0/s1"] != 1 || counts["cross/1/s1"] != 1 || two.calls.Load() != 2 {
		t.Errorf("replies %v, %d calls after the resume", counts, two.calls.Load())
	}
}

// A watcher in another engine, which has no job and hears nothing but the disk, sees what grows, and every node once and in order.
func TestWatchFromElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	gate := make(chan struct{})
	one := newHall(t, path, func(ctx context.Context, _ string) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	root := one.do(t, question("left", "right"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var seen []tree.Node
	open := sync.OnceFunc(func() { close(gate) })
	for n, err := range newHall(t, path, nil).Watch(ctx, root, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Snapshot != nil && n.Snapshot.Of != "" {
			open() // not before something was seen to grow
		}
		if n.Node == nil {
			continue
		}
		seen = append(seen, *n.Node)
		if _, ended := ruling.EndKind.Of(*n.Node); ended {
			break
		}
	}
	if err := one.Wait(root); err != nil {
		t.Fatal(err)
	}
	same(t, seen, one.nodes(t, root))
}

// Seats that hang are let go, and what is known is decided, once a person interrupts, or tells the room to answer.
func TestInterruptDecides(t *testing.T) {
	t.Run("interrupt", func(t *testing.T) {
		decides(t, func(h *hall, root tree.ID) {
			h.do(t, engine.Interrupt{Root: root})
			h.do(t, engine.Interrupt{Root: root})
		})
	})
	t.Run("answer", func(t *testing.T) {
		decides(t, func(h *hall, root tree.ID) {
			if _, err := h.Do(t.Context(), rooms.Tell{Room: h.room(t, root).Room, Message: people.Message{Verb: people.Answer}}); err != nil {
				t.Fatal(err)
			}
			h.watch(t, root, 0)
		})
	})
}

// decides has a room of which the last round hangs until it is told.
func decides(t *testing.T, tell func(h *hall, root tree.ID)) {
	t.Helper()
	stuck := make(chan struct{}, 1)
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), func(ctx context.Context, prompt string) error {
		if _, cross := fence.Blocks(prompt)["ledger"]; cross {
			select {
			case stuck <- struct{}{}:
			default:
			}
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	root := h.do(t, question("left", "left too", "right"))
	<-stuck
	tell(h, root)
	if err := h.Wait(root); err != nil {
		t.Fatal(err)
	}
	if r := h.room(t, root); !r.Ended || r.End.Winner != "left" {
		t.Errorf("%+v", r.End)
	}
}

func TestForkReusesBallots(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	old := h.do(t, question("left", "left too", "right"))
	if err := h.Wait(old); err != nil {
		t.Fatal(err)
	}
	h.calls.Store(0)
	root := h.do(t, rooms.Fork{Room: h.room(t, old).Room, Change: func(f *table.Frame) {
		f.Seats = append(slices.Clone(f.Seats[:2]), table.Seat{ID: "new", Spec: "left anew", Model: "m", Lineage: "new"})
	}})
	if err := h.Wait(root); err != nil {
		t.Fatal(err)
	}
	// All three vote left, so nobody is cross-examined: the one call is the new seat's ballot.
	res, err := rooms.In(h.Engine).Result(t.Context(), root)
	if err != nil || res.Winner != "A" || h.calls.Load() != 1 {
		t.Errorf("%s, %d calls, %v", res.Winner, h.calls.Load(), err)
	}
	if h.room(t, old).Room == h.room(t, root).Room {
		t.Error("the fork took the name of its origin")
	}
	if _, err := h.Do(t.Context(), rooms.Fork{Room: h.room(t, old).Room, At: "zzzz"}); err == nil {
		t.Error("forked at a node that is not there")
	}
}

// Close ends what runs, and leaves nothing behind.
func TestCloseLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	before := runtime.NumGoroutine()
	for range 3 {
		s, err := store.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan struct{}, 2)
		e := all.New(s, all.Wiring{Rooms: rooms.Wiring{Seat: func(_ context.Context, spec string) (llm.Model, error) {
			return panelist{spec, func(ctx context.Context, _ string) error { asked <- struct{}{}; <-ctx.Done(); return ctx.Err() }}, nil
		}}})
		root, err := e.Do(t.Context(), question("left", "right"))
		if err != nil {
			t.Fatal(err)
		}
		<-asked
		<-asked
		e.Close()
		if err := e.Wait(root); err != nil {
			t.Errorf("after Close there is no job to wait for: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// A goroutine may still be on its last line; one that stays would stay for ever.
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// Half of all names a question can have are taken; no debate fails for it.
func TestTakenNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	h := newHall(t, path, nil)
	root := h.do(t, question("left"))
	h.Wait(root)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`WITH letter(c) AS (SELECT substr('0123456789abcdefghjkmnpqrstvwxyz', value, 1) FROM
		(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 32) SELECT value FROM n))
		INSERT OR IGNORE INTO ref (name, head, at) SELECT 'room/hall-' || a.c || b.c || d.c || e.c, ?, 0
		FROM letter a, letter b, letter d, letter e WHERE e.c IN ('0', '4', '8', 'c')`, root)
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		h.Wait(h.do(t, question("left")))
	}
}

// A debate that another process conducts runs or has ended, whenever it is listed: it is never stopped.
func TestListedAsItEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	works, looks := newHall(t, path, nil), newHall(t, path, nil)
	for range 40 {
		root := works.do(t, question("left", "left"))
		over := make(chan error, 1)
		go func() { over <- works.Wait(root) }()
		for ended := false; !ended; {
			list, err := rooms.In(looks.Engine).List(t.Context(), 1)
			if err != nil || len(list) != 1 {
				t.Fatalf("%v %v", list, err)
			}
			if ended = list[0].Ended; !ended && !list[0].Running {
				t.Fatal("it is listed as stopped")
			}
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
	}
}

// The last debate is that of the folder and of those below it. Where there is none, the refusal names the last one anywhere, or says
// how to start one.
func TestLast(t *testing.T) {
	h := newHall(t, filepath.Join(t.TempDir(), "s.db"), nil)
	l := rooms.In(h.Engine)
	refused := func(dir, hint string) {
		t.Helper()
		name, err := l.Last(t.Context(), dir)
		if r, ok := err.(*engine.Refusal); !ok || name != "" || !errors.Is(err, store.ErrNotFound) || !strings.HasPrefix(r.Hint, hint) {
			t.Errorf("in %s: %q, %+v", dir, name, err)
		}
	}
	refused("/p", "start one: ")
	names := map[string]string{}
	for _, dir := range []string{"/p", "/p/below", "/q"} {
		op := question("left", "left too")
		op.Frame.Dir = dir
		root := h.do(t, op)
		if err := h.Wait(root); err != nil {
			t.Fatal(err)
		}
		names[dir] = h.room(t, root).Room
	}
	for dir, of := range map[string]string{"/p": "/p/below", "/p/below": "/p/below", "/q": "/q"} {
		if name, err := l.Last(t.Context(), dir); name != names[of] || err != nil {
			t.Errorf("in %s: %q, not %q (%v)", dir, name, names[of], err)
		}
	}
	refused("/r", "the most recent one in any folder is "+names["/q"])
}
