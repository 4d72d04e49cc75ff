package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"time"

	"github.com/socrates-cli/socrates/internal/tree"
)

// Copies copies a store to another machine, page by page, and writes such a copy. A copy keeps the ids and numbers of nodes, so references
// into the store hold for the copy, too.
type Copies struct {
	*file
	nodes nodes
}

// CopiesOf returns the Copies of a store, which may be the original or a copy.
func CopiesOf(s *Store) Copies { return Copies{s.file, s.nodes} }

// Page is a piece of a store to be copied.
type Page struct {
	Last  int64             `json:"last"` // nodes up to this number were read: the next page begins after it
	More  bool              `json:"more,omitempty" jsonschema:"there is another page; refs come with the last"`
	Nodes []tree.Node       `json:"nodes"`
	Texts map[string]string `json:"texts,omitempty" jsonschema:"that these nodes name, by their SHA-256"`
	Refs  []Mark            `json:"refs,omitempty" jsonschema:"moved since the time that was asked for"`
	// Digest is computed from all refs, whether or not they were moved: a copy that lacks one, or has one too many, has another digest.
	Digest string `json:"digest,omitempty"`
}

// Mark is a ref, with the fields that lists use to find it.
type Mark struct {
	tree.Ref
	Scope string `json:"scope,omitempty"`
	State string `json:"state,omitempty"`
}

// PageQuery selects a page.
type PageQuery struct {
	After int64     // only nodes with a larger number
	Moved time.Time // only refs that were not moved earlier
}

// pageNodes and pageBytes bound a page. It contains at least one node, however long that is.
const pageNodes, pageBytes = 500, 4 << 20

// Page reads the next page, with what the store's Reader may see. It reads refs before nodes, so that the copy has the nodes that the refs
// point at.
func (s Copies) Page(ctx context.Context, q PageQuery) (p Page, err error) {
	if p.Refs, p.Digest, err = s.marks(ctx, q.Moved); err != nil {
		return p, s.explain("read", err)
	}
	p.Last, p.Nodes, p.Texts = q.After, []tree.Node{}, map[string]string{}
	read, err := s.after(ctx, q.After, pageNodes+1)
	if err != nil {
		return p, s.explain("read", err)
	}
	size := 0
	for i, n := range read {
		texts, err := s.named(ctx, n, p.Texts)
		if err != nil {
			return p, s.explain("read", err)
		}
		more := len(n.Body)
		for _, t := range texts {
			more += len(t)
		}
		if i == pageNodes || i > 0 && size+more > pageBytes {
			p.More, p.Refs, p.Digest = true, nil, ""
			break
		}
		size, p.Last, p.Nodes = size+more, n.Seq, append(p.Nodes, n)
		maps.Copy(p.Texts, texts)
	}
	return p, nil
}

// after returns the nodes after a number, at most so many. They are read before anything else: a query that holds a connection while it
// waits for a second one could wait for ever.
func (s Copies) after(ctx context.Context, seq int64, most int) ([]tree.Node, error) {
	return collect(s.reader.QueryContext(ctx, "SELECT "+columns+" FROM node WHERE seq > ? ORDER BY seq LIMIT ?", seq, most))
}

// named returns the texts that a node names and that the copy does not have yet, because no earlier node that may be copied named them.
func (s Copies) named(ctx context.Context, n tree.Node, have map[string]string) (map[string]string, error) {
	texts := map[string]string{}
	for h := range hashes(n.Body) {
		if _, ok := have[h]; ok {
			continue
		}
		var data []byte
		err := s.reader.QueryRowContext(ctx, `SELECT data FROM blob WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM naming
			CROSS JOIN node ON node.seq = naming.node WHERE naming.hash = ?1 AND naming.node < ?2)`, h, n.Seq).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) { // the hash of a file or of an output, or the text was sent before
			continue
		}
		if err != nil {
			return nil, err
		}
		texts[h] = string(data)
	}
	return texts, nil
}

// marks returns the refs that were not moved before a time, and the digest of all refs.
func (s Copies) marks(ctx context.Context, moved time.Time) ([]Mark, string, error) {
	var all []Mark
	rows, err := s.reader.QueryContext(ctx, "SELECT name, head, at, scope, state FROM ref ORDER BY name")
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var m Mark
		var at int64
		if err := rows.Scan(&m.Name, &m.Head, &at, &m.Scope, &m.State); err != nil {
			return nil, "", err
		}
		m.At = time.UnixMilli(at).UTC()
		all = append(all, m)
	}
	if err := rows.Err(); err != nil {
		return nil, "", err
	}
	out, sum := []Mark{}, sha256.New()
	for _, m := range all {
		m.into(sum)
		if !m.At.Before(moved) {
			out = append(out, m)
		}
	}
	return out, hex.EncodeToString(sum.Sum(nil)), nil
}

// into adds a ref to a digest.
func (m Mark) into(sum hash.Hash) {
	raw, _ := json.Marshal([]string{m.Name, string(m.Head), m.Scope, m.State}) // strings always encode
	sum.Write(append(raw, '\n'))
}

// Digest returns the digest of a copy's refs, computed like Page.Digest.
func (s Copies) Digest(ctx context.Context) (string, error) {
	_, digest, err := s.marks(ctx, time.Now().Add(time.Hour))
	return digest, s.explain("read", err)
}

// Partial reports whether the store hides something from the person it was opened for.
func (s Copies) Partial() bool { return s.reader.viewed }

// ErrOther means that a page comes from another store than the one copied so far, or from one that was reset to an earlier state.
var ErrOther = errors.New("it is not the store that was copied")

// Take writes a page into a copy, all of it or nothing. With whole, the page has all refs there are: other refs are removed, with what
// only they led to. Take refuses a text that does not match its hash, and a node or a ref that is not valid.
func (s Copies) Take(ctx context.Context, p Page, whole bool) error {
	for h, t := range p.Texts {
		if sum := sha256.Sum256([]byte(t)); hex.EncodeToString(sum[:]) != h {
			return fmt.Errorf("the text %.12s does not match its hash", h)
		}
		if s.Clean(t) != t {
			return fmt.Errorf("the text %.12s has characters that could control a terminal, or a secret of this machine", h)
		}
	}
	if err := s.Writable(); err != nil {
		return err
	}
	roots := map[tree.ID]tree.ID{}
	err := s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		texts := map[string][]byte{}
		for h, t := range p.Texts {
			texts[h] = []byte(t)
		}
		if err := s.insertTexts(ctx, tx, texts); err != nil {
			return s.explain("write to", err)
		}
		grown := map[tree.ID]bool{}
		for _, n := range p.Nodes {
			if err := s.takeNode(ctx, tx, n, roots, grown); err != nil {
				return err
			}
		}
		for root := range grown { // the next search indexes its words again
			if _, err := tx.ExecContext(ctx, "UPDATE ref SET known = 0 WHERE known AND born = (SELECT seq FROM node WHERE id = ?)",
				root); err != nil {
				return s.explain("write to", err)
			}
		}
		return s.takeRefs(ctx, tx, p.Refs, whole)
	})
	if err == nil {
		s.nodes.roots.learn(roots)
	}
	return err
}

// Renew empties a copy, so that it can be copied again.
func (s Copies) Renew(ctx context.Context) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		s.nodes.roots.forget()
		for _, text := range []string{"DELETE FROM ref", "DELETE FROM node", "DELETE FROM blob", "DELETE FROM naming", "DELETE FROM entry",
			"DELETE FROM entry_words"} {
			if _, err := tx.ExecContext(ctx, text); err != nil {
				return s.explain("write to", err)
			}
		}
		return nil
	})
}
