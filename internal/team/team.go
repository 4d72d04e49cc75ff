// Package team is what a hub knows of people: who they are and what they may do, which workers and projects they see, how much they may
// spend, and who caused and who paid what was spent.
//
// A [Book] is one SQLite file of the hub (synchronous=FULL), opened by its process alone; other processes of the hub's person reach it
// over the hub's socket. The person who runs the hub needs no entry: they may do everything, and their commands are in nobody's quota.
//
//   - A [Person] has a role. Tokens and browser sessions are theirs (package guard), and so is what they start.
//   - A [Share] says who else sees a worker or a project; without one, everybody does.
//   - A [Quota] limits what a person, a pool or a project may spend a day or a month (UTC). [Book.Reserve] takes the most that a call can
//     cost before it is sent, or refuses with an [Over]; [Book.Settle] books what it cost. A reservation whose process died is booked as
//     it stands after a few hours, so that a limit is never exceeded for want of a report.
//
// Money is in dollars; a call whose price is unknown costs 0, and only limits in tokens bind it.
package team

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/socrates-cli/socrates/internal/batch"
)

// Role is what a person may do. Each includes those before it.
type Role string

// The roles: look, start and steer debates, have agents work, and manage people, workers and money.
const (
	Reader  Role = "reader"
	Debater Role = "debater"
	Agent   Role = "agent"
	Admin   Role = "admin"
)

// Roles are all of them, the narrowest first.
var Roles = []Role{Reader, Debater, Agent, Admin}

// Person is somebody who uses the hub.
type Person struct {
	Name  string    `json:"name"`
	Role  Role      `json:"role"`
	Login string    `json:"login,omitempty" jsonschema:"the e-mail address or subject by which the sign-in provider knows them"`
	Since time.Time `json:"since"`
}

// Refusal is a change that cannot be made, and why.
type Refusal struct{ Why string }

// Error is the reason.
func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// unknown refuses a name that nobody has.
func unknown(name string) error { return refuse("no person named %s", name) }

// version is that of the form of the tables, in user_version.
const version = 1

const tables = `
CREATE TABLE person (name TEXT PRIMARY KEY, role TEXT NOT NULL, login TEXT NOT NULL, since INTEGER NOT NULL) WITHOUT ROWID;
CREATE UNIQUE INDEX person_login ON person (login) WHERE login <> '';
CREATE TABLE share (kind TEXT, name TEXT, owner TEXT NOT NULL, people TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE quota (kind TEXT, name TEXT, usd REAL NOT NULL, tokens INTEGER NOT NULL, period TEXT NOT NULL,
	PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE open (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, key TEXT NOT NULL, person TEXT NOT NULL,
	pool TEXT NOT NULL, project TEXT NOT NULL, usd REAL NOT NULL, tokens INTEGER NOT NULL);
CREATE TABLE spent (day TEXT, person TEXT, payer TEXT, pool TEXT, project TEXT, calls INTEGER NOT NULL, usd REAL NOT NULL,
	tokens INTEGER NOT NULL, PRIMARY KEY (day, person, payer, pool, project)) WITHOUT ROWID;
`

// Book is the file. It is made by Open and safe for concurrent use.
type Book struct {
	file *batch.File
	read *sql.DB
	now  func() time.Time
}

// Open opens the book at path and makes it if it is not there. Whoever opens it closes it. now is the clock; nil: the system's.
func Open(ctx context.Context, path string, now func() time.Time) (*Book, error) {
	if now == nil {
		now = time.Now
	}
	f, err := batch.Open(ctx, path, 2, prepare)
	if err != nil {
		return nil, fmt.Errorf("the people's file: %w", err)
	}
	return &Book{file: f, read: f.Read, now: now}, nil
}

func prepare(tx *sql.Tx) error {
	var have int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > version {
		return fmt.Errorf("it was written by a newer version of the hub (schema %d; this version reads %d)", have, version)
	}
	if have < version {
		_, err := tx.Exec(tables + fmt.Sprintf("PRAGMA user_version = %d;", version))
		return err
	}
	return nil
}

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// in is one write, unless ctx has ended before.
func (b *Book) in(ctx context.Context, do func(tx *sql.Tx) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.file.In(do)
}

// Enter adds a person, or changes the role and login of one who is there. Two people cannot have one login.
func (b *Book) Enter(ctx context.Context, p Person) error {
	if !slices.Contains(Roles, p.Role) {
		return refuse("%q is not a role: reader, debater, agent or admin", p.Role)
	}
	if slices.Contains([]string{Everybody, Nobody, Owner}, p.Name) {
		return refuse("the name %s is reserved: all, nobody and owner are what shares and lists call them", p.Name)
	}
	if !named(p.Name) {
		return refuse("%q is not a person's name: use lowercase letters, digits and dashes, at most 64", p.Name)
	}
	return b.in(ctx, func(tx *sql.Tx) error {
		var other string
		err := tx.QueryRow("SELECT name FROM person WHERE login = ? AND login <> '' AND name <> ?", fold(p.Login), p.Name).Scan(&other)
		if err == nil {
			return refuse("%s signs in as %s", other, p.Login)
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.Exec("INSERT INTO person (name, role, login, since) VALUES (?,?,?,?) ON CONFLICT (name) DO UPDATE SET "+
			"role = excluded.role, login = excluded.login", p.Name, p.Role, fold(p.Login), b.now().UnixMilli())
		return err
	})
}

// named says whether a text can be a person's name: it is in names of files and of tokens.
func named(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && text[0] != '-'
}

// fold is a login as it is compared: e-mail addresses have no case.
func fold(login string) string { return strings.ToLower(strings.TrimSpace(login)) }

// Leave takes a person out, also of what was shared with them: who is called so later is another. What they started and spent keeps their
// name; it is refused if nobody has it.
func (b *Book) Leave(ctx context.Context, name string) error {
	return b.in(ctx, func(tx *sql.Tx) error {
		res, err := tx.Exec("DELETE FROM person WHERE name = ?", name)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return unknown(name)
		}
		if err == nil {
			err = forget(tx, name)
		}
		return err
	})
}

// People are all, by name.
func (b *Book) People(ctx context.Context) ([]Person, error) { return b.people(ctx, "ORDER BY name") }

// Person finds one by name; false: there is none.
func (b *Book) Person(ctx context.Context, name string) (Person, bool, error) {
	return one(b.people(ctx, "WHERE name = ?", name))
}

// ByLogin finds the one who signs in by one of the names that a provider gives them; false: nobody does.
func (b *Book) ByLogin(ctx context.Context, logins ...string) (Person, bool, error) {
	for _, l := range logins {
		if fold(l) == "" {
			continue
		}
		if p, ok, err := one(b.people(ctx, "WHERE login = ?", fold(l))); ok || err != nil {
			return p, ok, err
		}
	}
	return Person{}, false, nil
}

func one(list []Person, err error) (Person, bool, error) {
	if err != nil || len(list) == 0 {
		return Person{}, false, err
	}
	return list[0], true, nil
}

func (b *Book) people(ctx context.Context, which string, args ...any) ([]Person, error) {
	return rows(ctx, b, "SELECT name, role, login, since FROM person "+which, args, func(scan func(...any) error) (p Person, err error) {
		var since int64
		err = scan(&p.Name, &p.Role, &p.Login, &since)
		p.Since = time.UnixMilli(since).UTC()
		return p, err
	})
}

// rows reads a list.
func rows[T any](ctx context.Context, b *Book, query string, args []any,
	row func(scan func(...any) error) (T, error)) (list []T, err error) {
	found, err := b.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		one, err := row(found.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, found.Err()
}
