package store_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/store"
)

// TestStoresOfEarlierPrograms opens the files that the programs of each version wrote, which lie in testdata: all that was said, named
// and kept is found, listed like new, and goes on.
func TestStoresOfEarlierPrograms(t *testing.T) {
	for version := 1; version < store.Versions; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			path := unpacked(t, version)
			if s := store.OpenReadOnly(t, path); s.Writable() == nil {
				t.Error("opened to be read, it can be written to")
			} else {
				holds(t, s)
			}
			s := open(t, path, nil)
			holds(t, s)
			added := add(t, s, node("n3", "more"))
			if err := s.Move(t.Context(), "room/first", "n3", added[0].ID); err != nil {
				t.Error(err)
			}
			any := store.Shape{Firsts: map[string]store.First{"room/": {Kind: "frame"}, "tree/": {Kind: "frame"}}}
			if faults, err := s.Check(t.Context(), true, any); err != nil || len(faults) > 0 {
				t.Errorf("brought up to date: %q (%v)", faults, err)
			}
			discard(t, s, "tree/second")
			if n, err := s.Purge(t.Context(), later(), 0); n != 1 || err != nil {
				t.Errorf("%d conversations went from the trash (%v)", n, err)
			}
			keeps(t, s) // a node that its program wrote names it
		})
	}
}

func unpacked(t *testing.T, version int) string {
	t.Helper()
	packed, err := os.ReadFile(fmt.Sprintf("testdata/version%d.db.gz", version))
	if err != nil {
		t.Fatal("a store of each version is needed here, as its program wrote it: ", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	path := filepath.Join(t.TempDir(), "s.db")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// holds checks that a store has what all of those in testdata hold.
func holds(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	for name, want := range map[string]string{"room/first": "n1 n2 n3", "tree/second": "m1 m2"} {
		r, err := s.Ref(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := s.Path(ctx, r.Head)
		got := ""
		for _, n := range nodes {
			got += " " + string(n.ID)
		}
		if got != " "+want || err != nil {
			t.Errorf("%s leads to%s (%v), not %s", name, got, err, want)
		}
	}
	tips, err := s.List(ctx, store.ListQuery{Class: "room/", State: "decided", Scope: "/p"})
	if err != nil || len(tips) != 1 || tips[0].Ref.Name != "room/first" {
		t.Errorf("decided rooms of /p are %+v (%v)", tips, err)
	}
	keeps(t, s)
}

func keeps(t *testing.T, s *store.Store) {
	t.Helper()
	const kept = "a text that is kept apart"
	if text, err := s.Blob(t.Context(), fmt.Sprintf("%x", sha256.Sum256([]byte(kept)))); text != kept || err != nil {
		t.Errorf("what was kept apart is %q (%v)", text, err)
	}
}
