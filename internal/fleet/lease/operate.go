package lease

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// second is what the second form of the tables adds to the first.
const second = `
ALTER TABLE task ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_holder ON task(worker) WHERE state = 'claimed';
CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`

// CountByTime has new epochs be at least the seconds since the table was made. So a table that was restored from a backup grants no
// epoch that was granted after it, and whoever holds one of those is stale. It is called before the table is used.
func (t *Table) CountByTime() error {
	var born int64
	err := t.in(func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO fact VALUES ('born', ?) ON CONFLICT DO NOTHING", time.Now().Unix()); err != nil {
			return err
		}
		return tx.QueryRow("SELECT value FROM fact WHERE name = 'born'").Scan(&born)
	})
	t.least = func() int { return int(time.Now().Unix() - born) }
	return err
}

// Listen says that somebody waits for a task, until the function that it returns is called.
func (t *Table) Listen(task string) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits[task]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.waits[task]--; t.waits[task] <= 0 {
			delete(t.waits, task)
			t.left[task] = time.Now()
		}
	}
}

// back is how long whoever waited for a task may take to ask again after the hub started over.
const back = 2 * time.Minute

// Left are the tasks that end with whoever waits for them, and that nobody has waited for during grace; after a start of the hub nobody
// can be missed for a while. They are in the order of their names.
func (t *Table) Left(ctx context.Context, grace time.Duration) (names []string, err error) {
	open, err := t.names(ctx, "SELECT name FROM task WHERE ends = 1 AND state IN (?, ?) ORDER BY name", waiting, claimed)
	t.mu.Lock()
	defer t.mu.Unlock()
	keep := map[string]time.Time{}
	for _, name := range open {
		left, known := t.left[name]
		if known {
			keep[name] = left
		}
		if t.waits[name] == 0 && (known && time.Since(left) >= grace || !known && time.Since(t.began) >= back) {
			names = append(names, name)
		}
	}
	if err == nil {
		t.left = keep
	}
	return names, err
}

func (t *Table) names(ctx context.Context, query string, args ...any) (names []string, err error) {
	rows, err := t.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// ErrUnknown is a name that no task and no worker has, for errors.Is.
var ErrUnknown = errors.New("no worker and no open task has this name")

// Pause holds a worker or a task back, or lets it go on. A worker that is held back finishes what it holds and is granted nothing more.
// A task is taken from its holder and starts over when it goes on. It says whether the name is a worker's.
func (t *Table) Pause(name string, paused bool) (worker bool, err error) {
	err = t.in(func(tx *sql.Tx) error {
		done, err := tx.Exec("UPDATE worker SET paused = ? WHERE name = ?", paused, name)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			worker = true
			return err
		}
		if done, err = tx.Exec("UPDATE task SET paused = ?, state = ? WHERE name = ? AND state IN (?, ?)", paused, waiting, name, waiting,
			claimed); err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return fmt.Errorf("%q: %w", name, ErrUnknown)
	})
	if err == nil && !worker {
		t.silence(name)
		t.changed(name)
	}
	return worker, err
}

// Unfinished is a task that is not over.
type Unfinished struct {
	Name    string        `json:"name"`
	Seat    string        `json:"seat"`
	State   string        `json:"state"` // waiting, claimed or paused
	Worker  string        `json:"worker,omitempty"`
	Person  string        `json:"person,omitempty"`
	Project string        `json:"project,omitempty"`
	Since   time.Time     `json:"since"`            // when it was put, to the second
	Silent  time.Duration `json:"silent,omitempty"` // since its holder was heard of
}

// Tasks are those that are not over, in the order in which they were put.
func (t *Table) Tasks(ctx context.Context) (list []Unfinished, err error) {
	rows, err := t.read.QueryContext(ctx, "SELECT name, seat, CASE paused WHEN 1 THEN 'paused' ELSE state END, worker, person, project, "+
		"since FROM task WHERE state IN (?, ?) ORDER BY since, name", waiting, claimed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var o Unfinished
		var since int64
		if err := rows.Scan(&o.Name, &o.Seat, &o.State, &o.Worker, &o.Person, &o.Project, &since); err != nil {
			return nil, err
		}
		if o.Since = time.Unix(since, 0); o.State != claimed {
			o.Worker = ""
		} else if last, ok := t.lastCall(o.Name); ok {
			o.Silent = time.Since(last)
		}
		list = append(list, o)
	}
	return list, rows.Err()
}

func (t *Table) lastCall(task string) (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.beats[task]
	return at, ok
}

// Paused says whether a worker is held back.
func (t *Table) Paused(ctx context.Context, worker string) (paused bool, err error) {
	err = t.read.QueryRowContext(ctx, "SELECT paused FROM worker WHERE name = ?", worker).Scan(&paused)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return paused, err
}

// held says whether a worker or a task is held back: what its claim is told, or nothing.
func held(tx *sql.Tx, worker, task string) (fleet.Verdict, error) {
	var it, all bool
	err := tx.QueryRow("SELECT paused, coalesce((SELECT paused FROM worker WHERE name = ?), 0) FROM task WHERE name = ?", worker,
		task).Scan(&it, &all)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return "", err
	case it:
		return fleet.Gone, nil // it is put into the queue again when it goes on
	case all:
		return fleet.Busy, nil
	}
	return "", nil
}

// full says whether a worker holds as much as it may: twice what it has slots for, since one that started over holds what it held.
func (t *Table) full(tx *sql.Tx, worker string) (bool, error) {
	t.mu.Lock()
	most, limited := t.most[worker]
	t.mu.Unlock()
	if !limited {
		return false, nil
	}
	var holds int
	err := tx.QueryRow("SELECT count(*) FROM task WHERE worker = ? AND state = 'claimed'", worker).Scan(&holds)
	return holds >= most, err
}
