package lease_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
	"github.com/socrates-cli/socrates/internal/llm"
)

const term = 30 * time.Second

// open opens a table that is closed with the test, or before.
func open(t *testing.T, path string) (table *lease.Table, closed func()) {
	t.Helper()
	table, err := lease.Open(t.Context(), path, term)
	if err != nil {
		t.Fatal(err)
	}
	return table, func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

// world is a table with a test's patience: whatever fails is fatal.
type world struct {
	*testing.T
	*lease.Table
}

func (w world) put(name string) {
	w.Helper()
	if _, err := w.Put(lease.Task{Name: name, Queue: "q", Seat: "claude", Request: []byte(`{}`)}); err != nil {
		w.Fatal(err)
	}
}

func (w world) claim(worker, inst, task string, want fleet.Verdict) int {
	w.Helper()
	s, v, err := w.Claim(worker, fleet.Claim{Task: task, Inst: inst, Reply: "r"})
	if err != nil || v != want {
		w.Fatalf("%s claims %s: %q, %v; want %q", worker, task, v, err, want)
	}
	return s.Epoch
}

func (w world) beat(worker, inst, task string, epoch int, want fleet.Verdict) {
	w.Helper()
	if _, v, err := w.Beat(w.Context(), worker, fleet.Beat{Task: task, Inst: inst, Epoch: epoch}); err != nil || v != want {
		w.Fatalf("%s beats for %s: %q, %v; want %q", worker, task, v, err, want)
	}
}

func (w world) node(worker, task string, epoch, first int, want fleet.Verdict, texts ...string) {
	w.Helper()
	var deltas []llm.Delta
	for _, text := range texts {
		deltas = append(deltas, llm.Delta{Text: text})
	}
	told, err := w.Node(worker, fleet.Node{Task: task, Epoch: epoch, First: first, Deltas: deltas})
	if err != nil || told.Verdict != want {
		w.Fatalf("%s sends %v of %s: %+v, %v; want %q", worker, texts, task, told, err, want)
	}
}

func (w world) done(worker, task string, epoch, count int, want fleet.Verdict) {
	w.Helper()
	if _, told, err := w.Done(worker, fleet.Done{Task: task, Epoch: epoch, Count: count}); err != nil || told.Verdict != want {
		w.Fatalf("%s has done %s: %+v, %v; want %q", worker, task, told, err, want)
	}
}

// text is what a task says, and its state.
func (w world) text(task string) string {
	w.Helper()
	s, deltas, err := w.Read(w.Context(), task, 0)
	if err != nil {
		w.Fatal(err)
	}
	text := ""
	for _, d := range deltas {
		text += d.Text
	}
	return fmt.Sprintf("%s %d %s %s", s.State, s.Epoch, s.Worker, text)
}

// in runs a test over a new table, with a clock of its own.
func in(t *testing.T, test func(w world)) {
	path := filepath.Join(t.TempDir(), "hub.db")
	synctest.Test(t, func(t *testing.T) {
		table, closed := open(t, path)
		defer closed()
		test(world{t, table})
	})
}

// Who claims a task too early is told when its holder's lease ends: a lease after its last call, and not later.
func TestWhenALeaseEnds(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		first := w.claim("w1", "i", "a", fleet.OK)
		left := func(want time.Duration) {
			t.Helper()
			if s, v, err := w.Claim("w2", fleet.Claim{Task: "a", Inst: "j", Reply: "r"}); err != nil || v != fleet.Busy || s.Left != want {
				t.Errorf("%q for %s, %v; want %s", v, s.Left, err, want)
			}
		}
		left(term)
		time.Sleep(term / 3)
		left(term - term/3)
		w.beat("w1", "i", "a", first, fleet.OK)
		left(term)
		time.Sleep(term / 2)
		w.node("w1", "a", first, 0, fleet.OK, "a part is a call, too")
		left(term)
		time.Sleep(term - time.Nanosecond)
		left(time.Nanosecond)
		time.Sleep(time.Nanosecond)
		w.claim("w2", "j", "a", fleet.OK)
	})
}

// TestZombie: a worker that slept through its lease writes nothing any more, and its successor is not disturbed.
func TestZombie(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		first := w.claim("w1", "i", "a", fleet.OK)
		w.node("w1", "a", first, 0, fleet.OK, "old ")
		w.claim("w2", "i", "a", fleet.Busy)
		time.Sleep(term)
		second := w.claim("w2", "i", "a", fleet.OK)
		w.node("w1", "a", first, 1, fleet.Stale, "late")
		w.beat("w1", "i", "a", first, fleet.Stale)
		w.done("w1", "a", first, 1, fleet.Stale)
		if told, err := w.May("w1", fleet.May{Task: "a", Epoch: first}); err != nil || told.Verdict != fleet.Stale {
			w.Fatalf("its program may: %+v, %v", told, err)
		}
		w.node("w1", "a", second, 0, fleet.Stale, "forged") // the epoch of another
		w.node("w2", "a", second, 0, fleet.OK, "new")
		w.done("w2", "a", second, 1, fleet.OK)
		if got := w.text("a"); got != "done 2 w2 new" {
			w.Fatal(got)
		}
	})
}

// TestBeat: who beats keeps its task; who does not beat loses it to the next, not before a lease is over.
func TestBeat(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		epoch := w.claim("w1", "i", "a", fleet.OK)
		for range 5 {
			time.Sleep(term - time.Second)
			w.claim("w2", "i", "a", fleet.Busy)
			w.beat("w1", "i", "a", epoch, fleet.OK)
		}
		w.beat("w1", "other", "a", epoch, fleet.Stale)
		w.claim("w1", "other", "a", fleet.OK) // the worker started over: what it held is its own at once
		w.beat("w1", "i", "a", epoch, fleet.Stale)
	})
}

// TestAgain: every call may come twice, since its answer may be lost.
func TestAgain(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		w.put("a")
		epoch := w.claim("w1", "i", "a", fleet.OK)
		if again := w.claim("w1", "i", "a", fleet.OK); again != epoch {
			w.Fatalf("the same claim has epochs %d and %d", epoch, again)
		}
		w.node("w1", "a", epoch, 0, fleet.OK, "one ", "two ")
		w.node("w1", "a", epoch, 1, fleet.OK, "two ", "three") // half of it is known
		w.done("w1", "a", epoch, 4, fleet.OK)                  // it has a fourth, which did not come
		if got := w.text("a"); got != "claimed 1 w1 one two three" {
			w.Fatal(got)
		}
		w.node("w1", "a", epoch, 5, fleet.OK, "gap")
		w.node("w1", "a", epoch, 3, fleet.OK, "!")
		w.done("w1", "a", epoch, 4, fleet.OK)
		w.done("w1", "a", epoch, 4, fleet.OK)
		w.claim("w2", "i", "a", fleet.Gone)
		w.node("w1", "a", epoch, 4, fleet.OK, "more") // after its end nothing is added
		if got := w.text("a"); got != "done 1 w1 one two three!" {
			w.Fatal(got)
		}
	})
}

// TestCancel: the holder of a cancelled task is told at its next call, and nobody else gets it.
func TestCancel(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		w.put("b")
		epoch := w.claim("w1", "i", "a", fleet.OK)
		for _, task := range []string{"a", "b", "no"} {
			if err := w.Cancel(task); err != nil {
				w.Fatal(err)
			}
		}
		w.beat("w1", "i", "a", epoch, fleet.Cancel)
		w.node("w1", "a", epoch, 0, fleet.Cancel, "x")
		w.claim("w2", "i", "b", fleet.Gone)
		if list, err := w.Waiting(w.Context()); err != nil || len(list) != 0 {
			w.Fatal(list, err)
		}
		if err := w.Forget("a"); err != nil {
			w.Fatal(err)
		}
		w.beat("w1", "i", "a", epoch, fleet.Stale)
	})
}

// TestMay: a wish is asked once, decided once, and belongs to its epoch.
func TestMay(t *testing.T) {
	in(t, func(w world) {
		w.put("a")
		epoch := w.claim("w1", "i", "a", fleet.OK)
		ask := func(epoch int) fleet.Told {
			told, err := w.May("w1", fleet.May{Task: "a", Epoch: epoch, N: 1, Call: llm.Call{Name: "bash"}})
			if err != nil {
				w.Fatal(err)
			}
			return told
		}
		ask(epoch)
		if told := ask(epoch); told.Verdict != fleet.Busy {
			w.Fatal(told)
		}
		if list, err := w.Wishes(w.Context(), "a"); err != nil || len(list) != 1 || list[0].Call.Name != "bash" {
			w.Fatal(list, err)
		}
		for _, no := range []string{"not today", ""} {
			if err := w.Decide("a", 1, no); err != nil {
				w.Fatal(err)
			}
		}
		if told := ask(epoch); told.Verdict != fleet.OK || told.No != "not today" {
			w.Fatal(told)
		}
		if next := w.claim("w1", "j", "a", fleet.OK); ask(next).Verdict != fleet.Busy {
			w.Fatal("a decision went over to another epoch")
		}
	})
}

// TestRestart: a hub that comes back gives every open claim one fresh lease, and has lost nothing.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	synctest.Test(t, func(t *testing.T) {
		table, closed := open(t, path)
		w := world{t, table}
		w.put("a")
		w.put("b")
		epoch := w.claim("w1", "i", "a", fleet.OK)
		w.node("w1", "a", epoch, 0, fleet.OK, "kept")
		closed()
		time.Sleep(10 * term)
		table, closed = open(t, path)
		defer closed()
		w = world{t, table}
		w.claim("w2", "i", "a", fleet.Busy)
		list, err := w.Waiting(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != "b" {
			t.Fatal(list, err)
		}
		time.Sleep(term)
		if list, err = w.Waiting(t.Context()); err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		w.beat("w1", "i", "a", epoch, fleet.OK) // nobody took it: it is still its own
		w.claim("w2", "i", "a", fleet.Busy)
		w.done("w1", "a", epoch, 1, fleet.OK)
	})
}

// TestAnyOrder: whatever workers do, in whatever order, a task is done once, and says what its last holder sent.
func TestAnyOrder(t *testing.T) {
	dir, runs := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [3]int {
			return [3]int{rapid.IntRange(0, 4).Draw(r, "what"), rapid.IntRange(0, 2).Draw(r, "worker"), rapid.IntRange(0, 3).Draw(r, "epoch")}
		}), 1, 40).Draw(r, "steps")
		synctest.Test(t, func(t *testing.T) {
			table, closed := open(t, filepath.Join(dir, fmt.Sprint(runs)))
			defer closed()
			w := world{t, table}
			w.put("a")
			anyOrder(w, steps)
		})
	})
}

// anyOrder carries steps out beside a model of what should come of them.
func anyOrder(w world, steps [][3]int) {
	epoch, holder, over, beat, sent := 0, "", false, time.Time{}, []string(nil)
	for i, step := range steps {
		worker, at := fmt.Sprint("w", step[1]), step[2]
		current := at == epoch && worker == holder && epoch > 0
		switch step[0] {
		case 0:
			want := fleet.OK
			switch free := epoch == 0 || time.Since(beat) >= term; {
			case over:
				want = fleet.Gone
			case worker != holder && !free:
				want = fleet.Busy
			}
			got := w.claim(worker, "i", "a", want)
			if want == fleet.OK && worker != holder {
				epoch, holder, beat, sent = epoch+1, worker, time.Now(), nil
			}
			if want == fleet.OK && got != epoch {
				w.Fatalf("step %d: epoch %d, want %d", i, got, epoch)
			}
		case 1:
			time.Sleep(time.Duration(at) * term / 2)
		case 2:
			want := fleet.Stale
			if current {
				if want = fleet.OK; !over {
					beat = time.Now()
				}
			}
			w.beat(worker, "i", "a", at, want)
		case 3:
			want, text := fleet.Stale, fmt.Sprint(i, " ")
			if current {
				if want = fleet.OK; !over {
					sent, beat = append(sent, text), time.Now()
				}
			}
			w.node(worker, "a", at, len(sent)-map[bool]int{true: 1}[current && !over], want, text)
		case 4:
			want := fleet.Stale
			if current {
				want, over = fleet.OK, true
			}
			w.done(worker, "a", at, len(sent), want)
		}
	}
	s, deltas, err := w.Read(w.Context(), "a", 0)
	var texts []string
	for _, d := range deltas {
		texts = append(texts, d.Text)
	}
	if err != nil || s.Over() != over || !slices.Equal(texts, sent) {
		w.Fatalf("it says %q and is over: %t, %v; want %q, %t", texts, s.Over(), err, sent, over)
	}
}
