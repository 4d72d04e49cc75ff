package lease_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/fleet/lease"
)

// copied makes a backup of a table that is in use, with what SQLite has for it.
func copied(t *testing.T, path string) (backup string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	backup = filepath.Join(t.TempDir(), "backup.db")
	if _, err := db.Exec("VACUUM INTO ?", backup); err != nil {
		t.Fatal(err)
	}
	return backup
}

// A table that was restored from a backup grants no epoch that was granted after the backup, and refuses whoever holds one.
func TestRestoredFromABackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	synctest.Test(t, func(t *testing.T) {
		open := func(path string) (world, func()) {
			table, closed := open(t, path)
			if err := table.CountByTime(); err != nil {
				t.Fatal(err)
			}
			return world{t, table}, closed
		}
		w, closed := open(path)
		w.put("a")
		w.put("b")
		first := w.claim("w1", "i1", "a", fleet.OK)
		backup := copied(t, path)
		var later []int // after the backup
		for range 3 {
			time.Sleep(term + time.Second)
			later = append(later, w.claim("w2", "i2", "a", fleet.OK))
			time.Sleep(term + time.Second)
			later = append(later, w.claim("w3", "i3", "a", fleet.OK))
		}
		w.put("c")
		unknown := w.claim("w2", "i2", "c", fleet.OK)
		w.done("w2", "b", w.claim("w2", "i2", "b", fleet.OK), 0, fleet.OK)
		closed()
		time.Sleep(24 * time.Hour)
		w, closed = open(backup)
		defer closed()
		for _, epoch := range later {
			w.node("w2", "a", epoch, 0, fleet.Stale, "late")
			w.done("w3", "a", epoch, 0, fleet.Stale)
		}
		w.beat("w2", "i2", "c", unknown, fleet.Stale)
		w.claim("w2", "i2", "c", fleet.Gone)
		w.beat("w1", "i1", "a", first, fleet.OK) // it was not heard of any more, as far as this table knows
		if got := w.text("b"); got != "waiting 0  " {
			t.Errorf("what was done after the backup: %q", got)
		}
		time.Sleep(term + time.Second)
		again := w.claim("w3", "i4", "a", fleet.OK)
		if again <= slices.Max(later) {
			t.Errorf("epoch %d was granted after %v", again, later)
		}
		for _, epoch := range append(later, first) {
			w.node("w3", "a", epoch, 0, fleet.Stale, "late")
		}
	})
}

// What is paused stays so over a restart. A paused task is nobody's, and a paused worker finishes what it holds.
func TestPaused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	synctest.Test(t, func(t *testing.T) {
		table, closed := open(t, path)
		w := world{t, table}
		pause := func(name string, on, worker bool) {
			t.Helper()
			if got, err := w.Pause(name, on); err != nil || got != worker {
				t.Fatal(name, got, err)
			}
		}
		if err := w.Offered("w1", fleet.Offer{Seats: []fleet.Seat{{Spec: "s"}}}); err != nil {
			t.Fatal(err)
		}
		w.put("a")
		w.put("b")
		old := w.claim("w1", "i", "a", fleet.OK)
		pause("w1", true, true)
		w.node("w1", "a", old, 0, fleet.OK, "goes on")
		w.claim("w1", "i", "b", fleet.Busy)
		pause("a", true, false)
		w.node("w1", "a", old, 1, fleet.Stale, "late")
		w.done("w1", "a", old, 1, fleet.Stale)
		w.beat("w1", "i", "a", old, fleet.Stale)
		closed()
		table, closed = open(t, path)
		defer closed()
		w = world{t, table}
		w.claim("w1", "i", "b", fleet.Busy)
		w.claim("w2", "i", "a", fleet.Gone)
		if list, err := w.Waiting(t.Context()); err != nil || len(list) != 1 || list[0].Name != "b" {
			t.Error(list, err)
		}
		if list, err := w.Tasks(t.Context()); err != nil || len(list) != 2 || list[0].State != "paused" || list[0].Worker != "" {
			t.Error(list, err)
		}
		pause("a", false, false)
		pause("w1", false, true)
		again := w.claim("w1", "i", "a", fleet.OK)
		w.node("w1", "a", old, 1, fleet.Stale, "late")
		w.done("w1", "a", again, 0, fleet.OK)
		for _, name := range []string{"a", "nobody"} { // it is over; it never was
			if _, err := w.Pause(name, true); !errors.Is(err, lease.ErrUnknown) {
				t.Error(name, err)
			}
		}
	})
}

// A task that ends with whoever waits for it is left once they are gone for a while. After a restart they have time to come back.
func TestLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	synctest.Test(t, func(t *testing.T) {
		table, closed := open(t, path)
		w := world{t, table}
		left := func(want ...string) {
			t.Helper()
			if got, err := w.Left(t.Context(), 10*time.Second); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v are left, not %v: %v", got, want, err)
			}
		}
		w.put("kept")
		for _, name := range []string{"a", "b"} {
			if _, err := w.Put(lease.Task{Name: name, Queue: "q", Request: []byte("{}"), Ends: true}); err != nil {
				t.Fatal(err)
			}
		}
		one, two, other, kept := w.Listen("a"), w.Listen("a"), w.Listen("b"), w.Listen("kept")
		one()
		kept()
		time.Sleep(time.Hour)
		left()
		two()
		time.Sleep(9 * time.Second)
		left()
		again := w.Listen("a")
		time.Sleep(time.Minute)
		left()
		again()
		time.Sleep(11 * time.Second)
		left("a")
		if err := w.Cancel("a"); err != nil {
			t.Fatal(err)
		}
		left()
		other()
		closed()
		time.Sleep(time.Hour)
		table, closed = open(t, path)
		defer closed()
		w = world{t, table}
		time.Sleep(time.Minute)
		left()
		time.Sleep(2 * time.Minute)
		left("b")
	})
}

// A worker holds no more than twice what it has slots for, however it asks.
func TestAWorkerThatClaimsTooMuch(t *testing.T) {
	in(t, func(w world) {
		if err := w.Offered("w1", fleet.Offer{Seats: []fleet.Seat{{Spec: "a", Slots: 1}, {Spec: "b"}}}); err != nil {
			w.Fatal(err)
		}
		names := []string{"a", "b", "c", "d", "e"}
		for _, name := range names {
			w.put(name)
		}
		for i, name := range names[:4] {
			w.claim("w1", names[i], name, fleet.OK)
		}
		w.claim("w1", "z", "e", fleet.Busy)
		w.done("w1", "a", 1, 0, fleet.OK)
		w.claim("w1", "z", "e", fleet.OK)
	})
}

// A claim is written whole or not at all: where what earlier epochs left cannot be dropped, nobody has the task.
func TestAClaimIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	table, closed := open(t, path)
	defer closed()
	w := world{t, table}
	w.put("a")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("ALTER TABLE may RENAME TO gone"); err != nil {
		t.Fatal(err)
	}
	if _, v, err := w.Claim("w1", fleet.Claim{Task: "a", Inst: "i", Reply: "r"}); err == nil {
		t.Errorf("claimed: %q", v)
	}
	if _, err := db.Exec("ALTER TABLE gone RENAME TO may"); err != nil {
		t.Fatal(err)
	}
	if epoch := w.claim("w2", "j", "a", fleet.OK); epoch != 1 {
		t.Errorf("the first claim has epoch %d", epoch)
	}
}

// A table of the first form is taken over.
func TestAnOlderTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hub.db")
	table, closed := open(t, path)
	world{t, table}.put("a")
	closed()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("DROP INDEX task_holder; DROP TABLE fact; ALTER TABLE task DROP COLUMN ends; ALTER TABLE task DROP COLUMN paused; " +
		"ALTER TABLE worker DROP COLUMN paused; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	table, closed = open(t, path)
	world{t, table}.claim("w1", "i", "a", fleet.OK)
	closed()
	if db, err = sql.Open("sqlite", "file:"+path); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := lease.Open(context.Background(), path, term); err == nil {
		t.Error("a table of a newer hub was opened")
	}
}
