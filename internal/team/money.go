package team

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"
)

// Period is how long a quota runs before it starts over, at midnight UTC.
type Period string

// The periods.
const (
	Day   Period = "day"
	Month Period = "month"
)

// begin is the first day of the period that a moment is in.
func (p Period) begin(now time.Time) string {
	if now = now.UTC(); p == Month {
		now = now.AddDate(0, 0, 1-now.Day())
	}
	return now.Format(time.DateOnly)
}

// end is when the next one begins.
func (p Period) end(now time.Time) time.Time {
	now = now.UTC()
	if p == Month {
		return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
}

// Quota is what a person, a pool or a project may spend in a period. 0: no limit in dollars, or in tokens.
type Quota struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	USD    float64 `json:"usd,omitempty"`
	Tokens int     `json:"tokens,omitempty"`
	Period Period  `json:"period"`
	// What is spent or reserved in this period. It is read, and not written by Limit.
	UsedUSD    float64 `json:"used_usd"`
	UsedTokens int     `json:"used_tokens"`
}

// Call is one call of a model before it is sent.
type Call struct {
	Person  string `json:"person"`  // who caused it; empty: whoever runs the hub
	Pool    string `json:"pool"`    // the worker or pool that answers; empty: this machine
	Project string `json:"project"` // the folder it is for
	// Key names a call that is made again after a crash, and was reserved then; empty: it is not.
	Key    string  `json:"key,omitempty"`
	USD    float64 `json:"usd"` // the most it can cost
	Tokens int     `json:"tokens"`
}

// subject is what a quota of a kind is held against.
func (c Call) subject(kind string) string {
	return map[string]string{OfPerson: c.Person, OfPool: c.Pool, OfProject: c.Project}[kind]
}

// Over is a call that was not sent, because a quota forbids it.
type Over struct {
	Quota
	Again time.Time
}

// Error says which quota, what is left of it, and until when.
func (o *Over) Error() string {
	left := fmt.Sprintf("$%.2f of $%.2f", max(0, o.USD-o.UsedUSD), o.USD)
	if o.USD == 0 || o.Tokens > 0 && o.UsedUSD < o.USD && o.UsedTokens >= o.Tokens {
		left = fmt.Sprintf("%d of %d tokens", max(0, o.Tokens-o.UsedTokens), o.Tokens)
	}
	return fmt.Sprintf("the quota of %s %s a %s does not cover the next call: %s left until %s", o.Kind, o.Name, o.Period, left,
		o.Again.Format("2 January 15:04 UTC"))
}

// Limit sets a quota, or takes it away if it limits nothing.
func (b *Book) Limit(ctx context.Context, q Quota) error {
	if q.Kind != OfPerson && q.Kind != OfPool && q.Kind != OfProject || q.Name == "" {
		return refuse("%s %q cannot have a quota: name a person, a pool or a project", q.Kind, q.Name)
	}
	if !(q.USD >= 0 && q.USD <= math.MaxFloat64) || q.Tokens < 0 {
		return refuse("a limit cannot be negative or infinite")
	}
	if q.Period != Day && q.Period != Month {
		return refuse("%q is not a period: day or month", q.Period)
	}
	if err := placed(q.Kind, &q.Name); err != nil {
		return err
	}
	return b.in(ctx, func(tx *sql.Tx) error {
		if q.USD == 0 && q.Tokens == 0 {
			_, err := tx.Exec("DELETE FROM quota WHERE kind = ? AND name = ?", q.Kind, q.Name)
			return err
		}
		if q.Kind == OfPerson {
			if there, err := known(tx, q.Name); err != nil {
				return err
			} else if !there {
				return unknown(q.Name)
			}
		}
		_, err := tx.Exec("INSERT INTO quota (kind, name, usd, tokens, period) VALUES (?,?,?,?,?) ON CONFLICT (kind, name) DO UPDATE SET "+
			"usd = excluded.usd, tokens = excluded.tokens, period = excluded.period", q.Kind, q.Name, q.USD, q.Tokens, q.Period)
		return err
	})
}

// Limits says what may be spent in which period.
func (q Quota) Limits() string {
	dollars := fmt.Sprintf("$%.2f", q.USD)
	if q.USD < 0.01 { // else a quota of a tenth of a cent reads as none
		dollars = fmt.Sprintf("$%g", q.USD)
	}
	switch {
	case q.USD == 0 && q.Tokens == 0:
		return "removed"
	case q.USD == 0:
		return fmt.Sprintf("%d tokens a %s", q.Tokens, q.Period)
	case q.Tokens == 0:
		return fmt.Sprintf("%s a %s", dollars, q.Period)
	}
	return fmt.Sprintf("%s and %d tokens a %s", dollars, q.Tokens, q.Period)
}

// asking is how one row is read, within a transaction or beside it.
type asking func(ctx context.Context, query string, args ...any) *sql.Row

// used fills in what of a quota is spent or reserved. A project's includes what was spent in folders below it.
func (b *Book) used(ctx context.Context, ask asking, q *Quota) error {
	match := q.Kind + " = ?1"
	if q.Kind == OfProject {
		match = "(project = ?1 OR substr(project, 1, length(?1) + 1) = ?1 || '/')"
	}
	return ask(ctx, "SELECT coalesce(sum(usd), 0), coalesce(sum(tokens), 0) FROM (SELECT usd, tokens FROM spent WHERE "+match+
		" AND day >= ?2 UNION ALL SELECT usd, tokens FROM open WHERE "+match+")", q.Name, q.Period.begin(b.now())).
		Scan(&q.UsedUSD, &q.UsedTokens)
}

// Quotas are all, with what is used of each.
func (b *Book) Quotas(ctx context.Context) ([]Quota, error) {
	list, err := rows(ctx, b, "SELECT kind, name, usd, tokens, period FROM quota ORDER BY kind, name", nil, scanQuota)
	for i := range list {
		if err == nil {
			err = b.used(ctx, b.read.QueryRowContext, &list[i])
		}
	}
	return list, err
}

func scanQuota(scan func(...any) error) (q Quota, err error) {
	err = scan(&q.Kind, &q.Name, &q.USD, &q.Tokens, &q.Period)
	return q, err
}

// oldest is how old a reservation may be before its process is taken for dead. No single call takes so long.
const oldest = 6 * time.Hour

// Reserve takes out what a call can cost at most, or refuses with an *Over. What it returns is for Settle, which must be called for a
// call that failed as well; 0: no quota binds the call, and nothing was written. A call with a Key that is reserved keeps that reservation.
func (b *Book) Reserve(ctx context.Context, c Call) (id int64, err error) {
	if limits, err := quotasOf(ctx, b.read.QueryContext, c); err != nil || len(limits) == 0 {
		return 0, err
	}
	err = b.in(ctx, func(tx *sql.Tx) error {
		if err := b.expire(ctx, tx); err != nil {
			return err
		}
		if c.Key != "" {
			if err := tx.QueryRow("SELECT id FROM open WHERE key = ?", c.Key).Scan(&id); !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		limits, err := quotasOf(ctx, tx.QueryContext, c)
		if err != nil {
			return err
		}
		for _, q := range limits {
			if err := b.used(ctx, tx.QueryRowContext, &q); err != nil {
				return err
			}
			// A sum of many small amounts may be off in the last digits.
			if q.USD > 0 && q.UsedUSD+c.USD > q.USD+1e-9 || q.Tokens > 0 && q.UsedTokens+c.Tokens > q.Tokens {
				return &Over{Quota: q, Again: q.Period.end(b.now())}
			}
		}
		res, err := tx.Exec("INSERT INTO open (at, key, person, pool, project, usd, tokens) VALUES (?,?,?,?,?,?,?)",
			b.now().Unix(), c.Key, c.Person, c.Pool, c.Project, c.USD, c.Tokens)
		if err == nil {
			id, err = res.LastInsertId()
		}
		return err
	})
	return id, err
}

// quotasOf are those that bind a call.
func quotasOf(ctx context.Context, ask func(ctx context.Context, query string, args ...any) (*sql.Rows, error),
	c Call) (list []Quota, err error) {
	found, err := ask(ctx, "SELECT kind, name, usd, tokens, period FROM quota WHERE (kind, name) IN ((?,?), (?,?)) OR kind = ? AND "+
		"(name = ? OR substr(?, 1, length(name) + 1) = name || '/')", OfPerson, c.subject(OfPerson), OfPool, c.subject(OfPool), OfProject,
		c.Project, c.Project)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		q, err := scanQuota(found.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, found.Err()
}

// expire books the reservations of processes that are gone, at what they reserved.
func (b *Book) expire(ctx context.Context, tx *sql.Tx) error {
	found, err := tx.QueryContext(ctx, "SELECT id FROM open WHERE at < ?", b.now().Add(-oldest).Unix())
	if err != nil {
		return err
	}
	var ids []int64
	for found.Next() {
		var id int64
		if err := found.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := errors.Join(found.Err(), found.Close()); err != nil {
		return err
	}
	for _, id := range ids {
		if err := b.book(tx, id, nil); err != nil {
			return err
		}
	}
	return nil
}

// Bill is what a call came to.
type Bill struct {
	Worker string  `json:"worker,omitempty"` // who answered, of a pool
	USD    float64 `json:"usd"`
	Tokens int     `json:"tokens"`
	More   bool    `json:"more,omitempty"` // of a further reservation of a call whose own bill counts it
}

// Settle books what a call cost, in the place of what it reserved as id. Of one that is settled already, nothing is booked.
func (b *Book) Settle(ctx context.Context, id int64, c Call, bill Bill) error {
	if bill.USD < 0 || bill.Tokens < 0 {
		return refuse("an amount cannot be negative")
	}
	return b.in(ctx, func(tx *sql.Tx) error {
		if id != 0 {
			return b.book(tx, id, &bill)
		}
		return b.enter(tx, c, bill, b.now())
	})
}

// book moves a reservation to what was spent; nil: at what it reserved.
func (b *Book) book(tx *sql.Tx, id int64, bill *Bill) error {
	var c Call
	var at int64
	err := tx.QueryRow("DELETE FROM open WHERE id = ? RETURNING at, person, pool, project, usd, tokens", id).Scan(&at, &c.Person,
		&c.Pool, &c.Project, &c.USD, &c.Tokens)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	if bill == nil { // it was never settled, and counts for the day that it was sent on
		return b.enter(tx, c, Bill{USD: c.USD, Tokens: c.Tokens}, time.Unix(at, 0))
	}
	return b.enter(tx, c, *bill, b.now())
}

// enter books a call for a day. Whoever owns the worker that answered has paid.
func (b *Book) enter(tx *sql.Tx, c Call, bill Bill, day time.Time) error {
	calls := 1
	if bill.More {
		calls = 0
	}
	_, err := tx.Exec("INSERT INTO spent (day, person, payer, pool, project, calls, usd, tokens) VALUES (?, ?, "+
		"coalesce((SELECT owner FROM share WHERE kind = ? AND name = ?), ''), ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "+
		"calls = calls + excluded.calls, usd = usd + excluded.usd, tokens = tokens + excluded.tokens", Day.begin(day), c.Person, OfWorker,
		cmp.Or(bill.Worker, c.Pool), c.Pool, c.Project, calls, bill.USD, bill.Tokens)
	return err
}

// Line is what one person caused and another, or the same, paid, in one project by one pool in one day.
type Line struct {
	Day     string  `json:"day"`
	Person  string  `json:"triggered_by" jsonschema:"who caused it; empty: whoever runs the hub"`
	Payer   string  `json:"paid_by" jsonschema:"whose login or key answered; empty: whoever runs the hub"`
	Pool    string  `json:"pool,omitempty"`
	Project string  `json:"project"`
	Calls   int     `json:"calls"`
	USD     float64 `json:"usd"`
	Tokens  int     `json:"tokens"`
}

// Spent are the lines since a day, the newest first.
func (b *Book) Spent(ctx context.Context, since time.Time) ([]Line, error) {
	return rows(ctx, b, "SELECT day, person, payer, pool, project, calls, usd, tokens FROM spent WHERE day >= ? "+
		"ORDER BY day DESC, usd DESC, person, payer, pool, project", []any{Day.begin(since)}, scanLine)
}

func scanLine(scan func(...any) error) (l Line, err error) {
	err = scan(&l.Day, &l.Person, &l.Payer, &l.Pool, &l.Project, &l.Calls, &l.USD, &l.Tokens)
	return l, err
}
