package handle

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/socrates-cli/socrates/internal/clean"
)

// What a query may cost: time, rows, and bytes of what is shown of them.
const (
	queryTime  = 15 * time.Second
	mostRows   = 500
	mostResult = 1 << 20
)

// asking are the words a query can begin with. The transaction only reads; this keeps out what is no query, such as COPY,
// which a superuser could have run a program.
var asking = []string{"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"}

// query shows what a database answers to one query: postgres://USER@HOST:PORT/DATABASE?QUERY. The password is no part of
// a handle, which is kept: it comes from the environment or the password file, where that program's own tools find it.
func (s Source) query(ctx context.Context, uri string) (Found, error) {
	base, text, _ := strings.Cut(uri, "?")
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	u, err := url.Parse(base)
	switch word, _, _ := strings.Cut(strings.TrimSpace(text)+" ", " "); {
	case err != nil || u.Hostname() == "" || len(u.Path) < 2:
		return Found{}, &Error{Message: "it names no database", Hint: "write postgres://USER@HOST/DATABASE?SELECT …"}
	case hasPassword(u):
		return Found{}, &Error{Message: "passwords are not allowed in handles, because handles are stored",
			Hint: "use PGPASSWORD or ~/.pgpass"}
	case !slices.Contains(asking, strings.ToUpper(word)):
		return Found{}, &Error{Message: "that is not a query", Hint: "write one after the ? that begins with " + strings.Join(asking, ", ")}
	}
	asked := *u
	asked.User = nil
	if err := s.Web.May(ctx, &asked); err != nil {
		return Found{}, err
	}
	late := fmt.Errorf("it took longer than %v", queryTime)
	ctx, cancel := context.WithTimeoutCause(ctx, queryTime, late)
	defer cancel()
	text, err = read(ctx, base, text)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Found{}, &Error{Message: u.Host + ": " + clean.Line(because(err)), Err: err}
	}
	return found(uri, []byte(text), text), nil
}

// because is what the database, or the network, says; all else repeats the address.
func because(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Message
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e.Err.Error()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// hasPassword says whether an address holds a password.
func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	return has
}

// read asks in a transaction that only reads, and is never committed. The extended protocol takes a single
// statement, so that nothing can end the transaction and go on.
func read(ctx context.Context, base, query string) (string, error) {
	c, err := pgconn.Connect(ctx, base)
	if err != nil {
		return "", err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		c.Close(ending)
	}()
	for _, first := range []string{"BEGIN TRANSACTION READ ONLY",
		fmt.Sprintf("SET LOCAL statement_timeout = %d", queryTime.Milliseconds())} {
		if _, err := c.Exec(ctx, first).ReadAll(); err != nil {
			return "", err
		}
	}
	reading, stop := context.WithCancel(ctx)
	defer stop() // what is left of too long a result is not read
	rows := c.ExecParams(reading, query, nil, nil, nil, nil)
	var b strings.Builder
	for n := 0; rows.NextRow(); n++ {
		if n == 0 {
			for i, f := range rows.FieldDescriptions() {
				b.WriteString(sep(i) + clean.Line(f.Name))
			}
			b.WriteByte('\n')
		}
		if n == mostRows || b.Len() > mostResult {
			return b.String() + "[more rows are not shown]\n", nil
		}
		for i, v := range rows.Values() {
			value := "NULL"
			if v != nil {
				value = clean.Line(string(v[:min(len(v), 4096)]))
			}
			b.WriteString(sep(i) + value)
		}
		b.WriteByte('\n')
	}
	if _, err := rows.Close(); err != nil {
		return "", err
	}
	if b.Len() == 0 {
		return "[no rows]\n", nil
	}
	return b.String(), nil
}

// sep stands ahead of the i-th column.
func sep(i int) string {
	if i == 0 {
		return ""
	}
	return " | "
}
