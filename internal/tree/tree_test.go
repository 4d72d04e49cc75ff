package tree_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/tree"
)

type said struct {
	Text string `json:"text"`
}

const (
	saidKind tree.Kind[said] = "said"
	numKind  tree.Kind[int]  = "num"
)

func TestIDsSortByTheirMillisecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		last := tree.NewID()
		for range 1000 {
			time.Sleep(time.Millisecond)
			id := tree.NewID()
			if len(id) != 26 || id <= last || !tree.CleanName(string(id)) {
				t.Fatalf("%s after %s", id, last)
			}
			last = id
		}
	})
	seen := map[tree.ID]bool{}
	for range 10_000 {
		seen[tree.NewID()] = true
	}
	if len(seen) != 10_000 {
		t.Errorf("%d different ids of 10,000", len(seen))
	}
}

func TestKind(t *testing.T) {
	n := saidKind.New("", "person", said{"hello"})
	if n.Kind != "said" || n.Seq != 0 || n.At.Location() != time.UTC || string(n.Body) != `{"text":"hello"}` {
		t.Errorf("%+v", n)
	}
	if body, ok := saidKind.Of(n); !ok || body.Text != "hello" {
		t.Errorf("%+v %v", body, ok)
	}
	if _, ok := numKind.Of(n); ok {
		t.Error("a node was read as another kind")
	}
	torn := n
	torn.Body = json.RawMessage(`{"text":`)
	if _, ok := saidKind.Of(torn); ok {
		t.Error("a torn body was read")
	}
	torn.Body = json.RawMessage("null")
	if _, ok := saidKind.Of(torn); ok {
		t.Error("null was read as a body")
	}
	if all := saidKind.All([]tree.Node{n, torn, numKind.New("", "code", 1), n}); len(all) != 2 {
		t.Errorf("%v", all)
	}
	raw, err := json.Marshal(n)
	var back tree.Node
	if err != nil || json.Unmarshal(raw, &back) != nil || !reflect.DeepEqual(n, back) {
		t.Errorf("%s %v", raw, err)
	}
}

func TestPath(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		nodes := []tree.Node{numKind.New("", "code", 0)}
		for i := range rapid.IntRange(0, 40).Draw(r, "more") {
			nodes = append(nodes, numKind.New(rapid.SampledFrom(nodes).Draw(r, "parent").ID, "code", i+1))
		}
		leaf := rapid.SampledFrom(nodes).Draw(r, "leaf")
		mixed := append([]tree.Node(nil), nodes...)
		rand.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		path, ok := tree.Path(mixed, leaf.ID)
		if !ok || path[0].Parent != "" || path[len(path)-1].ID != leaf.ID {
			r.Fatalf("%v %v", path, ok)
		}
		for i := range path[1:] {
			if path[i+1].Parent != path[i].ID {
				r.Fatalf("link %d is broken", i)
			}
		}
		if _, ok := tree.Path(nodes[1:], leaf.ID); ok {
			r.Fatal("a path without its root")
		}
	})
	a, b := numKind.New("", "code", 1), numKind.New("", "code", 2)
	a.Parent, b.Parent = b.ID, a.ID
	if _, ok := tree.Path([]tree.Node{a, b}, a.ID); ok {
		t.Error("a circle has no path")
	}
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]bool{"calm-heron-7": true, "": false, "a/b": false, "..": false, "A": false, "ü": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if tree.CleanName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
