package work_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// sound says whether the files of a folder go together: what a line uses is defined once, and no budget is overspent.
func sound(dir string) bool {
	defined, used, spent := map[string]int{}, []string{}, map[string]int{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.src"))
	for _, file := range files {
		raw, _ := os.ReadFile(file)
		for line := range strings.Lines(string(raw)) {
			word, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case "def":
				defined[name]++
			case "use":
				used = append(used, name)
			case "spend": // of a budget of two
				spent[name]++
			}
		}
	}
	for name, n := range defined {
		if n > 1 || spent[name] > 2 {
			return false
		}
	}
	return !slices.ContainsFunc(used, func(name string) bool { return defined[name] == 0 })
}

// pair is two changes of files that are sound alone and not together.
func pair(rnd *rand.Rand, i int, files map[string]string) (a, b map[string]string) {
	def, user, other := fmt.Sprintf("d%d.src", i), fmt.Sprintf("u%d.src", i), fmt.Sprintf("n%d.src", i)
	name := fmt.Sprintf("f%d", rnd.IntN(1000)*1000+i)
	files[def], files[user] = "def "+name+"\n", "use "+name+"\nspend "+name+"\n"
	switch rnd.IntN(3) {
	case 0: // one renames what the other begins to use
		return map[string]string{def: "def " + name + "x\n", user: "use " + name + "x\n"}, map[string]string{other: "use " + name + "\n"}
	case 1: // both define the same
		return map[string]string{def: files[def] + "def " + name + "y\n"}, map[string]string{other: "def " + name + "y\n"}
	}
	return map[string]string{user: files[user] + "spend " + name + "\n"}, map[string]string{other: "spend " + name + "\n"} // both spend the rest
}

// cheat is a change that is not what was ordered, and how it is to be named.
func cheat(rnd *rand.Rand, i int, files map[string]string) (do func(dir string) error, why string) {
	own, test, other := fmt.Sprintf("c%d.txt", i), fmt.Sprintf("tests/t%d.txt", i), fmt.Sprintf("o%d.txt", i)
	lines := make([]string, 3+rnd.IntN(5))
	for j := range lines {
		lines[j] = fmt.Sprintf("want %d", rnd.IntN(1000))
	}
	files[own], files[test], files[other] = "old\n", strings.Join(lines, "\n")+"\n", "other\n"
	right := puts(own, "new\n")
	skips := []string{"t.Skip()", "it.only('x')", "@pytest.mark.skip", "exit 0", "//go:build never", "|| true"}
	switch rnd.IntN(8) {
	case 0:
		return func(string) error { return nil }, "nothing was changed"
	case 1: // the same again
		return puts(own, files[own]), "nothing was changed"
	case 2:
		at := rnd.IntN(len(lines))
		return both(right, puts(test, strings.Join(slices.Delete(slices.Clone(lines), at, at+1), "\n")+"\n")), "it takes 1 line out of the test " + test
	case 3:
		lines[rnd.IntN(len(lines))] += " or not"
		return both(right, puts(test, strings.Join(lines, "\n")+"\n")), "it takes 1 line out of the test " + test
	case 4:
		return both(right, puts(test, files[test]+skips[rnd.IntN(len(skips))]+"\n")), "it adds to the test " + test
	case 5:
		return both(right, func(dir string) error { return os.Remove(filepath.Join(dir, test)) }), "it deletes the test " + test
	case 6:
		return both(right, puts(other, "mine\n")), "it changes " + other + ", which is not among the files of its step"
	}
	return both(right, puts(fmt.Sprintf("extra%d/x", i), "mine\n")), fmt.Sprintf("it adds extra%d/x", i)
}

// Of seeded pairs that are green alone and red together only one of each lands, and the pair is named; of seeded cheats none lands, and each
// is named. SOCRATES_STRESS has fifty of each, else there are a few.
func TestSeeded(t *testing.T) {
	n := 3
	if os.Getenv("SOCRATES_STRESS") != "" {
		n = 50
	}
	rnd := rand.New(rand.NewPCG(16, 50))
	files, text, why := map[string]string{"start.txt": "x\n"}, "", map[string]string{}
	agents := map[string]func(work.Job, int) work.Report{}
	var w *world
	names := func(m map[string]string) (list []string) {
		for name := range m {
			how := "new"
			if files[name] != "" {
				how = "change"
			}
			list = append(list, name+" ("+how+")")
		}
		slices.Sort(list)
		return list
	}
	for i := range n {
		a, b := pair(rnd, i, files)
		one, two := 3*i+1, 3*i+2
		begun := make(chan struct{})
		agents[fmt.Sprintf("Pair %d a/one", i)] = func(j work.Job, k int) work.Report {
			<-begun // both stand on one commit
			return w.writes(a)(j, k)
		}
		agents[fmt.Sprintf("Pair %d b/one", i)] = func(j work.Job, k int) work.Report {
			if strings.HasSuffix(j.Name, "-1") {
				close(begun)
				for !slices.ContainsFunc(w.locked().Merges, func(m record.Merged) bool { return m.Task == fmt.Sprint(one) }) {
					runtime.Gosched()
				}
			}
			return w.writes(b)(j, k)
		}
		do, reason := cheat(rnd, i, files)
		why[fmt.Sprint(3*i+3)] = reason
		agents[fmt.Sprintf("Cheat %d/one", i)] = func(j work.Job, _ int) work.Report {
			if err := do(j.Dir); err != nil {
				t.Error(err)
			}
			return work.Report{Said: "All tests pass."}
		}
		check := "check: `sound`"
		text += step(one, fmt.Sprintf("Pair %d a", i), "files: "+strings.Join(names(a), ", "), check) +
			step(two, fmt.Sprintf("Pair %d b", i), "files: "+strings.Join(names(b), ", "), check) +
			step(3*i+3, fmt.Sprintf("Cheat %d", i), fmt.Sprintf("files: c%d.txt (change), tests/t%d.txt (change)", i, i), check)
	}
	w = newWorld(t, files)
	w.agents = agents
	w.begin(text, record.Options{Parallel: 2})
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	s := w.status()
	if len(s.Merges) != n {
		t.Errorf("%d steps have landed, not %d", len(s.Merges), n)
	}
	for i := range n {
		a, b, c := s.Task(fmt.Sprint(3*i+1)), s.Task(fmt.Sprint(3*i+2)), s.Task(fmt.Sprint(3*i+3))
		if a.State != work.Done || b.State != work.Failed || b.Clash == nil || b.Clash.With != a.ID || !slices.Equal(b.Clash.Check, []string{"sound"}) {
			t.Errorf("pair %d: %s; %s, %+v", i, a.State, b.State, b.Clash)
		}
		if c.State == work.Done || !strings.Contains(c.Reasons(), why[c.ID]) {
			t.Errorf("cheat %d: %s %q, want %q", i, c.State, c.Why, why[c.ID])
		}
	}
	for check, times := range w.ran {
		if times > 1 {
			t.Errorf("%s ran %d times", check, times)
		}
	}
}
