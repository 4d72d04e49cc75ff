package work_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// Of changes that wait together, those that are green together land at once, each as a commit that was checked. One that is red with
// another is found by halving, one that conflicts by merging; both are named with the other, and what comes after them lands.
func TestBatch(t *testing.T) {
	files := map[string]string{"a": "1", "c": "1", "x": "1\n2\n3\n"}
	text := ""
	for n, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		text += step(n+1, "Change "+name, "files: "+name+" (change)", "check: `lacks c 9`")
	}
	w := newWorld(t, files)
	w.begin(text, record.Options{Parallel: 7, Checks: [][]string{{"equal", "a", "c"}}})
	for name, changed := range map[string]map[string]string{"a": {"note-a": "1"}, "b": {"x": "1\n2\n3\n4\n"}, "c": {"a": "2", "c": "2"},
		"d": {"note-d": "1"}, "e": {"c": "12", "a": "12", "note-e": "1"}, "f": {"note-f": "1"}, "g": {"x": "1\n2\n3\n5\n"}} {
		w.agents["Change "+name+"/one"] = w.writes(changed) // none of it is in its task: each waits for a person
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	before := w.status()
	for _, task := range before.Tasks {
		if task.State != work.Person {
			t.Fatalf("%+v", task)
		}
	}
	space, err := workspace.Open(t.Context(), w.space, before.Begun.Base.Author)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r := &work.Run{Space: space, Check: w.check}
	for _, batch := range [][]string{{"1", "4"}, {"2", "3", "5", "6", "7"}} { // all of the first is green together
		if err := r.Together(ctx, w.journal(cancel), batch...); err != nil {
			t.Fatal(err)
		}
	}
	s := w.status()
	var landed []string
	for _, m := range s.Merges {
		landed = append(landed, m.Task)
	}
	if !slices.Equal(landed, []string{"1", "4", "2", "3", "6"}) {
		t.Errorf("%v have landed", landed)
	}
	for id, with := range map[string]string{"5": "3", "7": "2"} {
		if c := s.Task(id).Clash; c == nil || c.With != with || len(c.Files) == 0 {
			t.Errorf("step %s: %+v, want a clash with %s", id, c, with)
		}
	}
	green := map[string]bool{}
	for _, c := range record.CheckKind.All(w.nodes) {
		green[c.Tree] = green[c.Tree] || c.Outcome.Passed
	}
	for _, m := range s.Merges {
		if of, err := space.Tree(ctx, m.Commit); err != nil || !green[of] {
			t.Errorf("step %s landed as a tree that was not checked (%v)", m.Task, err)
		}
	}
	for check, n := range w.ran {
		if n > 1 {
			t.Errorf("%s ran %d times", check, n)
		}
	}
}

// Halving finds the change that turns the batch red, wherever it is in it; the pair is named.
func TestBatchIsHalved(t *testing.T) {
	const n, culprit = 5, 4
	w := newWorld(t, map[string]string{"a.src": "def f\n"})
	text := ""
	for i := range n {
		text += step(i+1, fmt.Sprint("Step ", i+1), fmt.Sprintf("files: own%d (new)", i+1), "check: `sound`")
		w.agents[fmt.Sprintf("Step %d/one", i+1)] = w.writes(map[string]string{fmt.Sprintf("n%d.src", i+1): "use f\n"})
	}
	w.agents["Step 1/one"] = w.writes(map[string]string{"n1.src": "def g\n"})
	w.agents[fmt.Sprintf("Step %d/one", culprit)] = w.writes(map[string]string{"twice.src": "def g\n"})
	w.begin(text, record.Options{Parallel: n})
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	before := w.status()
	space, err := workspace.Open(t.Context(), w.space, before.Begun.Base.Author)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	r := &work.Run{Space: space, Check: w.check}
	err = r.Together(ctx, w.journal(cancel), "1", "2", "3", "4", "5")
	cancel(nil)
	s := w.status()
	if err != nil || len(s.Merges) != n-1 {
		t.Fatalf("%v %d merges", err, len(s.Merges))
	}
	if c := s.Task(fmt.Sprint(culprit)).Clash; c == nil || c.With != "1" || !slices.Equal(c.Check, []string{"sound"}) {
		t.Errorf("step %d: %+v", culprit, c)
	}
}
