package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

type said struct {
	Text string `json:"text"`
}

const saidKind tree.Kind[said] = "said"

func node(parent tree.ID, text string) tree.Node { return saidKind.New(parent, "person", said{text}) }

func open(t testing.TB, path string, clean func(string) string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, clean)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fresh(t testing.TB) *store.Store { return open(t, filepath.Join(t.TempDir(), "s.db"), nil) }

func add(t testing.TB, s *store.Store, nodes ...tree.Node) []tree.Node {
	t.Helper()
	out, err := s.Append(context.Background(), nodes...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func since(t testing.TB, s *store.Store, seq int64, root tree.ID) []tree.Node {
	t.Helper()
	var out []tree.Node
	for n, err := range s.Since(context.Background(), seq, root) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestAppendAllOrNone(t *testing.T) {
	root := node("", "root")
	broken := func(body string) tree.Node { n := node(root.ID, "x"); n.Body = json.RawMessage(body); return n }
	for name, bad := range map[string]tree.Node{
		"unknown parent": node(tree.NewID(), "x"), "same id twice": root,
		"no body": broken(""), "torn body": broken(`{"text": "to`), "two bodies": broken(`{} {}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			woken := 0
			add(t, s, root)
			s.OnCommit(func() { woken++ })
			if out, err := s.Append(t.Context(), node(root.ID, "good"), bad, node(root.ID, "later")); err == nil {
				t.Fatalf("stored %v", out)
			}
			if got := since(t, s, 0, ""); len(got) != 1 || woken != 0 {
				t.Errorf("%d nodes, woken %d times", len(got), woken)
			}
			if got := add(t, s, node(root.ID, "after")); got[0].Seq <= 1 || woken != 1 {
				t.Errorf("afterwards %+v, woken %d times", got, woken)
			}
		})
	}
	t.Run("parent later in the call", func(t *testing.T) {
		s := fresh(t)
		parent := node("", "p")
		if _, err := s.Append(t.Context(), node(parent.ID, "c"), parent); err == nil {
			t.Error("a child before its parent was stored")
		}
		add(t, s, parent, node(parent.ID, "c"))
	})
	t.Run("cancelled", func(t *testing.T) {
		s := fresh(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Append(ctx, node("", "x")); !errors.Is(err, context.Canceled) || len(since(t, s, 0, "")) != 0 {
			t.Errorf("%v", err)
		}
	})
}

// TestAgainstModel compares the store with lists in memory, whatever is appended in whatever order.
func TestAgainstModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		path := filepath.Join(dir, string(tree.NewID()), "s.db")
		s, err := store.Open(context.Background(), path, nil)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		var all []tree.Node
		rootOf := map[tree.ID]tree.ID{"": ""}
		for range rapid.IntRange(1, 6).Draw(r, "appends") {
			var batch []tree.Node
			for range rapid.IntRange(1, 5).Draw(r, "batch") {
				parents := []tree.ID{""}
				for _, n := range append(all[:len(all):len(all)], batch...) {
					parents = append(parents, n.ID)
				}
				n := node(rapid.SampledFrom(parents).Draw(r, "parent"), rapid.String().Draw(r, "text"))
				rootOf[n.ID] = rootOf[n.Parent]
				if n.Parent == "" {
					rootOf[n.ID] = n.ID
				}
				batch = append(batch, n)
			}
			stored, err := s.Append(context.Background(), batch...)
			if err != nil {
				r.Fatal(err)
			}
			all = append(all, stored...)
		}
		for i, n := range all {
			if i > 0 && n.Seq <= all[i-1].Seq {
				r.Fatalf("seq %d after %d", n.Seq, all[i-1].Seq)
			}
			want, _ := tree.Path(all, n.ID)
			if got, err := s.Path(context.Background(), n.ID); err != nil || !reflect.DeepEqual(got, want) {
				r.Fatalf("path of %s: %v %v", n.ID, got, err)
			}
		}
		check := func(what string, got []tree.Node, keep func(tree.Node) bool) {
			var want []tree.Node
			for _, n := range all {
				if keep(n) {
					want = append(want, n)
				}
			}
			if !reflect.DeepEqual(got, want) {
				r.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		pick := rapid.SampledFrom(all).Draw(r, "pick")
		root := rootOf[pick.ID]
		inTree := func(n tree.Node) bool { return rootOf[n.ID] == root }
		nodes, err := s.Tree(context.Background(), root)
		if err != nil {
			r.Fatal(err)
		}
		check("tree", nodes, inTree)
		collect := func(root tree.ID) (out []tree.Node) {
			for n, err := range s.Since(context.Background(), pick.Seq, root) {
				if err != nil {
					r.Fatal(err)
				}
				out = append(out, n)
			}
			return out
		}
		check("since", collect(""), func(n tree.Node) bool { return n.Seq > pick.Seq })
		check("since in tree", collect(root), func(n tree.Node) bool { return n.Seq > pick.Seq && inTree(n) })
		if got, err := s.Root(context.Background(), pick.ID); err != nil || got.ID != root {
			r.Fatalf("root %v %v", got, err)
		}
		if got, err := s.Find(context.Background(), root, string(pick.ID[6:])); err != nil || got.ID != pick.ID {
			r.Fatalf("find %v %v", got, err)
		}
	})
}

func TestMoveComparesAndSwaps(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	a, b := node("", "a"), node("", "b")
	add(t, s, a, b)
	for i, step := range []struct {
		from, to tree.ID
		ok       bool
		head     tree.ID
	}{
		{b.ID, a.ID, false, ""}, {"", a.ID, true, a.ID}, {"", b.ID, false, a.ID}, {b.ID, b.ID, false, a.ID},
		{a.ID, tree.NewID(), false, a.ID}, {a.ID, b.ID, true, b.ID}, {a.ID, a.ID, false, b.ID},
	} {
		err := s.Move(ctx, "room/x", step.from, step.to)
		ref, _ := s.Ref(ctx, "room/x")
		if (err == nil) != step.ok || ref.Head != step.head {
			t.Errorf("step %d: %v, head %s", i, err, ref.Head)
		}
	}
	if err := s.Move(ctx, "room/x", a.ID, b.ID); !errors.Is(err, store.ErrMoved) {
		t.Errorf("%v", err)
	}
	if err := s.Move(ctx, "session/y", "", a.ID); err != nil {
		t.Fatal(err)
	}
	if refs, err := s.Tips(ctx, "room/"); err != nil || len(refs) != 1 || refs[0].Ref.Name != "room/x" || refs[0].Head.ID != b.ID || refs[0].Root.ID != b.ID {
		t.Errorf("%v %v", refs, err)
	}
	if refs, err := s.Tips(ctx, ""); err != nil || len(refs) != 2 {
		t.Errorf("%v %v", refs, err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	root := node("", "r")
	add(t, s, root)
	for name, ask := range map[string]func() error{
		"path": func() error { _, err := s.Path(ctx, tree.NewID()); return err },
		"node": func() error { _, err := s.Node(ctx, ""); return err },
		"root": func() error { _, err := s.Root(ctx, tree.NewID()); return err },
		"ref":  func() error { _, err := s.Ref(ctx, "room/none"); return err },
		"blob": func() error { _, err := s.Blob(ctx, strings.Repeat("0", 64)); return err },
		"find": func() error { _, err := s.Find(ctx, root.ID, "%"+string(root.ID[20:])); return err },
	} {
		if err := ask(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBlobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, func(s string) string { return strings.ReplaceAll(s, "secret", "[gone]") })
	ctx := t.Context()
	one, err := s.PutBlob(ctx, "a secret")
	two, err2 := s.PutBlob(ctx, "a [gone]")
	if err != nil || err2 != nil || one != two {
		t.Fatalf("%s %s %v %v", one, two, err, err2)
	}
	if text, err := s.Blob(ctx, one); text != "a [gone]" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	add(t, s, node("", one))
	db := raw(t, path)
	var count int
	if err := db.QueryRow("SELECT count(*) FROM blob").Scan(&count); err != nil || count != 1 {
		t.Errorf("%d blobs, %v", count, err)
	}
	if _, err := db.Exec("UPDATE blob SET data = CAST('other' AS BLOB)"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Blob(ctx, one)
	if e, ok := errors.AsType[*store.Error](err); !ok || e.Hint == "" || !strings.Contains(err.Error(), "changed on disk") {
		t.Errorf("a damaged text: %v", err)
	}
}

// What JSON escapes is cleaned as what it means, keys too; all else keeps its bytes and its numbers their digits.
func TestBodiesAreCleaned(t *testing.T) {
	clean := strings.NewReplacer("\x1b[2J", "", "a&b\"c", "[gone]").Replace
	s := open(t, filepath.Join(t.TempDir(), "s.db"), clean)
	for body, want := range map[string]string{
		`{"a": 1,  "b": "plain"}`:                    `{"a": 1,  "b": "plain"}`,
		`{"a":"x\u001b[2Jy"}`:                        `{"a":"xy"}`,
		`["the key a\u0026b\"c"]`:                    `["the key [gone]"]`,
		`{"a\u001b[2J":[{"b":"a&b\"c"}]}`:            `{"a":[{"b":"[gone]"}]}`,
		`{"n":18446744073709551615,"t":"\u001b[2J"}`: `{"n":18446744073709551615,"t":""}`,
		`"a&b\"c"`: `"[gone]"`,
	} {
		n := node("", "")
		n.Body = json.RawMessage(body)
		add(t, s, n)
		if got, err := s.Node(t.Context(), n.ID); err != nil || string(got.Body) != want {
			t.Errorf("%s: %s, want %s (%v)", body, got.Body, want, err)
		}
	}
}

func TestRefusesWhatItCannotUse(t *testing.T) {
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	open(t, newer, nil).Close()
	if _, err := raw(t, newer).Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	noise := filepath.Join(dir, "noise.db")
	if err := os.WriteFile(noise, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{newer: "newer socrates", noise: "not a socrates store", filepath.Join(dir, "folder"): "folder", filepath.Join(noise, "s.db"): "noise"} {
		before, _ := os.ReadFile(path)
		s, err := store.Open(t.Context(), path, nil)
		if err == nil {
			s.Close()
			t.Errorf("%s was opened", path)
			continue
		}
		if after, _ := os.ReadFile(path); !strings.Contains(err.Error(), want) || string(after) != string(before) {
			t.Errorf("%s: %v, want %q and an untouched file", path, err, want)
		}
	}
	if _, err := store.Open(t.Context(), newer, nil); !errors.Is(err, store.ErrNewer) {
		t.Errorf("%v", err)
	}
}

// Any name is a file's name, none is an option of the database.
func TestPathsAreTakenLiterally(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a b.db", "x?mode=memory.db", "100%25.db", "a#b.db", "ü.db"} {
		if strings.ContainsAny(name, "?") && os.PathSeparator == '\\' {
			continue
		}
		path := filepath.Join(dir, fmt.Sprint(i), name)
		s := open(t, path, nil)
		add(t, s, node("", "x"))
		info, err := os.Stat(path)
		if err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		if s.File() != path {
			t.Errorf("File is %s", s.File())
		}
	}
}

// Callers who write at once share transactions: each gets its own nodes, its own error, and nobody else's.
func TestAppendAtOnce(t *testing.T) {
	s := fresh(t)
	root := add(t, s, node("", "root"))[0]
	const callers, times = 20, 10
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			for j := range times {
				hash, err := s.PutBlob(t.Context(), fmt.Sprintf("text %d %d", i, j))
				if err != nil {
					t.Error(err)
				}
				good, bad := node(root.ID, hash), node(tree.NewID(), "an orphan")
				ctx, cancel := context.WithCancel(t.Context())
				switch i % 4 {
				case 0:
					if _, err := s.Append(ctx, good, bad); err == nil || !strings.Contains(err.Error(), "not in the store") {
						t.Errorf("an orphan: %v", err)
					}
				case 1:
					cancel()
					if _, err := s.Append(ctx, good); !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled: %v", err)
					}
				default:
					out, err := s.Append(ctx, good, node(good.ID, "below"))
					if err != nil || len(out) != 2 || out[0].ID != good.ID || out[1].Seq != out[0].Seq+1 {
						t.Errorf("%+v %v", out, err)
					}
				}
				cancel()
			}
		})
	}
	wait.Wait()
	if got := since(t, s, root.Seq, ""); len(got) != callers/2*times*2 {
		t.Errorf("%d nodes, want %d", len(got), callers/2*times*2)
	}
}

// TestTextsAreForgotten: a process that writes texts for weeks does not remember all of their names.
func TestTextsAreForgotten(t *testing.T) {
	if day, month := store.Remembered(24), store.Remembered(30*24); day == 0 || month > 2*day {
		t.Errorf("after a day %d texts are remembered, after a month %d", day, month)
	}
}

// A text is there at once for its own process, and for others no later than the node that names it.
func TestTextsComeWithTheirNode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	one, two := open(t, path, nil), open(t, path, nil)
	hash, err := one.PutBlob(t.Context(), "a text")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := one.Blob(t.Context(), hash); text != "a text" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if _, err := one.Append(t.Context(), node(tree.NewID(), "refused")); err == nil {
		t.Error("an orphan was stored")
	}
	add(t, one, node("", hash))
	if text, err := two.Blob(t.Context(), hash); text != "a text" || err != nil {
		t.Errorf("elsewhere %q %v", text, err)
	}
	last, err := one.PutBlob(t.Context(), "the last text")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := two.Blob(t.Context(), last); text != "the last text" || err != nil {
		t.Errorf("after Close %q %v", text, err)
	}
}

// Nodes and the name they go under are stored both or neither.
func TestAppendTo(t *testing.T) {
	s := fresh(t)
	root, other := node("", "root"), node("", "other")
	if _, err := s.AppendTo(t.Context(), "room/x", "", root.ID, root); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendTo(t.Context(), "room/x", "", other.ID, other); !errors.Is(err, store.ErrMoved) {
		t.Errorf("%v", err)
	}
	if _, err := s.AppendTo(t.Context(), "room/x", root.ID, other.ID, node(tree.NewID(), "orphan"), other); err == nil {
		t.Error("an orphan was stored")
	}
	ref, err := s.Ref(t.Context(), "room/x")
	if got := since(t, s, 0, ""); err != nil || len(got) != 1 || ref.Head != root.ID {
		t.Errorf("%d nodes, head %s, %v", len(got), ref.Head, err)
	}
	if all, err := s.Refs(t.Context(), "room/", ""); err != nil || len(all) != 1 || all[0].Name != "room/x" || all[0].Head != root.ID {
		t.Errorf("refs %+v, %v", all, err)
	}
	child := node(root.ID, "child")
	if _, err := s.AppendTo(t.Context(), "room/x", root.ID, child.ID, child); err != nil {
		t.Error(err)
	}
}

// What is said is not taken for kept once the file is gone: it would be lost with the process.
func TestDeletedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path, nil)
	add(t, s, node("", "kept"))
	if err := os.Remove(path); err != nil {
		t.Skip("an open file cannot be deleted here")
	}
	for _, put := range []func() error{func() error { return nil }, func() error { return os.WriteFile(path, nil, 0o600) }} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		_, err := s.Append(context.Background(), node("", "lost"))
		if e, ok := errors.AsType[*store.Error](err); !ok || !strings.Contains(e.Message, "deleted or replaced") {
			t.Errorf("%v", err)
		}
	}
}
