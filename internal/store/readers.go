package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
)

// readers is a database opened for reading only. It prepares each of the program's few queries once: parsing one takes longer than running
// a small one.
type readers struct {
	*sql.DB
	dsn      string
	viewed   bool     // its tables are views, which have no indexes to name
	prepared sync.Map // *sql.Stmt by its text
}

// openReaders opens a database with at most so many connections.
func openReaders(dsn string, most int) (*readers, error) {
	return readersOf(dsn, most, "")
}

// readersOf is openReaders, but each connection runs the statement first before it is used.
func readersOf(dsn string, most int, first string) (*readers, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	if first != "" {
		db = sql.OpenDB(connector{db.Driver(), dsn, first})
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most) // a connection opened later would not find a file that has been deleted
	return &readers{DB: db, dsn: dsn}, nil
}

// connector makes connections that run a statement before they are used.
type connector struct {
	driver     driver.Driver
	dsn, first string
}

// Connect opens a connection and runs the first statement on it, so that no query gets a connection without it.
func (p connector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.driver.Open(p.dsn)
	if err != nil {
		return nil, err
	}
	if _, err := c.(driver.ExecerContext).ExecContext(ctx, p.first, nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Driver implements driver.Connector.
func (p connector) Driver() driver.Driver { return p.driver }

// indexed names the index to use where the planner would choose a worse one.
const indexed = " INDEXED BY node_root"

// If two callers prepare the same text at once, the first statement is kept and the other is closed.
func (p *readers) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if known, ok := p.prepared.Load(text); ok {
		return known.(*sql.Stmt), nil
	}
	asked := text
	if p.viewed {
		asked = strings.Replace(text, indexed, "", 1)
	}
	own, err := p.PrepareContext(ctx, asked)
	if err != nil {
		return nil, err
	}
	first, met := p.prepared.LoadOrStore(text, own)
	if met {
		own.Close()
	}
	return first.(*sql.Stmt), nil
}

// QueryContext is sql.DB's, with a prepared statement.
func (p *readers) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := p.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext is sql.DB's, with a prepared statement.
func (p *readers) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	stmt, err := p.statement(ctx, text)
	if err != nil {
		return p.DB.QueryRowContext(ctx, text, args...) // this keeps the error for Scan
	}
	return stmt.QueryRowContext(ctx, args...)
}
