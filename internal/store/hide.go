package store

import (
	"context"
	"errors"
	"strings"
)

// Reader is the person that a store is opened for. Trees of hidden folders are invisible to them: trees whose first node names a hidden
// folder, one below it, or one that contains it, since such a tree shows its files. They are not listed, found by words, followed, or read
// by id. Writing is not restricted, since a writer must have found what they write to. What the person says is stored under their name.
type Reader struct {
	Name   string   // empty: the person who runs the program
	Hidden []string // folders, with slashes
	// A node of this kind names, in this field of its body, another folder that belongs to its tree: the workspaces of a run belong to it.
	Kind, Field string
}

// OpenFor is Open for one of several people. If something is hidden, the store must be writable.
func OpenFor(ctx context.Context, path string, clean func(string) string, r Reader) (*Store, error) {
	s, err := Open(ctx, path, clean)
	if err != nil {
		return nil, err
	}
	s.person = r.Name
	if len(r.Hidden) == 0 {
		return s, nil
	}
	if err := s.Writable(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	// query_only comes last on each connection, since the views have to be created first.
	some, err := readersOf(dsn(path, "&_pragma=temp_store(2)"), 4, r.views()+"PRAGMA query_only(1);")
	if err == nil {
		some.viewed = true
		err = some.PingContext(ctx)
	}
	if err != nil {
		return nil, errors.Join(explain(path, "open", err), s.Close())
	}
	whole := s.reader
	s.reader = some
	return s, whole.Close()
}

// views shadow the tables of the same names, on one connection: a query that forgets to check the reader cannot show more.
func (r Reader) views() string {
	under := func(dir, scope string) string {
		return "(" + dir + " = " + scope + " OR substr(" + dir + ", 1, length(" + scope + ") + 1) = " + scope + " || '/')"
	}
	// Without its slash, the folder is empty both for the root of the disk and for a tree without a folder.
	touches := func(scope string) string {
		whole := "CASE WHEN json_valid(root.body) THEN root.body ->> '$.dir' END = '/'"
		return "(" + under(scopeOf, scope) + " OR (" + scopeOf + " <> '' OR " + whole + ") AND " + under(scope, scopeOf) + ")"
	}
	var b strings.Builder
	b.WriteString("CREATE TEMP TABLE hidden (scope TEXT PRIMARY KEY) WITHOUT ROWID;\n")
	for _, scope := range r.Hidden {
		scope = strings.TrimRight(strings.ReplaceAll(scope, `\`, "/"), "/")
		b.WriteString("INSERT OR IGNORE INTO hidden VALUES (" + quote(scope) + ");\n")
	}
	b.WriteString("CREATE TEMP VIEW hiding AS SELECT scope FROM hidden")
	if r.Kind != "" {
		b.WriteString(" UNION ALL SELECT replace(own.body ->> " + quote("$."+r.Field) + ", '\\', '/') FROM main.node AS own " +
			"CROSS JOIN main.node AS root ON root.id = own.root CROSS JOIN hidden WHERE own.kind = " + quote(r.Kind) + " AND " +
			touches("hidden.scope"))
	}
	b.WriteString(";\nCREATE TEMP VIEW node AS SELECT n.seq, n.id, n.parent, n.root, n.kind, n.by, n.at, n.body FROM main.node AS n " +
		"WHERE NOT EXISTS (SELECT 1 FROM main.node AS root CROSS JOIN hiding WHERE root.id = n.root AND " + touches("hiding.scope") +
		");\nCREATE TEMP VIEW ref AS SELECT r.name, r.head, r.at, r.class, r.born, r.scope, r.state, r.known FROM main.ref AS r " +
		"WHERE EXISTS (SELECT 1 FROM temp.node AS n WHERE n.id = r.head);\n" +
		"CREATE TEMP VIEW entry AS SELECT e.id, e.node FROM main.entry AS e " +
		"WHERE EXISTS (SELECT 1 FROM temp.node AS n WHERE n.id = e.node);\n")
	// A text is shown to anyone who sees a node that names it. Which texts the nodes of older programs name is not known yet: see unnamed.
	b.WriteString("CREATE TEMP VIEW blob AS SELECT t.hash, t.data, t.at FROM main.blob AS t WHERE EXISTS (SELECT 1 FROM main.naming AS m " +
		"CROSS JOIN temp.node AS n ON n.seq = m.node WHERE m.hash = t.hash) OR (SELECT upto FROM unnamed) > 0;\n")
	return b.String()
}

// quote quotes a text for SQL.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
