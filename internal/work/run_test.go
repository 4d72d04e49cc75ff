package work_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// step writes a step of a plan.
func step(n int, title string, lines ...string) string {
	return fmt.Sprintf("### %d. %s\n\n- do: %s.\n- %s\n\n", n, title, title, strings.Join(lines, "\n- "))
}

func TestRun(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "tests/all.txt": "one\n"})
	w.begin(step(1, "Change a", "files: a.txt (change)", "check: `has a.txt better`")+
		step(2, "Change b", "files: b.txt (change)", "depends on: 1", "check: `has b.txt better`")+
		step(3, "Add c", "files: c.txt (new)", "check: `has c.txt c`"), record.Options{Checks: [][]string{{"has", "tests/all.txt", "one"}}, Parallel: 2})
	w.agents["Change a/one"] = w.writes(map[string]string{"a.txt": "a better\n"})
	w.agents["Change b/one"] = w.writes(map[string]string{"b.txt": "b better\n"})
	w.agents["Add c/one"] = w.writes(map[string]string{"c.txt": "c\n"})
	before := digest(t, w.project)
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	s := w.status()
	if s.State != work.Done || len(s.Merges) != 3 || w.at("a.txt") != "a better" || w.at("b.txt") != "b better" || w.at("c.txt") != "c" {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
	if after := digest(t, w.project); after != before {
		t.Error("the project was changed")
	}
	for check, n := range w.ran {
		if n > 1 {
			t.Errorf("%s ran %d times", check, n)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(w.space, "tasks")); len(left) > 0 {
		t.Errorf("workspaces are left: %v", left)
	}
}

// What is not the change that was ordered never lands, and is named.
func TestCheats(t *testing.T) {
	files := map[string]string{"a.go": "a\n", "b.go": "b\n", "a_test.go": "want a\nwant b\n", "Makefile": "test:\n\tgo test\n", "docs/x.txt": "x\n",
		"package.json": "{\n\"name\": \"x\",\n\"test\": \"all\"\n}\n"}
	for name, c := range map[string]struct {
		files string // of the step
		do    func(dir string) error
		state work.State
		why   string
	}{
		"nothing":       {"a.go (change)", func(string) error { return nil }, work.Failed, "nothing was changed"},
		"another file":  {"a.go (change)", puts("b.go", "b2"), work.Person, "it changes b.go, which is not among the files of its step"},
		"a new file":    {"a.go (change)", puts("c.go", "c"), work.Person, "it adds c.go"},
		"deletes":       {"a.go (change)", func(dir string) error { return os.Remove(filepath.Join(dir, "a.go")) }, work.Person, "it deletes a.go, which its task is to change"},
		"test deleted":  {"a.go (change), a_test.go (delete)", both(puts("a.go", "ok"), func(dir string) error { return os.Remove(filepath.Join(dir, "a_test.go")) }), work.Person, "it deletes the test a_test.go"},
		"test weakened": {"a.go (change), a_test.go (change)", both(puts("a.go", "ok"), puts("a_test.go", "want a\n")), work.Person, "it takes 1 line out of the test a_test.go"},
		"test skipped":  {"a.go (change), a_test.go (change)", both(puts("a.go", "ok"), puts("a_test.go", "want a\nwant b\nt.Skip(\"later\")\n")), work.Person, "it adds to the test a_test.go: t.Skip"},
		"build":         {"a.go (change), Makefile (change)", both(puts("a.go", "ok"), puts("Makefile", "test:\n\ttrue\n")), work.Person, "Makefile, which says how checks run"},
		"script":        {"a.go (change), package.json (change)", both(puts("a.go", "ok"), puts("package.json", "{\n\"name\": \"x\",\n\"test\": \"true\"\n}\n")), work.Person, "how checks run"},
		"link": {"a.go (change)", func(dir string) error {
			os.Remove(filepath.Join(dir, "a.go"))
			return os.Symlink("/etc/passwd", filepath.Join(dir, "a.go"))
		}, work.Person, "it makes a link of a.go"},
		"inner repository":  {"a.go (change)", both(puts("a.go", "ok"), initIn("inner")), work.Person, "inner"},
		"ignored by itself": {"a.go (change)", both(puts(".git/info/exclude", "a.go\nb.go\n"), puts("b.go", "hidden")), work.Person, "it changes b.go"},
		"own index":         {"a.go (change)", both(puts("b.go", "hidden"), unchanged("b.go")), work.Person, "it changes b.go"},
		"own commit":        {"a.go (change)", both(puts("b.go", "hidden"), commits), work.Person, "it changes b.go"},
		"no git":            {"a.go (change)", both(puts("b.go", "x"), func(dir string) error { return os.RemoveAll(filepath.Join(dir, ".git")) }), work.Person, "it changes b.go"},
		"red":               {"a.go (change)", puts("a.go", "red"), work.Failed, "has a.go ok: failed with status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files)
			check := "check: `has a.go ok`"
			if c.state == work.Person && !strings.Contains(c.files, ",") {
				check = "check: `lacks docs/x.txt y`"
			}
			w.begin(step(1, "Do it", "files: "+c.files, check)+step(2, "Then", "files: docs/x.txt (change)", "depends on: 1", "check: `has docs/x.txt x`"), record.Options{})
			w.agents["one"] = func(j work.Job, _ int) work.Report {
				if err := c.do(j.Dir); err != nil {
					t.Error(err)
				}
				return work.Report{Said: "All done, all tests pass."}
			}
			before := digest(t, w.project)
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			s := w.status()
			if s.Tasks[0].State != c.state || !strings.Contains(s.Tasks[0].Reasons(), c.why) || s.Tasks[1].State != work.Blocked || len(s.Merges) > 0 || s.State != c.state {
				t.Errorf("%s: %s %q, then %s; run %s", name, s.Tasks[0].State, s.Tasks[0].Why, s.Tasks[1].State, s.State)
			}
			if digest(t, w.project) != before {
				t.Error("the project was changed")
			}
		})
	}
}

func puts(name, text string) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(path), 0o755)
		return os.WriteFile(path, []byte(text), 0o644)
	}
}

func both(a, b func(string) error) func(string) error {
	return func(dir string) error {
		if err := a(dir); err != nil {
			return err
		}
		return b(dir)
	}
}

// Two changes that are green alone and red together: the pair is named, and the second is done again on top of the first.
func TestPair(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1", "b": "1", "c": "1"})
	w.begin(step(1, "Raise a", "files: a (change)", "check: `lacks c 9`")+step(2, "Raise c", "files: c (change)", "check: `lacks a 9`")+
		step(3, "Note b", "files: b (change), notes (new)", "check: `equal a b`"), record.Options{Parallel: 3, Retries: 1})
	based := make(chan struct{})
	w.agents["Raise a/one"] = func(j work.Job, _ int) work.Report {
		<-based
		return w.writes(map[string]string{"a": "2"})(j, 0)
	}
	w.agents["Raise c/one"] = w.writes(map[string]string{"c": "2"})
	w.agents["Note b/one"] = func(j work.Job, _ int) work.Report {
		if strings.HasSuffix(j.Name, "-1") { // it began before a was raised, and ends after that was merged
			close(based)
			for !slices.ContainsFunc(w.locked().Merges, func(m record.Merged) bool { return m.Task == "1" }) {
				runtime.Gosched()
			}
			return w.writes(map[string]string{"notes": "b is 1\n"})(j, 0)
		}
		if !strings.Contains(j.Text, "Raise a") || !strings.Contains(j.Text, "fails together with step 1") || !strings.Contains(j.Text, "+b is 1") {
			t.Errorf("the second attempt is not told of the other step and of the change before: %s", j.Text)
		}
		return w.writes(map[string]string{"b": "2", "notes": "b is 2\n"})(j, 0)
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	s := w.status()
	clash := s.Task("3").Clash
	if clash == nil || clash.With != "1" || !slices.Equal(clash.Check, []string{"equal", "a", "b"}) {
		t.Fatalf("clash %+v of %+v", clash, s.Tasks)
	}
	if s.State != work.Done || w.at("a") != "2" || w.at("b") != "2" || s.Task("3").Attempt != 2 {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
}

func (w *world) locked() work.Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status()
}

// killedAnywhere is a plan with everything: dependencies, a repair, a clash, a second executor and a step that fails.
func killedAnywhere(t *testing.T) *world {
	w := newWorld(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n", "d": "1\n"})
	w.begin(step(1, "Raise a", "files: a (change)", "check: `has a 2`")+step(2, "Raise b", "files: b (change)", "depends on: 1", "check: `has b 2`")+
		step(3, "Raise c", "files: c (change)", "check: `has c 2`")+step(4, "Raise d", "files: d (change)", "depends on: 3", "check: `has d 2`")+
		step(5, "Fail", "files: e (new)", "check: `has e 2`"), record.Options{Parallel: 1, Retries: 1, Executors: []string{"one", "two"}, Checks: [][]string{{"lacks", "a", "9"}}})
	w.agents["Raise a/one"] = w.writes(map[string]string{"a": "2\n"})
	w.agents["Raise b/one"] = func(j work.Job, _ int) work.Report { // red at first
		if strings.Contains(j.Text, "not done yet") {
			return w.writes(map[string]string{"b": "2\n"})(j, 0)
		}
		return w.writes(map[string]string{"b": "3\n"})(j, 0)
	}
	w.agents["Raise c/one"] = func(work.Job, int) work.Report { return work.Report{Failed: "it crashed"} }
	w.agents["Raise c/two"] = w.writes(map[string]string{"c": "2\n"})
	w.agents["Raise d/one"] = w.writes(map[string]string{"d": "2\n"})
	w.agents["Fail/one"] = w.writes(map[string]string{"e": "1\n"})
	w.agents["Fail/two"] = w.writes(map[string]string{"e": "1\n"})
	return w
}

// A run that is killed after any of its nodes and goes on ends as one that never was, and has nothing done twice.
func TestKilledAtEveryNode(t *testing.T) {
	whole := killedAnywhere(t)
	if err := whole.run(); err != nil {
		t.Fatal(err)
	}
	want, all := whole.status(), len(whole.nodes)
	if want.State != work.Failed || len(want.Merges) != 4 {
		t.Fatalf("%s %+v", want.State, want.Tasks)
	}
	tree := git(t, filepath.Join(whole.space, "store.git"), "-c", "safe.bareRepository=all", "rev-parse", want.Head+"^{tree}")
	every := 7
	if os.Getenv("SOCRATES_STRESS") != "" {
		every = 1
	}
	for dies := 4; dies < all; dies += every {
		t.Run(fmt.Sprint(dies), func(t *testing.T) {
			t.Parallel()
			w := killedAnywhere(t)
			w.dies = dies
			if err := w.run(); err == nil {
				t.Fatal("it was not killed")
			}
			w.dies = 0
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			s := w.status()
			if got := git(t, filepath.Join(w.space, "store.git"), "-c", "safe.bareRepository=all", "rev-parse", s.Head+"^{tree}"); got != tree || s.State != want.State {
				t.Errorf("it ended as %s with tree %s, not %s", s.State, got, tree)
			}
			tries := map[string]int{}
			for _, n := range w.nodes {
				if r, ok := record.TryKind.Of(n); ok {
					tries[r.Key]++
				}
			}
			for key, n := range tries {
				if n > 1 {
					t.Errorf("try %s is recorded %d times", key, n)
				}
			}
			if extra := len(w.asked) - len(whole.asked); extra > 1 {
				t.Errorf("%d tries were made again; only the one that was not recorded may be", extra)
			}
			merged := map[string]int{}
			for _, m := range s.Merges {
				if merged[m.Task]++; merged[m.Task] > 1 {
					t.Errorf("step %s was merged twice", m.Task)
				}
			}
		})
	}
}

// A run that is paused begins no step any more, and the one at work comes to its end; a step that is reassigned is done by whom it was
// given to.
func TestPausedAndReassigned(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.begin(step(1, "Change a", "files: a.txt (change)")+step(2, "Change b", "files: b.txt (change)"), record.Options{})
	var paused atomic.Bool
	w.paused = paused.Load
	w.agents["one"] = func(j work.Job, n int) work.Report {
		paused.Store(true)
		return w.writes(map[string]string{"a.txt": "better\n"})(j, n)
	}
	w.agents["two"] = w.writes(map[string]string{"b.txt": "better\n"})
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	s := w.status()
	if s.State != work.Paused || s.Tasks[0].State != work.Done || s.Tasks[1].State != work.Ready {
		t.Fatalf("%s %+v", s.State, s.Tasks)
	}
	paused.Store(false)
	w.nodes = append(w.nodes, record.OrderKind.New(w.nodes[0].ID, "person", record.Order{Verb: "reassign", Task: "2", Executor: "two"}))
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	if s := w.status(); s.State != work.Done || s.Tasks[1].Executor != "two" || w.at("b.txt") != "better" {
		t.Errorf("%s %+v", s.State, s.Tasks)
	}
}

// What was merged is put on top of another commit, each step checked again there. One that is red together with what came meanwhile is done
// again, with what depends on it. Killed after any node, it comes to the same.
func TestMove(t *testing.T) {
	text := step(1, "Change a", "files: a.txt (change)", "check: `equal a.txt c.txt`") +
		step(2, "Change b", "files: b.txt (change)", "check: `has b.txt better`") +
		step(3, "Add d", "files: d.txt (new)", "depends on: 1", "check: `has d.txt d`")
	for dies := 0; ; dies++ {
		w := newWorld(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "better\n"})
		w.begin(text, record.Options{})
		w.agents["Change a/one"] = func(j work.Job, n int) work.Report { // as c is by then
			raw, _ := os.ReadFile(filepath.Join(j.Dir, "c.txt"))
			return w.writes(map[string]string{"a.txt": string(raw)})(j, n)
		}
		w.agents["Change b/one"] = w.writes(map[string]string{"b.txt": "better\n"})
		w.agents["Add d/one"] = w.writes(map[string]string{"d.txt": "d\n"})
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		write(t, w.project, map[string]string{"c.txt": "best\n"})
		git(t, w.project, "commit", "-q", "-am", "meanwhile")
		onto, before := git(t, w.project, "rev-parse", "HEAD"), len(w.nodes)
		if dies > 0 {
			w.dies = before + dies
		}
		err := w.move(onto)
		if dies == 0 && err != nil {
			t.Fatal(err)
		}
		if w.dies = 0; err != nil {
			if err := w.move(onto); err != nil {
				t.Fatal(err)
			}
		}
		s := w.status()
		if s.State != work.Open || len(s.Merges) != 1 || s.Merges[0].Task != "2" || s.Merges[0].Onto != onto || s.Tasks[0].Clash == nil ||
			s.Tasks[2].State != work.Waiting {
			t.Fatalf("after %d nodes: %s %+v %+v", dies, s.State, s.Merges, s.Tasks)
		}
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if s := w.status(); s.State != work.Done || w.at("a.txt") != "best" || w.at("b.txt") != "better" || w.at("d.txt") != "d" ||
			s.Tasks[0].Attempt != 2 || s.Tasks[1].Attempt != 1 {
			t.Fatalf("after %d nodes: %s %+v", dies, s.State, s.Tasks)
		}
		if dies > 0 && err == nil || dies == 1 && os.Getenv("SOCRATES_STRESS") == "" {
			return
		}
	}
}
