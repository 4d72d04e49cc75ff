package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// shape is that of the stores of these tests: trees of said nodes under "said/", whose texts may be blobs.
var shape = store.Shape{Firsts: map[string]store.First{"said/": {Kind: "said", Filled: []string{"$.text"}}}, Texts: map[string][]string{"blob": {"$.text", "$.all"}}}

// full is a store with a chain of nodes under a ref, one of which names a text, closed. It returns the ids as well.
func full(t testing.TB) (path string, ids []tree.ID) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, nil)
	hash, err := s.PutBlob(t.Context(), "a text")
	if err != nil {
		t.Fatal(err)
	}
	nodes := []tree.Node{node("", "root")}
	for i := range 5 {
		nodes = append(nodes, node(nodes[i].ID, fmt.Sprint(i)))
	}
	nodes[3].Kind, nodes[3].Body = "blob", json.RawMessage(`{"text":"`+hash+`","all":{"a":"`+hash+`","b":""}}`)
	row := store.Indexed{Node: nodes[0].ID, Title: "root"}
	if _, err := s.Commit(t.Context(), store.Change{Nodes: nodes, Moves: []store.Move{{Ref: "said/a", To: nodes[5].ID}}, Index: []store.Indexed{row}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	return path, ids
}

// hurt changes a store behind the program's back.
func hurt(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := raw(t, path+"?_pragma=foreign_keys(0)")
	db.SetMaxOpenConns(1)
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// isDamage says whether err tells a person that the store is damaged, and what to do.
func isDamage(err error) bool {
	e, ok := errors.AsType[*store.Error](err)
	return ok && errors.Is(err, store.ErrDamaged) && strings.Contains(e.Message, "is damaged") && strings.Contains(e.Hint, "socrates doctor")
}

// A version number that does not fit the tables is damage, or a newer program's; no such file is written to.
func TestWrongVersions(t *testing.T) {
	for _, version := range []int{-1, math.MinInt32, 0, 1, 2, 3, 4, 6, math.MaxInt32} {
		path, _ := full(t)
		hurt(t, path, fmt.Sprintf("PRAGMA user_version = %d", version))
		before, _ := os.ReadFile(path)
		_, err := store.Open(t.Context(), path, nil)
		if version > store.Versions && !errors.Is(err, store.ErrNewer) || version < store.Versions && !isDamage(err) {
			t.Errorf("version %d: %v", version, err)
		}
		if readOnly := store.ErrOpenReadOnly(t, path); readOnly == nil || readOnly.Error() != err.Error() {
			t.Errorf("version %d, only read: %v", version, readOnly)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("version %d: the file was changed", version)
		}
	}
}

// A store of every older version is brought up to date, and sound then.
func TestOlderVersions(t *testing.T) {
	for version := range store.Versions + 1 {
		path := filepath.Join(t.TempDir(), "s.db")
		store.MakeVersion(t, path, version)
		s := open(t, path, nil)
		add(t, s, node("", "root"))
		if faults, err := s.Check(t.Context(), true, shape); err != nil || len(faults) > 0 {
			t.Errorf("version %d: %q, %v", version, faults, err)
		}
	}
}

// A database of another program is left alone, whatever its version and journal.
func TestForeignDatabase(t *testing.T) {
	for _, journal := range []string{"DELETE", "WAL"} {
		for _, version := range []int{-1, 0, 1, store.Versions, 99} {
			path := filepath.Join(t.TempDir(), "s.db")
			hurt(t, path, "PRAGMA journal_mode = "+journal, "CREATE TABLE customer (name TEXT)", "CREATE INDEX by_name ON customer (name)", fmt.Sprintf("PRAGMA user_version = %d", version))
			before, _ := os.ReadFile(path)
			_, err := store.Open(t.Context(), path, nil)
			if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "database of another program") || !strings.Contains(e.Message, "customer") || e.Hint == "" {
				t.Errorf("%s, version %d: %v", journal, version, err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("%s, version %d: the file was changed", journal, version)
			}
		}
	}
}

// Whatever a store says is above a node, the way up ends, and is not taken for whole.
func TestWrongParents(t *testing.T) {
	for what, change := range map[string]string{
		"its own parent": "UPDATE node SET parent = id WHERE seq = 3",
		"a circle":       "UPDATE node SET parent = (SELECT id FROM node WHERE seq = 5) WHERE seq = 3",
		"all are one":    "UPDATE node SET parent = id",
		"no id above":    "UPDATE node SET id = '' WHERE seq = 3",
		"no id and self": "UPDATE node SET id = '', parent = '' WHERE seq = 1",
		"no parent":      "UPDATE node SET parent = '' WHERE seq = 3",
		"not there":      "UPDATE node SET parent = 'nobody' WHERE seq = 3",
		"null":           "UPDATE node SET body = 'null' WHERE seq = 3",
		"a list":         "UPDATE node SET body = '[]' WHERE seq = 3",
		"a number":       "UPDATE node SET body = '3' WHERE seq = 3",
		"no head":        "DELETE FROM node WHERE seq = 6",
	} {
		t.Run(what, func(t *testing.T) {
			path, ids := full(t)
			hurt(t, path, change)
			s := open(t, path, nil)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if nodes, err := s.Path(ctx, ids[5]); !isDamage(err) {
				t.Errorf("%d nodes, %v", len(nodes), err)
			}
			if faults, err := s.Check(ctx, true, shape); err != nil || len(faults) == 0 {
				t.Errorf("nothing is found: %v", err)
			}
			if err := s.Discard(ctx, "person", tree.Ref{Name: "said/a", Head: ids[5]}); err != nil && !isDamage(err) {
				t.Errorf("discard: %v", err)
			}
			if _, err := s.Purge(ctx, time.Now().Add(time.Hour), 0); err != nil {
				t.Errorf("purge: %v", err)
			}
		})
	}
}

// Check names what is wrong, in a sound store nothing.
func TestCheckFinds(t *testing.T) {
	for change, want := range map[string]string{
		"SELECT 1":                     "",
		"DELETE FROM blob":             "of node",
		"UPDATE blob SET data = x'00'": "changed on disk",
		"UPDATE node SET body = 'null' WHERE seq = 2":               "not a JSON object",
		"UPDATE node SET body = '[' WHERE seq = 2":                  "not a JSON object",
		"UPDATE node SET body = '{}' WHERE seq = 1":                 "it lacks text",
		"UPDATE node SET kind = 'room' WHERE seq = 1":               "a tree of another kind",
		"UPDATE ref SET head = 'nobody'":                            "points at a node that is missing",
		"DELETE FROM node WHERE seq = 1":                            "lost its first node",
		"UPDATE node SET parent = id WHERE seq = 4":                 "below itself",
		"UPDATE node SET id = '' WHERE seq = 6":                     "node number 6 has no id",
		"UPDATE node SET root = id WHERE seq = 4":                   "in another tree",
		"UPDATE node SET at = 1 << 60 WHERE seq = 4":                "impossible date",
		"DROP TABLE entry":                                          "the table entry is missing",
		"DROP TABLE entry_words":                                    "the table entry_words is missing",
		"DROP TABLE unnamed":                                        "the table unnamed is missing",
		"DROP TABLE ref":                                            "the table ref is missing",
		"DROP INDEX node_kind":                                      "the index node_kind is missing",
		"DROP INDEX ref_unknown; ALTER TABLE ref DROP COLUMN known": "the column ref.known is missing",
		"UPDATE ref SET name = 'trash/said/a'; UPDATE node SET kind = 'room' WHERE seq = 1": "ref trash/said/a points into a tree of another kind",
	} {
		path, _ := full(t)
		hurt(t, path, strings.Split(change, "; ")...)
		s := open(t, path, nil)
		faults, err := s.Check(t.Context(), true, shape)
		if err != nil || (want == "") != (len(faults) == 0) || want != "" && !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("%s: %q, %v", change, faults, err)
		}
		s.Close()
	}
}

// A table that is missing is damage; one that is missing because the file was replaced is not.
func TestMissingTables(t *testing.T) {
	for _, table := range []string{"node", "ref", "blob", "naming", "entry"} {
		path, ids := full(t)
		s := open(t, path, nil)
		hurt(t, path, "DROP TABLE "+table)
		_, read := s.Path(t.Context(), ids[5])
		_, listed := s.Unknown(t.Context(), "said/", true, 9)
		hash, err := s.PutBlob(t.Context(), "new")
		if err != nil {
			t.Fatal(err)
		}
		n := node("", hash)
		_, wrote := s.Commit(t.Context(), store.Change{Nodes: []tree.Node{n}, Index: []store.Indexed{{Node: n.ID, Title: "new"}}})
		s.Close()
		_, opened := store.Open(t.Context(), path, nil)
		for _, err := range []error{read, listed, wrote, opened} {
			if err != nil && (!isDamage(err) || !strings.Contains(err.Error(), table)) {
				t.Errorf("%s: %v", table, err)
			}
		}
		if read == nil && listed == nil && wrote == nil {
			t.Errorf("%s: nobody misses it", table)
		}
	}
}

// TestTipOfWhatIsGone: a ref nobody made is not found; one whose nodes are lost is damage, and does not look as if it had never been.
func TestTipOfWhatIsGone(t *testing.T) {
	path, _ := full(t)
	hurt(t, path, "DELETE FROM node WHERE seq = 6")
	s := open(t, path, nil)
	if _, err := s.Tip(t.Context(), "said/nobody"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a ref nobody made: %v", err)
	}
	if _, err := s.Tip(t.Context(), "said/a"); !isDamage(err) {
		t.Errorf("a ref without its head: %v", err)
	}
}

// TestLostWhatCameMeanwhile: a list was empty and another process has begun something since: that is no damage. What a ref leads to and
// cannot be read is.
func TestLostWhatCameMeanwhile(t *testing.T) {
	path, _ := full(t)
	s := open(t, path, nil)
	for reads, damaged := range map[bool]bool{true: false, false: true} {
		err := s.Lost(t.Context(), "said/", "sayings", func(store.Tip) bool { return reads })
		if isDamage(err) != damaged || !damaged && err != nil {
			t.Errorf("reads %v: %v", reads, err)
		}
	}
	if err := s.Lost(t.Context(), "unsaid/", "sayings", nil); err != nil {
		t.Error(err)
	}
}

// TestReadWhileItBegins: whoever asks for a tree that another process begins or deletes at that moment finds it, or finds nothing.
func TestReadWhileItBegins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	writes, asks := open(t, path, nil), open(t, path, nil)
	const trees = 50
	made := make([][]tree.Node, trees)
	for i := range made {
		root := node("", fmt.Sprint(i))
		made[i] = []tree.Node{root, node(root.ID, "end")}
	}
	done := make(chan error, 1)
	go func() {
		for i, nodes := range made {
			ref := fmt.Sprintf("said/%03d", i)
			_, err := writes.Commit(t.Context(), store.Change{Nodes: nodes, Moves: []store.Move{{Ref: ref, To: nodes[1].ID}}})
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for i, nodes := range made {
		for {
			_, tip := asks.Tip(t.Context(), fmt.Sprintf("said/%03d", i))
			_, root := asks.Root(t.Context(), nodes[1].ID)
			for _, err := range []error{tip, root} {
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Fatalf("tree %d: %v", i, err)
				}
			}
			if tip == nil {
				break
			}
			if len(done) > 0 {
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				done <- nil
			}
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
