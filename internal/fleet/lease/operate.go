package lease

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// second is the difference between versions 2 and 1 of the schema.
const second = `
ALTER TABLE task ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
CREATE INDEX task_holder ON task(worker) WHERE state = 'claimed';
CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`

// CountByTime makes new epochs at least the seconds since the table was made. So a table restored from a backup never
// grants an epoch again, and holders of later ones are stale. It is called before the table is used.
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

// Listen registers a client that waits for a task, until the returned function is called.
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

// back is how long clients have to return after the hub restarted.
const back = 2 * time.Minute

// Left returns the tasks that end without a client, and that nobody has waited for during grace; for a while after a
// start of the hub there are none. They are sorted by name.
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

// ErrUnknown means that no task and no worker has a name, for errors.Is.
var ErrUnknown = errors.New("no worker and no open task has this name")

// Pause pauses or resumes a worker or a task. A paused worker finishes its tasks and gets no more. A paused task is
// taken from its holder and starts over when resumed. It reports whether the name is a worker's.
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
	Since   time.Time     `json:"since"`            // when it was submitted, to the second
	Silent  time.Duration `json:"silent,omitempty"` // since its holder's last call
}

// Tasks returns those that are not over, in order of submission.
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

// Paused reports whether a worker is paused.
func (t *Table) Paused(ctx context.Context, worker string) (paused bool, err error) {
	err = t.read.QueryRowContext(ctx, "SELECT paused FROM worker WHERE name = ?", worker).Scan(&paused)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return paused, err
}

// held returns the verdict on a claim if the worker or the task is paused; empty: neither is.
func held(tx *sql.Tx, worker, task string) (fleet.Verdict, error) {
	var it, all bool
	err := tx.QueryRow("SELECT paused, coalesce((SELECT paused FROM worker WHERE name = ?), 0) FROM task WHERE name = ?", worker,
		task).Scan(&it, &all)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return "", err
	case it:
		return fleet.Gone, nil // it is put into the queue again when it is resumed
	case all:
		return fleet.Busy, nil
	}
	return "", nil
}

// full reports whether a worker holds as many tasks as allowed: twice its slots, since a restarted worker still holds
// its old ones.
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
