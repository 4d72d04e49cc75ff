package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ownTables are the tables of all versions. A database with fewer than two of them belongs to another program.
var ownTables = []string{"table node", "table ref", "table blob", "table entry", "table entry_text", "table entry_words",
	"table naming", "table unnamed"}

// header is the part of a database file's header that says which version wrote it. https://sqlite.org/fileformat.html#the_database_header
type header struct {
	version int
	wal     bool
}

// readHeader returns false if f is empty or not a database.
func readHeader(f io.ReaderAt) (h header, ok bool) {
	var raw [64]byte
	if _, err := f.ReadAt(raw[:], 0); err != nil || string(raw[:16]) != "SQLite format 3\x00" {
		return h, false
	}
	return header{int(int32(binary.BigEndian.Uint32(raw[60:]))), raw[18] == 2 && raw[19] == 2}, true
}

// inspect refuses a file that is not a store of a version this program can use. It runs before the file is opened for
// writing, which by itself would change the file. If the file is up to date, it reads only the header.
func inspect(ctx context.Context, path string, f *os.File) error {
	h, ok := readHeader(f)
	if !ok || h.wal && h.version == len(migrations) {
		return nil
	}
	var refused *Error
	for _, how := range []string{"&mode=ro", "&immutable=1"} { // the second one for a folder where the first would have to write a file
		err := inspectDatabase(ctx, path, dsn(path, how))
		if err == nil || errors.As(err, &refused) {
			return err
		}
	}
	return nil // the caller's attempt to open it explains why it cannot be read
}

func inspectDatabase(ctx context.Context, path, name string) error {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // version and tables of the same moment
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	found, err := objects(ctx, tx, "")
	if err != nil {
		return err
	}
	return judge(ctx, path, version, found)
}

// judge explains why a database of this version, with these tables and indexes, cannot be used or brought up to date.
// The version number alone proves nothing: another program may use it too, and a torn copy may keep it.
func judge(ctx context.Context, path string, version int, found []string) error {
	ours := 0
	for _, t := range ownTables {
		if slices.Contains(found, t) {
			ours++
		}
	}
	switch {
	case len(found) > 0 && ours < 2:
		return foreign(path, found)
	case version < 0:
		return damage(path, fmt.Sprintf("is damaged: no socrates ever wrote store version %d", version), nil)
	case version > len(migrations):
		return newer(path, version)
	case version == len(migrations) || version == 0 && len(found) == 0:
		return nil
	}
	fits, err := hasLayout(ctx, version, found)
	if err == nil && !fits {
		err = damage(path, fmt.Sprintf("is damaged: its version number is %d, but its tables are of another version", version), nil)
	}
	return err
}

// hasLayout reports whether a store of an older version contains what that version creates, and nothing that a later one does.
func hasLayout(ctx context.Context, version int, found []string) (bool, error) {
	want, err := layoutOf(ctx, version, "")
	if err != nil {
		return false, err
	}
	all, err := layoutOf(ctx, len(migrations), "")
	for _, o := range all {
		if slices.Contains(found, o) != slices.Contains(want, o) {
			return false, err
		}
	}
	return true, err
}

// foreign is the error for a database that another program created.
func foreign(path string, found []string) *Error {
	first := max(0, slices.IndexFunc(found, func(o string) bool { return strings.HasPrefix(o, "table ") }))
	_, name, _ := strings.Cut(found[first], " ")
	return &Error{path, fmt.Sprintf("is a database of another program (it contains %q and no socrates tables); "+
		"nothing was changed in it", name),
		"point store.path or --store at another file", nil}
}

func newer(path string, version int) *Error {
	return &Error{path, fmt.Sprintf("was written by a newer socrates (store version %d, this program knows %d)", version, len(migrations)),
		"install the newer version, or point store.path at another file", ErrNewer}
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

const (
	// listObjects lists the tables and indexes, as "table node", except those SQLite creates by itself.
	listObjects = `SELECT type || ' ' || name AS object FROM main.sqlite_master WHERE type IN ('table', 'index') AND name NOT LIKE ` +
		`'sqlite!_%' ESCAPE '!'`
	// listColumns lists the columns of tables, as "column node.id", except those of the index of words.
	listColumns = ` UNION ALL SELECT 'column ' || t.name || '.' || c.name FROM main.sqlite_master AS t, pragma_table_xinfo(t.name) AS c
		WHERE t.type = 'table' AND t.name NOT LIKE 'entry!_%' ESCAPE '!' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'`
)

// objects lists the tables and indexes of a database, in order; more is listColumns or empty.
func objects(ctx context.Context, db querier, more string) ([]string, error) {
	return column(db.QueryContext(ctx, listObjects+more+" ORDER BY object"))
}

// layoutOf lists what a store of a version contains, like objects. It runs the migrations in memory, so that the layout
// of a version is written down only once.
func layoutOf(ctx context.Context, version int, more string) ([]string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has its own in-memory database
	for _, m := range migrations[:version] {
		if _, err := db.ExecContext(ctx, m); err != nil {
			return nil, err
		}
	}
	return objects(ctx, db, more)
}

// lost names the tables, indexes and columns that the store lacks, as sentences.
func (s *Store) lost(ctx context.Context) (faults []string, err error) {
	var version int
	if err := s.reader.DB.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return nil, s.explain("check", err)
	}
	if version < 1 || version > len(migrations) {
		return []string{fmt.Sprintf("its version number is %d, which this program never wrote", version)}, nil
	}
	want, err := layoutOf(ctx, version, listColumns)
	if err != nil {
		return nil, s.explain("check", err)
	}
	found, err := objects(ctx, s.reader.DB, listColumns)
	if err != nil {
		return nil, s.explain("check", err)
	}
	for _, o := range want {
		table, _, isColumn := strings.Cut(strings.TrimPrefix(o, "column "), ".")
		if slices.Contains(found, o) || isColumn && !slices.Contains(found, "table "+table) {
			continue
		}
		faults = append(faults, "the "+o+" is missing")
	}
	return faults, nil
}

// missing reports whether err is about a table, an index or a column that does not exist.
func missing(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok || e.Code()&0xff != sqlite3.SQLITE_ERROR {
		return false
	}
	for _, part := range []string{"no such table", "no such index", "no such column", "has no column named", "vtable constructor failed"} {
		if strings.Contains(e.Error(), part) {
			return true
		}
	}
	return false
}

// column reads rows of one column of text.
func column(rows *sql.Rows, err error) (out []string, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return out, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}
