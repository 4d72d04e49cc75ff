package lease

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/batch"
)

// version is the schema version, in user_version.
const version = 2

const tables = `
CREATE TABLE task (
	name TEXT PRIMARY KEY, queue TEXT NOT NULL, seat TEXT NOT NULL, request BLOB NOT NULL, base TEXT NOT NULL, works INTEGER NOT NULL,
	person TEXT NOT NULL, project TEXT NOT NULL, state TEXT NOT NULL, epoch INTEGER NOT NULL DEFAULT 0,
	worker TEXT NOT NULL DEFAULT '', inst TEXT NOT NULL DEFAULT '', reply TEXT NOT NULL DEFAULT '', have INTEGER NOT NULL DEFAULT 0,
	failed TEXT NOT NULL DEFAULT '', made TEXT NOT NULL DEFAULT '', since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX task_state ON task(state, queue);
CREATE TABLE delta (task TEXT, epoch INTEGER, n INTEGER, body TEXT NOT NULL, PRIMARY KEY (task, epoch, n)) WITHOUT ROWID;
CREATE TABLE may (task TEXT, epoch INTEGER, n INTEGER, call TEXT NOT NULL, decided INTEGER NOT NULL DEFAULT 0,
	no TEXT NOT NULL DEFAULT '', PRIMARY KEY (task, epoch, n)) WITHOUT ROWID;
CREATE TABLE claim (task TEXT, epoch INTEGER, worker TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (task, epoch)) WITHOUT ROWID;
CREATE TABLE worker (
	name TEXT PRIMARY KEY, offer TEXT NOT NULL DEFAULT '{}', pools TEXT NOT NULL DEFAULT '', seen INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE audit (at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, task TEXT NOT NULL, why TEXT NOT NULL);
`

// Table is the table of tasks. It is made by Open.
type Table struct {
	lease time.Duration
	file  *batch.File
	read  *sql.DB
	began time.Time
	least func() int // the minimum of an epoch; nil: none

	mu    sync.Mutex               // guards the fields below
	beats map[string]time.Time     // of claimed tasks: the last call of their holder
	waits map[string]int           // how many clients wait for a task
	left  map[string]time.Time     // when the last client of a task left
	most  map[string]int           // how many tasks a worker may hold at once; missing: any number
	watch map[string]chan struct{} // closed when a task changes
}

// Open opens the table at path and makes it if it does not exist. After lease without a call of its holder, a task
// goes to the next who claims it. The caller closes it.
func Open(ctx context.Context, path string, lease time.Duration) (*Table, error) {
	t := &Table{lease: lease, beats: map[string]time.Time{}, watch: map[string]chan struct{}{}, waits: map[string]int{},
		left: map[string]time.Time{}, most: map[string]int{}, began: time.Now()}
	var err error
	if t.file, err = batch.Open(ctx, path, 4, t.prepare); err != nil {
		return nil, fmt.Errorf("the table of tasks: %w", err)
	}
	t.read = t.file.Read
	return t, nil
}

// prepare creates the tables, and gives every open claim a fresh lease.
func (t *Table) prepare(tx *sql.Tx) error {
	var have int
	err := tx.QueryRow("PRAGMA user_version").Scan(&have)
	if err != nil {
		return err
	}
	switch {
	case have > version:
		return fmt.Errorf("it was written by a newer version of the hub (schema %d; this version reads %d)", have, version)
	case have == 0:
		_, err = tx.Exec(tables + second)
	case have == 1:
		_, err = tx.Exec(second)
	}
	if err == nil {
		_, err = tx.Exec(fmt.Sprintf("PRAGMA user_version = %d;", version))
	}
	if err != nil {
		return err
	}
	rows, err := tx.Query("SELECT name FROM task WHERE state = ?", claimed)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		t.beats[name] = time.Now()
	}
	return rows.Err()
}

// Close waits for writes in progress.
func (t *Table) Close() error { return t.file.Close() }

// in writes, and returns when it is on disk. A context that ends meanwhile changes nothing, because a write is never
// partial.
func (t *Table) in(do func(tx *sql.Tx) error) error { return t.file.In(do) }

// changed wakes the watchers of a task.
func (t *Table) changed(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.watch[task]; c != nil {
		close(c)
		delete(t.watch, task)
	}
}

// Watch returns a channel that is closed when the task changes after the call. Whoever reads afterwards misses
// nothing.
func (t *Table) Watch(task string) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watch[task] == nil {
		t.watch[task] = make(chan struct{})
	}
	return t.watch[task]
}

// hear records a call of a task's holder.
func (t *Table) hear(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.beats[task] = time.Now()
}

// rest returns what is left of the lease of a claimed task's holder; not positive: it was silent for that long.
func (t *Table) rest(task string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lease - time.Since(t.beats[task])
}

func (t *Table) silence(task string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.beats, task)
}
