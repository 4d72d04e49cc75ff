package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// begun puts a tree with two nodes into a store, under a ref.
func begun(t *testing.T, s *store.Store, ref, dir, word string) (root, leaf tree.Node) {
	t.Helper()
	body := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	ctx := t.Context()
	first, second := tree.NewID(), tree.NewID()
	nodes, err := s.AppendTo(ctx, ref, "", first, tree.Node{ID: first, Kind: "tree", By: "person", Body: body(map[string]string{"dir": dir})})
	if err != nil {
		t.Fatal(err)
	}
	root = nodes[0]
	more, err := s.AppendTo(ctx, ref, root.ID, second, tree.Node{ID: second, Parent: root.ID, Kind: "say", By: "person", Body: body(map[string]string{"text": word,
		"space": "/ws/" + word})})
	if err != nil {
		t.Fatal(err)
	}
	return root, more[0]
}

// Whoever does not see a folder finds nothing of it in any way that leads to a node.
func TestHidden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	ctx := t.Context()
	all, err := store.Open(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	shown, _ := begun(t, all, "tree/shown", "/p/open", "apples")
	near, _ := begun(t, all, "tree/near", "/p/secrets", "pears")
	begun(t, all, "run/own", "/p/secret/sub", "plums")
	begun(t, all, "tree/above", "/p", "figs") // its files are those of /p/secret, too
	begun(t, all, "tree/top", "/", "dates")
	begun(t, all, "tree/nowhere", "", "limes")
	begun(t, all, "tree/task", "/ws/plums/tasks/1", "cherries")
	hidden, leaf := begun(t, all, "tree/hidden", "/p/secret", "grapes")
	some, err := store.OpenFor(ctx, path, nil, store.Reader{Name: "ann", Hidden: []string{"/p/secret/"}, Kind: "say", Field: "space"})
	if err != nil {
		t.Fatal(err)
	}
	defer some.Close()
	names := func(s *store.Store) (out []string) {
		for _, prefix := range []string{"run/", "tree/"} {
			list, err := s.Names(ctx, prefix, 10)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, list...)
		}
		return out
	}
	if got := names(some); !slices.Equal(got, []string{"tree/near", "tree/nowhere", "tree/shown"}) {
		t.Errorf("it lists %v", got)
	}
	if got := names(all); len(got) != 8 {
		t.Errorf("the whole store lists %v", got)
	}
	if _, err := some.Tip(ctx, "tree/hidden"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its tip: %v", err)
	}
	if _, err := some.Ref(ctx, "tree/hidden"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its ref: %v", err)
	}
	for what, id := range map[string]tree.ID{"root": hidden.ID, "leaf": leaf.ID} {
		if n, err := some.Node(ctx, id); err == nil {
			t.Errorf("its %s is read: %s", what, n.Body)
		}
		if _, err := some.Path(ctx, id); err == nil {
			t.Errorf("the way to its %s is read", what)
		}
		if known, err := some.Any(ctx, []tree.ID{id}); err != nil || known {
			t.Errorf("its %s is known: %v", what, err)
		}
	}
	if _, err := some.Tree(ctx, hidden.ID); err == nil {
		t.Error("its tree is read")
	}
	if _, err := some.LastOf(ctx, hidden.ID, "say"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its last: %v", err)
	}
	var seen []tree.ID
	for n, err := range some.Since(ctx, 0, "") {
		if err != nil {
			t.Fatal(err)
		}
		if n.Parent == "" {
			seen = append(seen, n.ID)
		}
	}
	if len(seen) != 3 || seen[0] != shown.ID || seen[1] != near.ID {
		t.Errorf("it follows %v", seen)
	}
	if n, err := some.LastOf(ctx, shown.ID, "say"); err != nil || n.Parent != shown.ID {
		t.Errorf("what is shown: %v", err)
	}
	enter(t, all, store.Indexed{Node: leaf.ID, Scope: "/p/secret", Body: "grapes"})
	if hits, err := some.Search(ctx, store.Query{Text: "grapes", Limit: 5}); err != nil || len(hits) != 0 {
		t.Errorf("it finds %v, %v", hits, err)
	}
	if hits, err := all.Search(ctx, store.Query{Text: "grapes", Limit: 5}); err != nil || len(hits) != 1 {
		t.Errorf("the whole store finds %v, %v", hits, err)
	}
	for ref, there := range map[string]bool{"tree/hidden": false, "tree/shown": true} {
		hash, err := all.PutBlob(ctx, "a long text of "+ref)
		if err != nil {
			t.Fatal(err)
		}
		at, err := all.Ref(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := json.Marshal(map[string]string{"text": hash})
		if _, err := all.Append(ctx, tree.Node{ID: tree.NewID(), Parent: at.Head, Kind: "say", By: "person", Body: body}); err != nil {
			t.Fatal(err)
		}
		if _, err := some.Blob(ctx, hash); (err == nil) != there {
			t.Errorf("the text of %s: %v", ref, err)
		}
	}
	if n, _ := begun(t, some, "tree/anns", "/p/open", "kiwis"); n.By != "person:ann" {
		t.Errorf("what ann says is by %s", n.By)
	}
	if name, ok := tree.ByPerson("person:ann"); name != "ann" || !ok {
		t.Errorf("%s %v", name, ok)
	}
	late, _ := begun(t, all, "tree/late", "/p/secret/later", "figs")
	if _, err := some.Root(context.WithoutCancel(ctx), late.ID); err == nil {
		t.Error("what begins later is read")
	}
}
