package lease

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// The states of a task.
const (
	waiting = "waiting"
	claimed = "claimed"
	done    = "done"
	ended   = "cancelled"
)

// Task is a call of a model for some worker.
type Task struct {
	Name    string          `json:"name"`
	Queue   string          `json:"queue"`
	Seat    string          `json:"seat"` // the spec, as the worker's owner writes it
	Request json.RawMessage `json:"request"`
	Base    string          `json:"base,omitempty"`
	Works   bool            `json:"works,omitempty"`
	Person  string          `json:"person"`         // who caused it
	Project string          `json:"project"`        // the folder it is for
	Ends    bool            `json:"ends,omitempty"` // it ends when no client waits for it
}

// State is the state of a task. The zero value means that it does not exist.
type State struct {
	Task
	State  string
	Epoch  int
	Worker string // the current or last holder
	Reply  string // the subject that acknowledges the queue's delivery
	Have   int    // the number of stored deltas of this epoch
	Failed *trouble.Error
	Made   string // the commit of its changes; empty: none
	// Left is what is left of the holder's lease, in the answer to a claim that is refused for it.
	Left time.Duration
}

// Over reports whether nothing more will come.
func (s State) Over() bool { return s.State == done || s.State == ended }

// Cancelled reports whether it was ended before anybody did it.
func (s State) Cancelled() bool { return s.State == ended }

const columns = "name, queue, seat, base, works, person, project, state, epoch, worker, reply, have, failed, made"

// row reads the columns of columns: all but the request, which may be long.
func row(scan func(...any) error) (s State, err error) {
	var failed string
	err = scan(&s.Name, &s.Queue, &s.Seat, &s.Base, &s.Works, &s.Person, &s.Project, &s.State, &s.Epoch, &s.Worker,
		&s.Reply, &s.Have, &failed, &s.Made)
	if err == nil && failed != "" {
		s.Failed = &trouble.Error{}
		err = json.Unmarshal([]byte(failed), s.Failed)
	}
	return s, err
}

// Put adds a task. An existing one of the same name is left unchanged, so an interrupted client may repeat it; then
// isNew is false.
func (t *Table) Put(k Task) (isNew bool, err error) {
	if k.Name == "" || k.Queue == "" {
		return false, errors.New("a task needs a name and a queue")
	}
	err = t.in(func(tx *sql.Tx) error {
		done, err := tx.Exec("INSERT INTO task (name, queue, seat, request, base, works, person, project, ends, state, since) "+
			"VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING", k.Name, k.Queue, k.Seat, []byte(k.Request), k.Base, k.Works,
			k.Person, k.Project, k.Ends, waiting, time.Now().Unix())
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		isNew = n > 0
		return err
	})
	if err == nil && isNew {
		t.changed(k.Name)
	}
	return isNew, err
}

// Request returns a task's request; empty: the task does not exist.
func (t *Table) Request(ctx context.Context, task string) (request []byte, err error) {
	err = t.read.QueryRowContext(ctx, "SELECT request FROM task WHERE name = ?", task).Scan(&request)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return request, err
}

// Read returns the state of a task, and its deltas from number from on, without its request. A task that does not
// exist has the zero State.
func (t *Table) Read(ctx context.Context, task string, from int) (s State, deltas []llm.Delta, err error) {
	tx, err := t.read.BeginTx(ctx, nil) // a consistent snapshot of both
	if err != nil {
		return s, nil, err
	}
	defer tx.Rollback()
	s, err = row(tx.QueryRow("SELECT "+columns+" FROM task WHERE name = ?", task).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return State{}, nil, nil
	} else if err != nil {
		return s, nil, err
	}
	rows, err := tx.Query("SELECT body FROM delta WHERE task = ? AND epoch = ? AND n >= ? ORDER BY n", task, s.Epoch, from)
	if err != nil {
		return s, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var body string
		var d llm.Delta
		if err := rows.Scan(&body); err != nil {
			return s, nil, err
		}
		if err := json.Unmarshal([]byte(body), &d); err != nil {
			return s, nil, fmt.Errorf("a delta of task %s: %w", task, err)
		}
		deltas = append(deltas, d)
	}
	return s, deltas, rows.Err()
}

// Waiting returns the tasks that nobody holds, or whose holder was silent for a lease, without paused ones and
// without their requests, sorted by name.
func (t *Table) Waiting(ctx context.Context) (list []State, err error) {
	rows, err := t.read.QueryContext(ctx, "SELECT "+columns+" FROM task WHERE state IN (?, ?) AND paused = 0 ORDER BY name", waiting,
		claimed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		s, err := row(rows.Scan)
		if err != nil {
			return nil, err
		}
		if s.State == waiting || t.rest(s.Name) <= 0 {
			list = append(list, s)
		}
	}
	return list, rows.Err()
}

// Cancel ends a task for its client. Its holder learns of it at its next call. A finished one is left unchanged.
func (t *Table) Cancel(task string) error {
	err := t.in(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE task SET state = ? WHERE name = ? AND state IN (?, ?)", ended, task, waiting, claimed)
		return err
	})
	if err == nil {
		t.changed(task)
	}
	return err
}

// Forget removes a task and its data.
func (t *Table) Forget(task string) error {
	err := t.in(func(tx *sql.Tx) error {
		for _, table := range []string{"delta", "may"} {
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE task = ?", task); err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM task WHERE name = ?", task)
		return err
	})
	if err == nil {
		t.silence(task)
		t.changed(task)
	}
	return err
}

// Prune forgets finished tasks that were submitted before a time.
func (t *Table) Prune(before time.Time) error {
	return t.in(func(tx *sql.Tx) error {
		for _, table := range []string{"delta", "may"} {
			old := "SELECT name FROM task WHERE state IN (?, ?) AND since < ?"
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE task IN ("+old+")", done, ended, before.Unix()); err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM task WHERE state IN (?, ?) AND since < ?", done, ended, before.Unix())
		return err
	})
}

// failure encodes the error of a failed call; empty: it did not fail.
func failure(e *trouble.Error) string {
	if e == nil {
		return ""
	}
	body, _ := json.Marshal(e) // text and numbers
	return string(body)
}

// mine finds a task for a worker's call. Unless the verdict is OK, it is the answer.
func mine(tx *sql.Tx, worker, task string, epoch int) (s State, v fleet.Verdict, err error) {
	s, err = row(tx.QueryRow("SELECT "+columns+" FROM task WHERE name = ?", task).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s, fleet.Stale, nil
	case err != nil:
		return s, "", err
	case s.Worker != worker || s.Epoch != epoch || s.State == waiting:
		return s, fleet.Stale, nil
	case s.State == ended:
		return s, fleet.Cancel, nil
	}
	return s, fleet.OK, nil
}
