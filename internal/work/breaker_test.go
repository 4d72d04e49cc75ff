package work_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// A provider that cannot be reached is tried three times in a row and then gets no more steps: another one does them, or the run is paused
// with the reason, and no step counts as failed. Who resumes it asks again.
func TestAwayProvider(t *testing.T) {
	text, asked := "", map[string]int{}
	files := map[string]string{}
	for i := 1; i <= 6; i++ {
		name := fmt.Sprintf("f%d.txt", i)
		files[name] = "old\n"
		text += step(i, fmt.Sprint("Change ", i), "files: "+name+" (change)", "check: `has "+name+" better`")
	}
	begin := func(executors ...string) *world {
		w := newWorld(t, files)
		for i := 1; i <= 6; i++ {
			right := w.writes(map[string]string{fmt.Sprintf("f%d.txt", i): "better\n"})
			w.agents[fmt.Sprintf("Change %d/other:b", i)] = right
			for _, e := range []string{"vendor:a", "vendor:c"} {
				w.agents[fmt.Sprintf("Change %d/%s", i, e)] = func(j work.Job, n int) work.Report {
					if asked[e]++; !slices.Contains(executors, "back") {
						return work.Report{Failed: "the account has nothing left", Away: true}
					}
					return right(j, n)
				}
			}
		}
		w.begin(text, record.Options{Executors: slices.DeleteFunc(slices.Clone(executors), func(e string) bool { return e == "back" }), Parallel: 1})
		return w
	}
	w := begin("vendor:a")
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	s := w.status()
	if s.State != work.Paused || asked["vendor:a"] != 3 || !strings.Contains(s.Halted, "vendor failed 3 times in a row: the account has nothing left") {
		t.Errorf("%s after %d tries: %s", s.State, asked["vendor:a"], s.Halted)
	}
	for _, u := range s.Tasks {
		if u.State == work.Failed {
			t.Errorf("step %s failed: %v", u.ID, u.Why)
		}
		w.agents["Change "+u.ID+"/vendor:a"] = w.writes(map[string]string{"f" + u.ID + ".txt": "better\n"})
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s = w.status(); s.State != work.Done || s.Halted != "" {
		t.Errorf("resumed: %s %s", s.State, s.Halted)
	}
	clear(asked)
	w = begin("vendor:a", "vendor:c", "other:b")
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s = w.status(); s.State != work.Done || asked["vendor:a"]+asked["vendor:c"] != 3 {
		t.Errorf("%s, asked %v", s.State, asked)
	}
}
