package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/socrates-cli/socrates/internal/store"
	"github.com/socrates-cli/socrates/internal/tree"
)

// What is listed is what a walk over everything would find, whatever is asked for; a discarded thing is in the list of the
// trash, and back where it was when it is restored.
func TestList(t *testing.T) {
	type thing struct {
		name, scope, state string
		seq                int64
		id                 tree.ID
	}
	s, tries := fresh(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		tries++
		class, things := fmt.Sprintf("c%d/", tries), []thing{}
		scopes := []string{"", "/p", "/p/sub", "/p-evil", "/q"}
		for i := range 40 { // more scopes than are gone through one by one
			scopes = append(scopes, fmt.Sprintf("/many/%d", i))
		}
		var c store.Change
		for i := range rapid.IntRange(0, 60).Draw(rt, "things") {
			x := thing{name: fmt.Sprintf("%s%d", class, i), scope: rapid.SampledFrom(scopes).Draw(rt, "scope"), state: rapid.SampledFrom([]string{"", "decided"}).Draw(rt, "state")}
			root := node("", "root")
			x.id = root.ID
			c = c.And(store.Change{Nodes: []tree.Node{root}, Moves: []store.Move{{Ref: x.name, To: root.ID, Scope: x.scope, State: x.state}}})
			things = append(things, x)
		}
		stored, err := s.Commit(t.Context(), c)
		if err != nil {
			rt.Fatal(err)
		}
		first := int64(0)
		for i, n := range stored {
			things[i].seq, first = n.Seq, stored[0].Seq
		}
		for _, back := range []bool{true, false} {
			if len(things) == 0 {
				break
			}
			i := rapid.IntRange(0, len(things)-1).Draw(rt, "discarded")
			if err := s.Discard(t.Context(), "person", tree.Ref{Name: things[i].name, Head: things[i].id}); err != nil {
				rt.Fatal(err)
			}
			if !back {
				things = slices.Delete(things, i, i+1)
			} else if err := s.Restore(t.Context(), things[i].name); err != nil {
				rt.Fatal(err)
			}
		}
		f := store.ListQuery{Class: class, State: rapid.SampledFrom([]string{"", "decided"}).Draw(rt, "of state"), Scope: rapid.SampledFrom([]string{"", "/", "/p", "/p/", "/many", "/none"}).Draw(rt, "of scope"),
			Oldest: rapid.Bool().Draw(rt, "oldest"), Most: rapid.IntRange(0, 5).Draw(rt, "most"), Before: first + rapid.Int64Range(-1, 70).Draw(rt, "before")}
		if f.Before < 0 || rapid.Bool().Draw(rt, "from the end") {
			f.Before = 0
		}
		var want []string
		for _, x := range things {
			below := strings.TrimRight(f.Scope, "/")
			if f.State != "" && x.state != f.State || below != "" && x.scope != below && !strings.HasPrefix(x.scope, below+"/") {
				continue
			}
			if f.Oldest && x.seq <= f.Before || !f.Oldest && f.Before > 0 && x.seq >= f.Before {
				continue
			}
			want = append(want, x.name)
		}
		if !f.Oldest {
			slices.Reverse(want)
		}
		if f.Most > 0 {
			want = want[:min(f.Most, len(want))]
		}
		tips, err := s.List(t.Context(), f)
		var got []string
		for _, tip := range tips {
			got = append(got, tip.Ref.Name)
		}
		if err != nil || !slices.Equal(got, want) {
			rt.Fatalf("%+v lists %v, want %v (%v)", f, got, want, err)
		}
	})
}

// No listing, no search and no look for what is not indexed goes through all there is: the database says so itself.
func TestListUsesIndexes(t *testing.T) {
	s := fresh(t)
	partial := false
	for _, plan := range store.Plans(t, s) {
		partial = partial || strings.Contains(plan, "USING INDEX ref_unknown")
		detail, _, _ := strings.Cut(plan, "\n")
		if strings.HasPrefix(detail, "SCAN ") && !strings.Contains(detail, "ref_unknown") && !strings.Contains(detail, "VIRTUAL TABLE") {
			t.Errorf("%s", plan)
		}
	}
	if !partial {
		t.Error("what is not indexed is looked for among all that is")
	}
}
