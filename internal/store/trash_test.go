package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// later is when everything in the trash has expired.
func later() time.Time { return time.Now().Add(time.Hour) }

// grown is a tree with a trunk, two branches with refs, and a leaf beside the first:
// root - trunk - a1 - a2 (a), a1 - side; trunk - b1 (b).
func grown(t testing.TB, s *store.Store) map[string]tree.Node {
	t.Helper()
	n := map[string]tree.Node{}
	grow := func(name, parent string) { n[name] = node(n[parent].ID, name) }
	grow("root", "")
	grow("trunk", "root")
	grow("a1", "trunk")
	grow("a2", "a1")
	grow("side", "a1")
	grow("b1", "trunk")
	add(t, s, n["root"], n["trunk"], n["a1"], n["a2"], n["side"], n["b1"])
	for ref, at := range map[string]string{"tree/a": "a2", "tree/b": "b1"} {
		if err := s.Move(context.Background(), ref, "", n[at].ID); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// left are the texts of the nodes that are in the store, in order.
func left(t testing.TB, s *store.Store) string {
	t.Helper()
	var out []string
	for _, n := range since(t, s, 0, "") {
		if x, ok := saidKind.Of(n); ok {
			out = append(out, x.Text)
		} else {
			out = append(out, n.Kind)
		}
	}
	return strings.Join(out, " ")
}

func discard(t testing.TB, s *store.Store, names ...string) {
	t.Helper()
	var refs []tree.Ref
	for _, name := range names {
		r, err := s.Ref(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, r)
	}
	if err := s.Discard(context.Background(), "person", refs...); err != nil {
		t.Fatal(err)
	}
}

func TestPurgeLeavesWhatOthersLeadTo(t *testing.T) {
	for name, c := range map[string]struct {
		gone []string
		left string
	}{
		"a branch":       {[]string{"tree/a"}, "root trunk b1"},
		"another branch": {[]string{"tree/b"}, "root trunk a1 a2 side"},
		"all":            {[]string{"tree/a", "tree/b"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := context.Background(), fresh(t)
			n := grown(t, s)
			discard(t, s, c.gone...)
			if n, err := s.Purge(ctx, time.Now().Add(-time.Hour), 0); n != 0 || err != nil {
				t.Fatalf("%d went before their time, %v", n, err)
			}
			ended, end := context.WithCancel(ctx)
			end()
			if _, err := s.Purge(ended, later(), 0); !errors.Is(err, context.Canceled) {
				t.Fatalf("a purge that could not look says %v", err)
			}
			if n, err := s.Purge(ctx, later(), 0); n != len(c.gone) || err != nil {
				t.Errorf("%d refs went, %v", n, err)
			}
			if got := left(t, s); got != c.left {
				t.Errorf("left: %q", got)
			}
			if _, err := s.Append(ctx, node(n["a1"].ID, "late")); (err == nil) != strings.Contains(c.left, "a1") {
				t.Errorf("a node below one that may be gone: %v", err)
			}
			if err := s.Restore(ctx, c.gone...); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("restore of what is gone: %v", err)
			}
		})
	}
}

func TestRestore(t *testing.T) {
	ctx, s := context.Background(), fresh(t)
	n := grown(t, s)
	discard(t, s, "tree/a", "tree/b")
	if _, err := s.Ref(ctx, "tree/a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a discarded ref: %v", err)
	}
	if err := s.Restore(ctx, "tree/a", "tree/c"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("restore of what never was: %v", err)
	}
	if err := s.Restore(ctx, "tree/a", "tree/b"); err != nil {
		t.Fatal(err)
	}
	for ref, at := range map[string]string{"tree/a": "a2", "tree/b": "b1"} {
		if r, err := s.Ref(ctx, ref); err != nil || r.Head != n[at].ID {
			t.Errorf("%s points at %s, %v", ref, r.Head, err)
		}
	}
	if n, err := s.Purge(ctx, later(), 0); n != 0 || err != nil {
		t.Errorf("%d restored refs went, %v", n, err)
	}
	old := tree.Ref{Name: "tree/a", Head: n["a1"].ID}
	if err := s.Discard(ctx, "person", tree.Ref{Name: "tree/b", Head: n["b1"].ID}, old); !errors.Is(err, store.ErrMoved) {
		t.Errorf("a ref that points elsewhere was discarded: %v", err)
	}
	if _, err := s.Ref(ctx, "tree/b"); err != nil {
		t.Errorf("half of it was done: %v", err)
	}
	discard(t, s, "tree/a")
	if err := s.Move(ctx, "tree/a", "", n["b1"].ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, "tree/a"); !errors.Is(err, store.ErrMoved) {
		t.Errorf("a name that is taken: %v", err)
	}
}

// TestPurgeOfTexts: a text goes with the last node that names it, unless it was put a short while ago, and is not to be
// found in the file then. What an entry is found by goes at once.
func TestPurgeOfTexts(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, nil)
	hashes := map[string]string{}
	for _, text := range []string{"mine alone " + strings.Repeat("quagga ", 2000), "shared", "young"} {
		h, err := s.PutBlob(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		hashes[strings.Fields(text)[0]] = h
	}
	n, other := node("", hashes["mine"]+" "+hashes["shared"]+" "+hashes["young"]+" okapi"), node("", hashes["shared"])
	if _, err := s.Commit(ctx, store.Change{Nodes: []tree.Node{n, other}, Moves: []store.Move{{Ref: "x", To: n.ID}},
		Index: []store.Indexed{{Node: n.ID, Title: "okapi"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, path+"?_pragma=secure_delete(1)").Exec("UPDATE blob SET at = 0 WHERE hash <> ?", hashes["young"]); err != nil {
		t.Fatal(err)
	}
	discard(t, s, "x")
	if got := search(t, s, store.Query{Text: "okapi", Limit: 9}); got != "" {
		t.Errorf("found in the trash: %s", got)
	}
	if count, err := s.Purge(ctx, later(), 0); count != 1 || err != nil {
		t.Fatal(count, err)
	}
	for name, there := range map[string]bool{"mine": false, "shared": true, "young": true} {
		if _, err := s.Blob(ctx, hashes[name]); (err == nil) != there {
			t.Errorf("text %s: %v", name, err)
		}
	}
	s.Close()
	for _, file := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(file)
		for _, word := range []string{"quagga", "okapi"} {
			if err == nil && bytes.Contains(data, []byte(word)) {
				t.Errorf("%s still holds %s", filepath.Base(file), word)
			}
		}
	}
}
