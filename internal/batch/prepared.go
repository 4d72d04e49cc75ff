package batch

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// prepared opens a database whose connections keep the statements that they were asked for: to prepare one costs more than to carry it out.
func prepared(dsn string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{db.Driver(), dsn}), db.Close()
}

// connector opens connections that keep statements.
type connector struct {
	driver driver.Driver
	dsn    string
}

// Connect is that of driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	own, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &conn{own, own.(driver.ConnBeginTx), own.(driver.SessionResetter), own.(driver.Validator), own.(driver.ConnPrepareContext),
		map[string]*statement{}}, nil
}

// Driver is that of driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

// conn is a connection; database/sql lets one caller at a time use it. Of what SQLite's can, it does not hand on Exec and Query, so that
// database/sql prepares.
type conn struct {
	driver.Conn
	driver.ConnBeginTx
	driver.SessionResetter
	driver.Validator
	prepare driver.ConnPrepareContext
	kept    map[string]*statement
}

// mostKept is how many statements a connection keeps; ours has fewer.
const mostKept = 200

// PrepareContext gives a statement that is kept, unless it is being read from.
func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if s := c.kept[text]; s != nil && !s.used {
		s.used = true
		return s, nil
	}
	own, err := c.prepare.PrepareContext(ctx, text)
	if err != nil || c.kept[text] != nil || len(c.kept) >= mostKept {
		return own, err
	}
	s := &statement{own, own.(driver.StmtExecContext), own.(driver.StmtQueryContext), true}
	c.kept[text] = s
	return s, nil
}

// Close finalizes what was kept.
func (c *conn) Close() error {
	for _, s := range c.kept {
		s.Stmt.Close()
	}
	return c.Conn.Close()
}

// statement is one that is kept.
type statement struct {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	used bool
}

// Close lets the next one have it.
func (s *statement) Close() error {
	s.used = false
	return nil
}
