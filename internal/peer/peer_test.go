package peer

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

func TestPeers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "growing")
	clean := func(s string) string { return strings.ReplaceAll(s, "secret", "…") }
	one, two := In(dir, clean), In(dir, clean)
	grown := map[tree.ID]feed.Snapshot{"a": {Of: "a", State: "writing", Text: "the secret is"}}
	if one.Tell(grown) {
		t.Error("it was told, though nobody listens")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written though nobody listens")
	}
	stop := two.Listen()
	if !one.Tell(grown) {
		t.Error("it was not told")
	}
	want := map[tree.ID]feed.Snapshot{"a": {Of: "a", State: "writing", Text: "the … is"}}
	for range 2 {
		if got := two.Others(); !maps.Equal(got, want) {
			t.Errorf("heard %+v", got)
		}
	}
	if got := one.Others(); len(got) > 0 {
		t.Errorf("it hears itself: %+v", got)
	}
	if !one.Tell(nil) {
		t.Error("that nothing grows needs nobody to hear it")
	}
	if got := two.Others(); len(got) > 0 {
		t.Errorf("it is over, and still heard: %+v", got)
	}
	one.Tell(grown)
	stop()
	one.Leave()
	two.Leave()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// What a process left that was killed is not heard, and is taken away.
func TestPeersDead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dead.lock", "dead.ear", "dead.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"a":{"of":"a","text":"long ago"}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := In(dir, strings.Clone)
	if got := p.Others(); len(got) > 0 {
		t.Errorf("heard %+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
