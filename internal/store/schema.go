package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// migrations are applied in order, each once; SQLite's user_version counts those applied. Never edit a released one: append.
var migrations = []string{
	`CREATE TABLE node (
		seq    INTEGER PRIMARY KEY AUTOINCREMENT,
		id     TEXT NOT NULL UNIQUE,
		parent TEXT NOT NULL,
		root   TEXT NOT NULL,
		kind   TEXT NOT NULL,
		by     TEXT NOT NULL,
		at     INTEGER NOT NULL, -- milliseconds since 1970, UTC
		body   TEXT NOT NULL
	) STRICT;
	CREATE INDEX node_root ON node (root, seq);
	CREATE INDEX node_kind ON node (kind, seq);
	CREATE TABLE ref (
		name TEXT PRIMARY KEY,
		head TEXT NOT NULL REFERENCES node (id),
		at   INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE TABLE blob (
		hash TEXT PRIMARY KEY, -- SHA-256 of data, hexadecimal
		data BLOB NOT NULL
	) STRICT, WITHOUT ROWID;`,
	`CREATE TABLE entry (
		id    INTEGER PRIMARY KEY,
		node  TEXT NOT NULL UNIQUE,
		scope TEXT NOT NULL
	) STRICT;
	CREATE VIRTUAL TABLE entry_text USING fts5 (title, body, content = '', contentless_delete = 1,
		tokenize = 'porter unicode61 remove_diacritics 2');
	INSERT INTO entry_text (entry_text, rank) VALUES ('rank', 'bm25(4.0, 1.0)');`,
	`ALTER TABLE blob ADD COLUMN at INTEGER NOT NULL DEFAULT 0; -- when it was last put
	CREATE INDEX ref_head ON ref (head);`,
	`ALTER TABLE ref ADD COLUMN class TEXT GENERATED ALWAYS AS (` + classOf + `) VIRTUAL;
	ALTER TABLE ref ADD COLUMN born INTEGER NOT NULL DEFAULT 0; -- seq of the first node of its tree
	ALTER TABLE ref ADD COLUMN scope TEXT NOT NULL DEFAULT '';
	ALTER TABLE ref ADD COLUMN state TEXT NOT NULL DEFAULT '';
	ALTER TABLE ref ADD COLUMN known INTEGER NOT NULL DEFAULT 0; -- its tree has an entry
	UPDATE ref SET ` + listed + `;
	CREATE INDEX ref_born ON ref (class, born, state, scope);
	CREATE INDEX ref_scope ON ref (class, state, scope, born);
	CREATE INDEX ref_at ON ref (class, at);
	CREATE INDEX ref_unknown ON ref (born) WHERE NOT known;
	CREATE TABLE naming (
		hash TEXT NOT NULL,    -- of a text
		node INTEGER NOT NULL, -- seq of a node that names it
		PRIMARY KEY (hash, node)
	) STRICT, WITHOUT ROWID;
	CREATE TABLE unnamed (upto INTEGER NOT NULL) STRICT; -- nodes up to here are not gone through yet
	INSERT INTO unnamed SELECT coalesce(max(seq), 0) FROM node;`,
	`DROP TABLE entry_text;
	DROP TABLE entry;
	UPDATE ref SET known = 0; -- each search makes more of them known again
	` + findSchema,
}

// classOf is the prefix of a ref's name up to its first slash, or in the trash up to the second.
const classOf = `CASE WHEN name LIKE 'trash/%' THEN 'trash/' || substr(name, 7, instr(substr(name, 7), '/')) ELSE substr(name, 1, ` +
	`instr(name, '/')) END`

// listed fills the columns that lists use, for refs of an older program: the scope is the folder that the first node
// names, and a room has decided if its last node says so. What cannot be read is left empty.
const listed = `(born, scope, state, known) = (SELECT ` + bornOf + `, ` + scopeOf + `, ` + stateOf + `,
	EXISTS (SELECT 1 FROM entry WHERE entry.node = head.root)
	FROM node AS head LEFT JOIN node AS root ON root.id = head.root WHERE head.id = ref.head)`

const (
	bornOf  = `coalesce(root.seq, 0)`
	scopeOf = `coalesce(CASE WHEN json_valid(root.body) THEN CASE WHEN typeof(root.body ->> '$.dir') = 'text' THEN ` +
		`replace(rtrim(root.body ->> '$.dir', '/'), '\', '/') END END, '')`
	stateOf = `CASE WHEN head.kind = 'end' AND json_valid(head.body) AND head.body ->> '$.outcome' IN ('decided', ` +
		`'decided-with-dissent', 'degraded', 'ruled') THEN 'decided' ELSE '' END`
)

// shadow makes a read-only store of an older program look as if it had been migrated. Its cost is proportional to the number of refs.
const shadow = `CREATE TEMP VIEW ref AS SELECT r.name, r.head, r.at, ` + classOf + ` AS class, ` + bornOf + ` AS born,
	` + scopeOf + ` AS scope, ` + stateOf + ` AS state, 0 AS known
	FROM main.ref AS r LEFT JOIN main.node AS head ON head.id = r.head LEFT JOIN main.node AS root ON root.id = head.root`

// listedSince is the first version whose refs have the columns that lists use.
const listedSince = 4

// findSchema is what Search reads. It has the words of a text but not the text, which is in the tree. The limits of a search are words,
// too, so that the index reads nothing else: see marks.
const findSchema = `CREATE TABLE entry (
		id   INTEGER PRIMARY KEY,
		node TEXT NOT NULL UNIQUE
	) STRICT;
	CREATE VIRTUAL TABLE entry_words USING fts5 (title, body, marks, content = '', contentless_delete = 1, detail = column,
		tokenize = 'porter unicode61 remove_diacritics 2 categories ''L* N* Co M*''');`

// patience is how long to wait for another process's lock. Sixteen processes that wrote without pause on two cores kept
// one waiting for five seconds: the database does not queue waiters.
const patience = 30 * time.Second

// migrate brings an older store up to date. It refuses a store from a newer program and leaves it untouched. Processes
// that find no store may all try to make it a WAL store at once; the database then refuses some immediately, so migrate
// tries again.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	for end := time.Now().Add(patience); ; {
		err := bring(ctx, db, path)
		if e, ok := errors.AsType[*sqlite.Error](err); !ok || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// bring checks without a lock first, because there is almost always nothing to do.
func bring(ctx context.Context, db *sql.DB, path string) error {
	var have int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return explain(path, "open", err)
	}
	if have == len(migrations) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil) // immediate: of several processes one migrates, and the others wait
	if err != nil {
		return explain(path, "prepare", err)
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return explain(path, "prepare", err)
	}
	found, err := objects(ctx, tx, "")
	if err == nil {
		err = judge(ctx, path, have, found)
	}
	if err != nil {
		return explain(path, "prepare", err)
	}
	for i := have; i < len(migrations); i++ {
		if _, err := tx.ExecContext(ctx, migrations[i]); err != nil {
			return explain(path, fmt.Sprintf("upgrade to version %d", i+1), err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations))); err != nil {
		return explain(path, "prepare", err)
	}
	if err := tx.Commit(); err != nil {
		return explain(path, "prepare", err)
	}
	return nil
}
