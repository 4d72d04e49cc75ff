package store

import (
	"context"
	"errors"
	"strings"
)

// Reader is who a store is opened for, one of several people. They do not have the trees whose first node lies in one of the hidden
// folders, or below, or in one that contains a hidden folder, whose files such a tree shows: nothing of them is listed, found by words,
// followed, or read by its id. Writing is as ever, for whoever writes has found what they write to, and what a person says has their name.
type Reader struct {
	Name   string   // empty: whoever runs the program
	Hidden []string // folders, with slashes
	// A node of this kind says in a text of its body that another folder belongs to its tree: the workspaces of a run belong to it.
	Kind, Field string
}

// OpenFor is Open for one of several people. With something hidden, the store must be one that can be written.
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
	// Only now is the connection made one that writes nothing: its views are made first.
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

// views stand before the tables of the same names, on one connection: a query that forgets to ask who reads cannot show more.
func (r Reader) views() string {
	under := func(dir, scope string) string {
		return "(" + dir + " = " + scope + " OR substr(" + dir + ", 1, length(" + scope + ") + 1) = " + scope + " || '/')"
	}
	// A folder without its slash is empty if it is the whole disk, and if there is none.
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
	// A text is shown to whoever sees a node that names it. Of nodes of older programs it is not known yet what they name: see unnamed.
	b.WriteString("CREATE TEMP VIEW blob AS SELECT t.hash, t.data, t.at FROM main.blob AS t WHERE EXISTS (SELECT 1 FROM main.naming AS m " +
		"CROSS JOIN temp.node AS n ON n.seq = m.node WHERE m.hash = t.hash) OR (SELECT upto FROM unnamed) > 0;\n")
	return b.String()
}

// quote is a text as SQL has it.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
