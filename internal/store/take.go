package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/tree"
)

// The form of ids and kinds of nodes from another machine. There, ids are made by tree.NewID, and kinds and authors come from code.
var (
	takenID   = pattern.Of(`^[0-9a-z]{26}$`)
	takenKind = pattern.Of(`^[a-z][a-z0-9.-]{0,63}$`) // such as work.plan
)

// longestName bounds the name of a ref that is copied.
const longestName = 400

// takeNode writes a node with its number. A node that is already stored is left alone.
func (s Copies) takeNode(ctx context.Context, tx *sql.Tx, n tree.Node, roots map[tree.ID]tree.ID, grown map[tree.ID]bool) error {
	switch {
	case n.Seq <= 0 || !takenID().MatchString(string(n.ID)) || n.Parent != "" && !takenID().MatchString(string(n.Parent)):
		return fmt.Errorf("node %d has no valid id: %.40q", n.Seq, n.ID)
	case !takenKind().MatchString(n.Kind):
		return fmt.Errorf("node %s has no valid kind: %.40q", n.ID, n.Kind)
	case n.At.Year() < 1 || n.At.Year() > 9999:
		return fmt.Errorf("node %s has an impossible date", n.ID)
	}
	var seq int64
	var parent tree.ID
	err := tx.QueryRowContext(ctx, "SELECT seq, parent FROM node WHERE id = ?", n.ID).Scan(&seq, &parent)
	switch {
	case err == nil && seq == n.Seq && parent == n.Parent:
		return nil
	case err == nil:
		return fmt.Errorf("node %s: %w", n.ID, ErrOther)
	case !errors.Is(err, sql.ErrNoRows):
		return s.explain("read", err)
	}
	above := int64(0)
	if n.Parent != "" {
		err := tx.QueryRowContext(ctx, "SELECT seq FROM node WHERE id = ?", n.Parent).Scan(&above)
		if errors.Is(err, sql.ErrNoRows) || err == nil && above >= n.Seq {
			return fmt.Errorf("node %s: its parent is not before it: %w", n.ID, ErrOther)
		} else if err != nil {
			return s.explain("read", err)
		}
	}
	n, root, err := s.nodes.checked(ctx, tx, n, roots)
	if err != nil {
		return err
	}
	grown[root] = true
	res, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO node (seq, id, parent, root, kind, by, at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, n.Seq, n.ID, n.Parent, root, n.Kind, s.Clean(n.By), n.At.UnixMilli(), string(n.Body))
	if err != nil {
		return s.explain("write to", err)
	}
	if put, err := res.RowsAffected(); err != nil || put == 0 { // another node has its number
		return errors.Join(fmt.Errorf("node %s: %w", n.ID, ErrOther), err)
	}
	return s.nodes.nameTexts(ctx, tx, n.Seq, n.Body)
}

// takeRefs points refs where they point in the copied store.
func (s Copies) takeRefs(ctx context.Context, tx *sql.Tx, refs []Mark, whole bool) error {
	var trashed []tree.ID
	there := map[string]bool{}
	for _, m := range refs {
		if err := soundName(m.Name); err != nil {
			return err
		}
		there[m.Name] = true
		if err := s.takeRef(ctx, tx, m); err != nil {
			return err
		}
		if strings.HasPrefix(m.Name, TrashRefs) {
			trashed = append(trashed, m.Head)
		}
	}
	if len(trashed) > 0 { // what is in the trash is not found by words
		ids, err := alone(ctx, tx, trashed, TrashRefs)
		if err == nil {
			err = forget(ctx, tx, ids)
		}
		if err != nil {
			return s.explain("delete from", err)
		}
	}
	if !whole {
		return nil
	}
	names, heads, err := pairs[string, tree.ID](tx.QueryContext(ctx, "SELECT name, head FROM ref"))
	if err != nil {
		return s.explain("read", err)
	}
	var gone []string
	var led []tree.ID
	for i, name := range names {
		if !there[name] {
			gone, led = append(gone, name), append(led, heads[i])
		}
	}
	if len(gone) == 0 {
		return nil
	}
	s.nodes.roots.forget()
	return s.explain("delete from", purge(ctx, tx, gone, led))
}

// takeRef points one ref where it points in the copied store. A ref that was moved into or out of the trash loses its other name.
func (s Copies) takeRef(ctx context.Context, tx *sql.Tx, m Mark) error {
	other, isTrash := strings.CutPrefix(m.Name, TrashRefs)
	if !isTrash {
		other = TrashRefs + m.Name
	}
	res, err := tx.ExecContext(ctx, `INSERT INTO ref (name, head, at, scope, state, born, known) SELECT ?1, ?2, ?3, ?4, ?5,
		(SELECT root.seq FROM node JOIN node AS root ON root.id = node.root WHERE node.id = ?2), 0
		WHERE EXISTS (SELECT 1 FROM node WHERE id = ?2)
		ON CONFLICT (name) DO UPDATE SET head = ?2, at = ?3, scope = ?4, state = ?5, born = excluded.born,
			known = known AND born = excluded.born`,
		m.Name, m.Head, m.At.UnixMilli(), s.Clean(m.Scope), s.Clean(m.State))
	if err != nil {
		return s.explain("write to", err)
	}
	if put, err := res.RowsAffected(); err != nil || put == 0 {
		return errors.Join(fmt.Errorf("ref %s leads to a node that was not sent: %w", m.Name, ErrOther), err)
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM ref WHERE name = ?", other)
	return s.explain("write to", err)
}

// soundName refuses ref names that could be mistaken for a path out of a folder, or could control a terminal.
func soundName(name string) error {
	bad := name == "" || len(name) > longestName || !utf8.ValidString(name) || strings.ContainsRune(name, '\\') ||
		strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
		})
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == "" || part == "." || part == ".."
	}
	if bad || !strings.Contains(name, "/") {
		return fmt.Errorf("%.60q is not a valid ref name", name)
	}
	return nil
}
