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

// Task is a call of a model that some worker is to make.
type Task struct {
	Name    string          `json:"name"`
	Queue   string          `json:"queue"`
	Seat    string          `json:"seat"` // the spec, as the worker's owner writes it
	Request json.RawMessage `json:"request"`
	Base    string          `json:"base,omitempty"`
	Works   bool            `json:"works,omitempty"`
	Person  string          `json:"person"`         // who caused it
	Project string          `json:"project"`        // the folder it is for
	Ends    bool            `json:"ends,omitempty"` // it ends when nobody is waiting for it
}

// State is how a task stands. The zero value is that of one that is not there.
type State struct {
	Task
	State  string
	Epoch  int
	Worker string // who holds it, or did it
	Reply  string // by which the queue's delivery is acknowledged
	Have   int    // how many deltas of this epoch are there
	Failed *trouble.Error
	Made   string // the commit with what was changed; empty: nothing was
}

// Over says whether nothing more will come.
func (s State) Over() bool { return s.State == done || s.State == ended }

// Cancelled says whether it was ended before anybody did it.
func (s State) Cancelled() bool { return s.State == ended }

const columns = "name, queue, seat, base, works, person, project, state, epoch, worker, reply, have, failed, made"

// row reads what columns name: all but the request, which may be long.
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

// Put adds a task. One of the same name is left as it is, so that whoever was cut off may put it again; then it is not new.
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

// Request is what a task asks; empty: it is not there.
func (t *Table) Request(ctx context.Context, task string) (request []byte, err error) {
	err = t.read.QueryRowContext(ctx, "SELECT request FROM task WHERE name = ?", task).Scan(&request)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return request, err
}

// Read is how a task stands, and its deltas from number from on, without its request. A task that is not there has the zero State.
func (t *Table) Read(ctx context.Context, task string, from int) (s State, deltas []llm.Delta, err error) {
	tx, err := t.read.BeginTx(ctx, nil) // one moment for both
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

// Waiting are the tasks that nobody holds, or whose holder was not heard of for a lease, without those that are held back and without
// their requests. They are in the order of their names.
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
		if s.State == waiting || !t.alive(s.Name) {
			list = append(list, s)
		}
	}
	return list, rows.Err()
}

// Cancel ends a task for whoever waits for it. Its holder hears of it at its next call. One that is over stays as it is.
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

// Forget removes a task and all that came of it.
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

// Prune forgets tasks that are over and were put before a time.
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

// failure is how a failed call lies in the table; empty: it did not fail.
func failure(e *trouble.Error) string {
	if e == nil {
		return ""
	}
	body, _ := json.Marshal(e) // text and numbers
	return string(body)
}

// mine finds a task for a worker's call. Without OK, the verdict is what it is told.
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
