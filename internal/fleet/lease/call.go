package lease

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
	"github.com/socrates-cli/socrates/internal/llm"
)

// Claim grants a task to a worker. Busy: another live worker holds it. Gone: there is nothing to do. A task that the
// worker held under another instance is taken over at once, since that instance is gone.
func (t *Table) Claim(worker string, c fleet.Claim) (s State, v fleet.Verdict, err error) {
	err = t.in(func(tx *sql.Tx) error {
		var inst string
		var request []byte
		err := tx.QueryRow("SELECT inst, request FROM task WHERE name = ?", c.Task).Scan(&inst, &request)
		if err == nil {
			s, err = row(tx.QueryRow("SELECT "+columns+" FROM task WHERE name = ?", c.Task).Scan)
		}
		s.Request = request
		switch same := s.Worker == worker && inst == c.Inst; {
		case errors.Is(err, sql.ErrNoRows):
			v = fleet.Gone
			return nil
		case err != nil:
			return err
		case s.Over():
			v = fleet.Gone
			return nil
		case s.State == claimed && same: // the answer to the first claim was lost
			v, s.Reply = fleet.OK, c.Reply
			_, err = tx.Exec("UPDATE task SET reply = ? WHERE name = ?", c.Reply, c.Task)
			return err
		case s.State == claimed && s.Worker != worker && t.rest(c.Task) > 0:
			v, s.Left = fleet.Busy, t.rest(c.Task)
			return nil
		}
		if v, err = held(tx, worker, c.Task); err != nil || v != "" {
			return err
		}
		if full, err := t.full(tx, worker); err != nil || full {
			v = fleet.Busy
			return err
		}
		v, s.State, s.Worker, s.Reply, s.Have = fleet.OK, claimed, worker, c.Reply, 0
		if s.Epoch++; t.least != nil {
			s.Epoch = max(s.Epoch, t.least())
		}
		t.hear(c.Task) // before anybody else's claim is considered
		return grant(tx, s, c.Inst)
	})
	if err == nil && v == fleet.OK {
		t.changed(c.Task)
	}
	return s, v, err
}

// grant records a claim, and drops data of earlier epochs.
func grant(tx *sql.Tx, s State, inst string) error {
	if _, err := tx.Exec("UPDATE task SET state = ?, epoch = ?, worker = ?, inst = ?, reply = ?, have = 0 WHERE name = ?",
		claimed, s.Epoch,
		s.Worker, inst, s.Reply, s.Name); err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT INTO claim (task, epoch, worker, at) VALUES (?,?,?,?)", s.Name, s.Epoch, s.Worker,
		time.Now().Unix()); err != nil {
		return err
	}
	for _, table := range []string{"delta", "may"} {
		if _, err := tx.Exec("DELETE FROM "+table+" WHERE task = ? AND epoch < ?", s.Name, s.Epoch); err != nil {
			return err
		}
	}
	return nil
}

// Beat renews a lease. It writes nothing.
func (t *Table) Beat(ctx context.Context, worker string, b fleet.Beat) (s State, v fleet.Verdict, err error) {
	tx, err := t.read.BeginTx(ctx, nil)
	if err != nil {
		return s, "", err
	}
	defer tx.Rollback()
	var inst string
	if s, v, err = mine(tx, worker, b.Task, b.Epoch); err == nil && v != fleet.Stale {
		err = tx.QueryRow("SELECT inst FROM task WHERE name = ?", b.Task).Scan(&inst)
	}
	switch {
	case err != nil:
		return s, "", err
	case v == fleet.Stale || inst != b.Inst:
		return s, fleet.Stale, nil
	case s.State == claimed:
		t.hear(b.Task)
	}
	return s, v, nil
}

// Node stores a part of an answer. Parts come in order and may be repeated; one that leaves a gap is not stored, and
// Have says what is missing.
func (t *Table) Node(worker string, n fleet.Node) (told fleet.Told, err error) {
	grew := false
	err = t.in(func(tx *sql.Tx) error {
		s, v, err := mine(tx, worker, n.Task, n.Epoch)
		told = fleet.Told{Verdict: v, Have: s.Have}
		if err != nil || v != fleet.OK || s.State != claimed {
			return err
		}
		told.Have, err = grow(tx, s, n.First, n.Deltas)
		grew = told.Have > s.Have
		if err == nil && grew {
			_, err = tx.Exec("UPDATE task SET have = ? WHERE name = ?", told.Have, n.Task)
		}
		return err
	})
	if err == nil && told.Verdict == fleet.OK {
		t.hear(n.Task)
	}
	if err == nil && grew {
		t.changed(n.Task)
	}
	return told, err
}

// grow stores the new deltas, and returns their total.
func grow(tx *sql.Tx, s State, first int, deltas []llm.Delta) (have int, err error) {
	if first > s.Have || first < 0 {
		return s.Have, nil
	}
	for i, d := range deltas {
		if first+i < s.Have {
			continue
		}
		body, err := json.Marshal(d)
		if err != nil {
			return s.Have, err
		}
		if _, err := tx.Exec("INSERT INTO delta (task, epoch, n, body) VALUES (?,?,?,?)", s.Name, s.Epoch, first+i,
			string(body)); err != nil {
			return s.Have, err
		}
	}
	return max(s.Have, first+len(deltas)), nil
}

// Done ends a task, with the deltas that it carries. A repeated report gets the same answer; one with missing deltas
// is told which, and does not end the task. A worker's report on a cancelled task is stored, because it may have been
// paid for.
func (t *Table) Done(worker string, d fleet.Done) (s State, told fleet.Told, err error) {
	err = t.in(func(tx *sql.Tx) error {
		var v fleet.Verdict
		var err error
		s, v, err = mine(tx, worker, d.Task, d.Epoch)
		told = fleet.Told{Verdict: v, Have: s.Have}
		if err != nil || v == fleet.Stale || s.State == done {
			return err
		}
		if s.Have, err = grow(tx, s, d.First, d.Deltas); err != nil {
			return err
		}
		if told.Have = s.Have; s.Have < d.Count {
			_, err = tx.Exec("UPDATE task SET have = ? WHERE name = ?", s.Have, d.Task)
			return err
		}
		told.Verdict = fleet.OK
		s.State, s.Failed, s.Made = done, d.Failed, d.Commit
		_, err = tx.Exec("UPDATE task SET state = ?, have = ?, failed = ?, made = ? WHERE name = ?", done, s.Have, failure(d.Failed),
			d.Commit, d.Task)
		return err
	})
	switch {
	case err != nil || told.Verdict == fleet.Stale:
		return s, told, err
	case s.State == done:
		t.silence(d.Task)
	case told.Verdict == fleet.OK:
		t.hear(d.Task)
	}
	t.changed(d.Task)
	return s, told, err
}

// Wish is a use of a tool that needs a decision.
type Wish struct {
	N    int      `json:"n"`
	Call llm.Call `json:"call"`
}

// May records that a worker's program wants to use a tool, and returns the decision; fleet.Busy: none yet.
func (t *Table) May(worker string, m fleet.May) (told fleet.Told, err error) {
	asked := false
	err = t.in(func(tx *sql.Tx) error {
		s, v, err := mine(tx, worker, m.Task, m.Epoch)
		told = fleet.Told{Verdict: v}
		if err != nil || v != fleet.OK {
			return err
		}
		if s.State != claimed {
			told.Verdict = fleet.Stale
			return nil
		}
		var decided bool
		err = tx.QueryRow("SELECT decided, no FROM may WHERE task = ? AND epoch = ? AND n = ?", m.Task, m.Epoch,
			m.N).Scan(&decided, &told.No)
		if errors.Is(err, sql.ErrNoRows) {
			call, err := json.Marshal(m.Call)
			if err != nil {
				return err
			}
			asked, told.Verdict = true, fleet.Busy
			_, err = tx.Exec("INSERT INTO may (task, epoch, n, call) VALUES (?,?,?,?)", m.Task, m.Epoch, m.N, string(call))
			return err
		}
		if err == nil && !decided {
			told.Verdict = fleet.Busy
		}
		return err
	})
	if err == nil && told.Verdict != fleet.Stale {
		t.hear(m.Task)
	}
	if err == nil && asked {
		t.changed(m.Task)
	}
	return told, err
}

// Wishes returns the undecided uses of tools of a task's current epoch, oldest first.
func (t *Table) Wishes(ctx context.Context, task string) (list []Wish, err error) {
	rows, err := t.read.QueryContext(ctx, "SELECT n, call FROM may JOIN task ON task.name = may.task AND task.epoch = may.epoch "+
		"WHERE task = ? AND decided = 0 ORDER BY n", task)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var w Wish
		var call string
		if err := rows.Scan(&w.N, &call); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(call), &w.Call); err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, rows.Err()
}

// Decide decides a wish of the current epoch, once; no says why the tool may not be used, and is empty if it may.
func (t *Table) Decide(task string, n int, no string) error {
	err := t.in(func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE may SET decided = 1, no = ? WHERE task = ? AND n = ? AND decided = 0 AND epoch = "+
			"(SELECT epoch FROM task WHERE name = ?)", no, task, n, task)
		return err
	})
	if err == nil {
		t.changed(task)
	}
	return err
}
