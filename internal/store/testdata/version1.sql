CREATE TABLE node (
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
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
