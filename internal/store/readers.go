package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
)

// readers is a database that is only read. It prepares each of the program's few queries once: parsing one takes longer than
// a small one does.
type readers struct {
	*sql.DB
	dsn      string
	viewed   bool     // its tables are views, which have no indexes to name
	prepared sync.Map // *sql.Stmt by its text
}

// openReaders opens a database on as many connections, at most.
func openReaders(dsn string, most int) (*readers, error) {
	return readersOf(dsn, most, "")
}

// readersOf is openReaders; each connection runs first before it is used.
func readersOf(dsn string, most int, first string) (*readers, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	if first != "" {
		db = sql.OpenDB(connector{db.Driver(), dsn, first})
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most) // one that is opened again would not find a file that was deleted meanwhile
	return &readers{DB: db, dsn: dsn}, nil
}

// connector makes connections that run a statement before they are used.
type connector struct {
	driver     driver.Driver
	dsn, first string
}

// Connect opens a connection and runs the first statement on it, so no query sees one without.
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

// Driver is that of driver.Connector.
func (p connector) Driver() driver.Driver { return p.driver }

// indexed names the index that is to be used where the planner would take a worse one.
const indexed = " INDEXED BY node_root"

// Two that prepare the same text at once keep the first; the other is closed.
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

// QueryContext is that of sql.DB.
func (p *readers) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := p.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext is that of sql.DB.
func (p *readers) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	stmt, err := p.statement(ctx, text)
	if err != nil {
		return p.DB.QueryRowContext(ctx, text, args...) // which keeps the error for Scan
	}
	return stmt.QueryRowContext(ctx, args...)
}
