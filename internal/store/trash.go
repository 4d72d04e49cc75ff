package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// TrashRefs is the prefix of discarded refs; the rest is their former name.
const TrashRefs = "trash/"

// TrashKind records when a ref was discarded, and by whom: a node below the one it pointed at.
const TrashKind tree.Kind[Trash] = "trash"

// Trash is the body of such a node.
type Trash struct {
	Ref string `json:"ref"` // its former name
}

// Discard moves refs to the trash if they still point where they did, all or none: a ref's new name is TrashRefs and
// its former name, so Restore needs nothing else. What only these refs led to is no longer found by words. The error is
// ErrMoved if somebody else moved one, or if the trash already has a ref of its name.
func (s *trash) Discard(ctx context.Context, who string, refs ...tree.Ref) error {
	if err := s.Writable(); err != nil {
		return err
	}
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var heads []tree.ID
		for _, r := range refs {
			n := []tree.Node{TrashKind.New(r.Head, who, Trash{r.Name})}
			if err := s.nodes.insertAll(ctx, tx, n, make([]tree.Node, 1), map[tree.ID]tree.ID{}); err != nil {
				return err
			}
			if err := s.refs.rename(ctx, tx, r.Name, r.Head, TrashRefs+r.Name, n[0].ID); err != nil {
				return err
			}
			heads = append(heads, n[0].ID)
		}
		ids, err := alone(ctx, tx, heads, TrashRefs)
		if err != nil {
			return s.explain("delete from", err)
		}
		return s.explain("delete from", forget(ctx, tx, ids))
	})
}

// Restore takes refs out of the trash, all or none, by their former names. The error is ErrNotFound if one is not
// there, and ErrMoved if its name has been taken.
func (s *trash) Restore(ctx context.Context, names ...string) error {
	if err := s.Writable(); err != nil {
		return err
	}
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, name := range names {
			var head, to tree.ID
			err := tx.QueryRowContext(ctx, "SELECT n.id, n.parent FROM ref JOIN node AS n ON n.id = ref.head WHERE ref.name = ?",
				TrashRefs+name).Scan(&head, &to)
			if errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("%s: %w", name, ErrNotFound)
			} else if err != nil {
				return s.explain("read", err)
			}
			if err := s.refs.rename(ctx, tx, TrashRefs+name, head, name, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// settled is the age from which a text that no node names is garbage: texts are on disk shortly before their nodes.
const settled = 24 * time.Hour

// purgedAtOnce is how many refs one transaction removes: others can write between two transactions.
const purgedAtOnce = 10

// Purge removes for good what was discarded before a time, and returns how many refs that were: the refs, the nodes
// that no other ref leads to, and the texts that no other node names. What is removed is overwritten on disk. The cost
// is proportional to what it removes, with a transaction for every few refs; most bounds the number of refs, 0 does
// not. The count is right even if an error ends it early: what was removed until then is gone.
func (s *trash) Purge(ctx context.Context, before time.Time, most int) (count int, err error) {
	if err := s.Writable(); err != nil {
		return 0, err
	}
	for most == 0 || count < most {
		names, heads, err := s.expired(ctx, before, purgedAtOnce)
		if err != nil {
			return count, err
		}
		if len(names) == 0 { // so it is most of the time, and nobody has to wait for the writer
			break
		}
		if whole, err := s.goThrough(ctx, most == 0); err != nil || !whole {
			return count, err
		}
		err = s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
			// A node that is appended below a purged one must be refused, so nothing may be remembered of it.
			s.nodes.roots.forget()
			return s.explain("delete from", purge(ctx, tx, names, heads))
		})
		if err != nil {
			return count, err
		}
		count += len(names)
	}
	if count > 0 {
		s.emptyLog(ctx)
	}
	return count, nil
}

// expired finds refs that were discarded before a time.
func (s *trash) expired(ctx context.Context, before time.Time, most int) (names []string, heads []tree.ID, err error) {
	for class := strings.TrimSuffix(TrashRefs, "/"); len(names) == 0; {
		var next sql.NullString
		if err := s.reader.QueryRowContext(ctx, "SELECT min(class) FROM ref WHERE class > ? AND class < ?", class,
			TrashRefs+"\U0010FFFF").Scan(&next); err != nil || !next.Valid {
			return nil, nil, s.explain("read", err)
		}
		class = next.String
		names, heads, err = pairs[string, tree.ID](s.reader.QueryContext(ctx,
			"SELECT name, head FROM ref WHERE class = ? AND at < ? ORDER BY at LIMIT ?", class, before.UnixMilli(), most))
		if err != nil {
			return nil, nil, s.explain("read", err)
		}
	}
	return names, heads, nil
}

// goneThrough is how many nodes of an older program one transaction scans for the texts they name.
const goneThrough = 5000

// goThrough records the texts that nodes of an older program name, for all or some of these nodes, and reports whether all are done.
func (s *trash) goThrough(ctx context.Context, all bool) (whole bool, err error) {
	for first := true; ; first = false {
		var upto int64
		if err := s.reader.QueryRowContext(ctx, "SELECT upto FROM unnamed").Scan(&upto); err != nil || upto == 0 {
			return err == nil, s.explain("read", err)
		}
		if !all && !first {
			return false, nil
		}
		err := s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
			seqs, bodies, err := pairs[int64, string](tx.QueryContext(ctx,
				"SELECT seq, body FROM node WHERE seq <= ? ORDER BY seq DESC LIMIT ?", upto, goneThrough))
			if err != nil {
				return s.explain("read", err)
			}
			next := int64(0)
			for i, seq := range seqs {
				if err := s.nodes.nameTexts(ctx, tx, seq, []byte(bodies[i])); err != nil {
					return err
				}
				next = seq - 1
			}
			if len(seqs) < goneThrough {
				next = 0
			}
			_, err = tx.ExecContext(ctx, "UPDATE unnamed SET upto = ?", next)
			return s.explain("write to", err)
		})
		if err != nil {
			return false, err
		}
	}
}

// emptyLog removes what was overwritten from the write-ahead log, too, unless another process keeps it busy: then a later commit will.
func (s *file) emptyLog(ctx context.Context) {
	c, err := s.writer.Conn(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	for _, text := range []string{"PRAGMA busy_timeout = 100", "PRAGMA wal_checkpoint(TRUNCATE)",
		fmt.Sprintf("PRAGMA busy_timeout = %d", patience.Milliseconds())} {
		c.ExecContext(context.WithoutCancel(ctx), text)
	}
}

// mergedPages is how many pages of the index of words are rewritten for each removed ref, so that its words leave the index: the cost of
// rewriting all of it would grow with the store.
const mergedPages = 100

// purge is one transaction of Purge. Texts younger than a day stay: a node that names them may be about to be stored.
func purge(ctx context.Context, tx *sql.Tx, names []string, heads []tree.ID) error {
	if err := each(ctx, tx, names, "DELETE FROM ref WHERE name IN (SELECT value FROM json_each(?))"); err != nil {
		return err
	}
	ids, err := alone(ctx, tx, heads, "")
	if err != nil {
		return err
	}
	if err := forget(ctx, tx, ids); err != nil {
		return err
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	seqs, bodies, err := pairs[int64, string](tx.QueryContext(ctx,
		"SELECT seq, body FROM node WHERE id IN (SELECT value FROM json_each(?))", string(list)))
	if err != nil {
		return err
	}
	texts := map[string]bool{}
	for i, seq := range seqs {
		for h := range hashes([]byte(bodies[i])) {
			texts[h] = true
			if _, err := tx.ExecContext(ctx, "DELETE FROM naming WHERE hash = ? AND node = ?", h, seq); err != nil {
				return err
			}
		}
	}
	if err := each(ctx, tx, ids, "DELETE FROM node WHERE id IN (SELECT value FROM json_each(?))"); err != nil {
		return err
	}
	settledBefore := time.Now().Add(-settled).UnixMilli()
	for h := range texts {
		var named bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM naming WHERE hash = ?)", h).Scan(&named); err != nil {
			return err
		}
		if named {
			continue
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM blob WHERE hash = ? AND at < ?", h, settledBefore); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO entry_words (entry_words, rank) VALUES ('merge', ?)", -mergedPages*len(names))
	return err
}

// alone returns the nodes that no refs lead to except those with the given heads, parents first: for each head, the
// largest part of its tree in which no other ref points. Refs whose names begin with except do not count; empty: all
// do.
func alone(ctx context.Context, tx *sql.Tx, heads []tree.ID, except string) ([]tree.ID, error) {
	list, err := json.Marshal(heads)
	if err != nil {
		return nil, err
	}
	roots, _, err := pairs[tree.ID, int](tx.QueryContext(ctx,
		"SELECT DISTINCT root, 0 FROM node WHERE id IN (SELECT value FROM json_each(?))", string(list)))
	if err != nil {
		return nil, err
	}
	var out []tree.ID
	for _, root := range roots {
		ids, parents, err := pairs[tree.ID, tree.ID](tx.QueryContext(ctx, "SELECT id, parent FROM node WHERE root = ? ORDER BY seq", root))
		if err != nil {
			return nil, err
		}
		names, points, err := pairs[string, tree.ID](tx.QueryContext(ctx,
			"SELECT ref.name, ref.head FROM node CROSS JOIN ref ON ref.head = node.id WHERE node.root = ?", root))
		if err != nil {
			return nil, err
		}
		up := map[tree.ID]tree.ID{}
		for i, id := range ids {
			above := parents[i]
			if _, earlier := up[above]; !earlier { // a damaged store may have cycles
				above = ""
			}
			up[id] = above
		}
		// Everything between another ref and the root stays. For each head, the rest is removed: the highest node that
		// nothing else needs, and all nodes below it.
		led := map[tree.ID]bool{"": true}
		for i, id := range points {
			for other := except == "" || !strings.HasPrefix(names[i], except); other && !led[id]; id = up[id] {
				led[id] = true
			}
		}
		going := map[tree.ID]bool{}
		for _, id := range heads {
			if _, here := up[id]; !here || led[id] {
				continue
			}
			for !led[up[id]] {
				id = up[id]
			}
			going[id] = true
		}
		for _, id := range ids {
			if going[id] || going[up[id]] {
				going[id] = true
				out = append(out, id)
			}
		}
	}
	return out, nil
}

// forget removes nodes from the index of words.
func forget(ctx context.Context, tx *sql.Tx, ids []tree.ID) error {
	return each(ctx, tx, ids, "DELETE FROM entry_words WHERE rowid IN "+
		"(SELECT id FROM entry WHERE node IN (SELECT value FROM json_each(?)))",
		"DELETE FROM entry WHERE node IN (SELECT value FROM json_each(?))")
}

// hashes yields the words of a body that could be the hash of a text. It skips most characters of other words.
func hashes(body []byte) iter.Seq[string] {
	const size = 2 * sha256.Size
	hex := func(i int) bool {
		return i >= 0 && i < len(body) && strings.IndexByte("0123456789abcdef", body[i]) >= 0
	}
	return func(yield func(string) bool) {
		// A run of size letters covers one of these places, wherever it begins: the letters between need no check.
		for i := size - 1; i < len(body); i += size {
			if !hex(i) {
				continue
			}
			from := i
			for hex(from - 1) {
				from--
			}
			for hex(i) {
				i++
			}
			if i-from == size && !yield(string(body[from:i])) {
				return
			}
		}
	}
}

// each runs statements, each with the same list, encoded as JSON, as its only parameter.
func each[T ~string](ctx context.Context, tx *sql.Tx, list []T, statements ...string) error {
	if len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	for _, text := range statements {
		if _, err := tx.ExecContext(ctx, text, string(raw)); err != nil {
			return err
		}
	}
	return nil
}

// pairs reads rows of two columns.
func pairs[A, B any](rows *sql.Rows, err error) (as []A, bs []B, _ error) {
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a A
		var b B
		if err := rows.Scan(&a, &b); err != nil {
			return nil, nil, err
		}
		as, bs = append(as, a), append(bs, b)
	}
	return as, bs, rows.Err()
}
