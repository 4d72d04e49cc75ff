package lease

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
)

// Soundness is the state of a table on disk.
type Soundness struct {
	Faults  []string `json:"faults,omitempty"` // SQLite's report on a damaged file
	Bytes   int64    `json:"bytes"`
	Journal string   `json:"journal"` // wal
	Sync    int      `json:"sync"`    // synchronous: 2 is FULL
}

// Sound lets SQLite check the table.
func (t *Table) Sound(ctx context.Context) (s Soundness, err error) {
	err = t.in(func(tx *sql.Tx) error { // the setting belongs to the writing connection
		return tx.QueryRow("PRAGMA synchronous").Scan(&s.Sync)
	})
	if err == nil {
		s.Faults, s.Bytes, s.Journal, err = sound(ctx, t.read)
	}
	return s, err
}

// Look lets SQLite check the table of a hub that does not run.
func Look(ctx context.Context, path string) (s Soundness, err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_pragma=query_only(1)")
	if err != nil {
		return s, err
	}
	defer db.Close()
	s.Faults, s.Bytes, s.Journal, err = sound(ctx, db)
	return s, err
}

func sound(ctx context.Context, db *sql.DB) (faults []string, bytes int64, journal string, err error) {
	var pages, size int64
	for query, into := range map[string]any{"page_count": &pages, "page_size": &size, "journal_mode": &journal} {
		if err := db.QueryRowContext(ctx, "PRAGMA "+query).Scan(into); err != nil {
			return nil, 0, "", err
		}
	}
	rows, err := db.QueryContext(ctx, "PRAGMA quick_check(5)")
	if err != nil {
		return nil, 0, "", fmt.Errorf("check the table of tasks: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, 0, "", err
		}
		if text != "ok" {
			faults = append(faults, text)
		}
	}
	return faults, pages * size, journal, rows.Err()
}
