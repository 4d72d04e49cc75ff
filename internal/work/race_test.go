package work_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
	"github.com/socrates-cli/socrates/internal/work/workspace"
)

// raced is a run of one step that four executors race: one lies, one leaves its files, two do it, one of them better. What depends on it
// comes after.
func raced(t *testing.T) *world {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.begin(step(1, "Change a", "files: a.txt (change)", "check: `has a.txt better`", "race: 4")+
		step(2, "Change b", "files: b.txt (change)", "depends on: 1", "check: `has b.txt better`"),
		record.Options{Executors: []string{"good", "best", "liar", "stray"}, Judge: "judge"})
	w.agents["Change a/good"] = w.writes(map[string]string{"a.txt": "a better\n"})
	w.agents["Change a/best"] = w.writes(map[string]string{"a.txt": "a even better\n"})
	w.agents["Change a/liar"] = func(work.Job, int) work.Report { return work.Report{Said: "Done."} }
	w.agents["Change a/stray"] = w.writes(map[string]string{"a.txt": "a better\n", "b.txt": "mine\n"})
	w.agents["Change b/good"] = w.writes(map[string]string{"b.txt": "b better\n"})
	w.agents["judge"] = func(j work.Job, _ int) work.Report {
		if strings.Contains(j.Text, "good") || strings.Contains(j.Text, "trial") {
			t.Error("the judge was told who made a change")
		}
		before, _, _ := strings.Cut(j.Text, "even better")
		return work.Report{Said: fmt.Sprintf("- best: %c\n- because: it is even better\n", before[strings.LastIndex(before, "## Change ")+len("## Change ")])}
	}
	return w
}

// The best change of a race is merged, whichever place it was shown in; the work of the others stays in the run, and after a kill
// nothing is done twice.
func TestRace(t *testing.T) {
	whole := raced(t)
	if err := whole.run(); err != nil {
		t.Fatal(err)
	}
	s := whole.status()
	first := s.Task("1")
	if s.State != work.Done || whole.at("a.txt") != "a even better" || len(first.Racers) != 4 || !first.Racers[1].Chosen || first.Executor != "best" {
		t.Fatalf("%s %+v", s.State, s.Tasks)
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: true, 4: true, 5: false} {
		if _, _, ok := first.Brought(n); ok != want {
			t.Errorf("attempt %d brought something: %v", n, ok)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(whole.space, "tasks")); len(left) != 1 || left[0].Name() != "trial-1-4" {
		t.Errorf("workspaces are left: %v", left)
	}
	rechecked(t, whole)
	every := 30
	if os.Getenv("SOCRATES_STRESS") != "" {
		every = 1
	}
	for dies := 11; dies < len(whole.nodes); dies += every {
		t.Run(fmt.Sprint(dies), func(t *testing.T) {
			t.Parallel()
			w := raced(t)
			if w.dies = dies; w.run() == nil {
				t.Fatal("it was not killed")
			}
			w.dies = 0
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			s := w.status()
			if s.State != work.Done || w.at("a.txt") != "a even better" || len(s.Merges) != 2 || s.Task("1").Executor != "best" {
				t.Errorf("%s %+v", s.State, s.Tasks)
			}
			if extra := len(w.asked) - len(whole.asked); extra > 4 {
				t.Errorf("%d answers were asked for again; only those of the racers at work may be", extra)
			}
		})
	}
}

// rechecked computes a run again from its record, as it is and with one thing changed in it.
func rechecked(t *testing.T, w *world) {
	t.Helper()
	check := func(from, to string) (wrong []string) {
		j := w.journal(func(error) {})
		for i, n := range j.Nodes {
			j.Nodes[i].Body = []byte(strings.Replace(string(n.Body), from, to, 1))
		}
		space, err := workspace.Open(t.Context(), w.space, [2]string{"a", "a"})
		if err != nil {
			t.Fatal(err)
		}
		found, err := (&work.Run{Space: space}).Recheck(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if len(f.Wrong) > 0 {
				wrong = append(wrong, f.What)
			}
		}
		return wrong
	}
	s := w.status()
	for name, c := range map[string]struct{ from, to, want string }{
		"untouched":    {"", "", "[]"},
		"a plan":       {`"title":"Change b","brief":"Change b."`, `"title":"Change b","brief":"Delete b."`, "[plans]"},
		"a check":      {`"outcome":{"passed":false,"code":1`, `"outcome":{"passed":true,"code":0`, "[proofs]"},
		"a verdict":    {`"state":"failed","why":["nothing was changed`, `"state":"proved","why":["nothing was changed`, "[proofs]"},
		"a merge":      {`"commit":"` + s.Merges[0].Commit + `","onto"`, `"commit":"` + s.Begun.Base.Commit + `","onto"`, "[merges]"},
		"who won":      {`"best":2,"why":"preferred`, `"best":1,"why":"preferred`, "[races]"},
		"how it ended": {`"state":"done","head"`, `"state":"failed","head"`, "[ends]"},
	} {
		if got := fmt.Sprint(check(c.from, c.to)); got != c.want {
			t.Errorf("%s: %s does not follow, want %s", name, got, c.want)
		}
	}
}

// If all racers fail, whoever comes after them takes over.
func TestRaceLost(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	w.begin(step(1, "Change a", "files: a.txt (change)", "check: `has a.txt better`"),
		record.Options{Executors: []string{"one", "two", "three"}, Race: 2, Judge: "judge"})
	nothing := func(work.Job, int) work.Report { return work.Report{} }
	w.agents["one"], w.agents["two"] = nothing, nothing
	w.agents["three"] = w.writes(map[string]string{"a.txt": "better\n"})
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s := w.status(); s.State != work.Done || s.Tasks[0].Executor != "three" || s.Tasks[0].Attempt != 3 {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
}
