package lease

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/fleet"
)

// Known is what is known of a worker: its last offer, and its last call.
type Known struct {
	Name  string      `json:"name"`
	Offer fleet.Offer `json:"offer"`
	Seen  time.Time   `json:"seen"` // to the second
	Busy  int         `json:"busy"` // tasks that it holds
	Done  int         `json:"done"` // tasks that it finished
	// Pools are those that it may answer for, besides its own.
	Pools []string `json:"pools,omitempty"`
	// Paused: it finishes its tasks and gets no more.
	Paused bool `json:"paused,omitempty"`
	// Ahead is how far its clock was ahead of ours at its offer; 0 if it did not say.
	Ahead time.Duration `json:"ahead,omitempty"`
}

// Offered records a worker's offer.
func (t *Table) Offered(worker string, o fleet.Offer) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	most := 0
	for _, s := range o.Seats {
		most += 2 * max(s.Slots, 1)
	}
	t.mu.Lock()
	t.most[worker] = most
	t.mu.Unlock()
	err = t.in(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO worker (name, offer, seen) VALUES (?,?,?) ON CONFLICT (name) DO UPDATE SET offer = excluded.offer, "+
			"seen = excluded.seen", worker, string(body), time.Now().Unix())
		return err
	})
	return err
}

// Admit sets a worker's pools, besides its own.
func (t *Table) Admit(worker string, pools []string) error {
	return t.in(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO worker (name, pools) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET pools = excluded.pools", worker,
			strings.Join(pools, " "))
		return err
	})
}

// Uninvite forgets a worker that never made an offer; false: there was none.
func (t *Table) Uninvite(worker string) (was bool, err error) {
	err = t.in(func(tx *sql.Tx) error {
		done, err := tx.Exec("DELETE FROM worker WHERE name = ? AND seen = 0", worker)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		was = n > 0
		return err
	})
	return was, err
}

// Pools returns a worker's pools.
func (t *Table) Pools(ctx context.Context, worker string) ([]string, error) {
	var pools string
	err := t.read.QueryRowContext(ctx, "SELECT pools FROM worker WHERE name = ?", worker).Scan(&pools)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return strings.Fields(pools), err
}

// Workers returns all that ever made an offer, by name.
func (t *Table) Workers(ctx context.Context) (list []Known, err error) {
	count := "(SELECT count(*) FROM task WHERE task.worker = worker.name AND state = ?)"
	rows, err := t.read.QueryContext(ctx, "SELECT name, offer, pools, seen, paused, "+count+", "+count+" FROM worker ORDER BY name",
		claimed, done)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var k Known
		var offer, pools string
		var seen int64
		if err := rows.Scan(&k.Name, &offer, &pools, &seen, &k.Paused, &k.Busy, &k.Done); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(offer), &k.Offer); err != nil {
			return nil, err
		}
		k.Seen, k.Pools = time.Unix(seen, 0), strings.Fields(pools)
		if !k.Offer.Clock.IsZero() {
			k.Ahead = k.Offer.Clock.Sub(k.Seen)
		}
		list = append(list, k)
	}
	return list, rows.Err()
}

// AuditLine is a line of the audit log.
type AuditLine struct {
	At   time.Time `json:"at"` // to the second
	Who  string    `json:"who"`
	What string    `json:"what"`
	Task string    `json:"task,omitempty"`
	Why  string    `json:"why,omitempty"`
}

// Note writes a line of the audit log. Its time is that of the call.
func (t *Table) Note(e AuditLine) error {
	return t.in(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO audit (at, who, what, task, why) VALUES (?,?,?,?,?)", time.Now().Unix(), e.Who, e.What,
			e.Task, e.Why)
		return err
	})
}

// Audit returns the newest lines of the log, newest first.
func (t *Table) Audit(ctx context.Context, most int) (list []AuditLine, err error) {
	rows, err := t.read.QueryContext(ctx, "SELECT at, who, what, task, why FROM audit ORDER BY rowid DESC LIMIT ?", most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e AuditLine
		var at int64
		if err := rows.Scan(&at, &e.Who, &e.What, &e.Task, &e.Why); err != nil {
			return nil, err
		}
		e.At = time.Unix(at, 0)
		list = append(list, e)
	}
	return list, rows.Err()
}

// Holder returns the worker that was granted an epoch of a task, which it may have lost since; empty: none.
func (t *Table) Holder(ctx context.Context, task string, epoch int) (worker string, err error) {
	err = t.read.QueryRowContext(ctx, "SELECT worker FROM claim WHERE task = ? AND epoch = ?", task, epoch).Scan(&worker)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return worker, err
}
