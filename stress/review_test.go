package stress_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// site is a place of a function where a defect can be, with what may stand there; the first is right.
type site struct{ words []string }

// function is one of awk: what it is called, its lines with its sites as %s, and how well it is tested: 0: not at all, 1: by one call.
type function struct {
	name   string
	lines  []string
	sites  []site
	tested int
}

// invent makes a function of conditions, constants and operators.
func invent(rnd *rand.Rand, name string, tested int) (f function) {
	f = function{name: name, tested: tested}
	is := func(words ...string) { f.sites = append(f.sites, site{words}) }
	number := func() { n := 2 + rnd.IntN(40); is(fmt.Sprint(n), fmt.Sprint(n+2), fmt.Sprint(max(0, n-3))) }
	f.lines = append(f.lines, "function "+name+"(a, b) {")
	for range 1 + rnd.IntN(2) {
		f.lines = append(f.lines, "\tif (a %s %s %s b %s %s) {", "\t\treturn a %s b %s %s", "\t}")
		is(">", ">=", "<")
		number()
		is("&&", "||")
		is("<", "<=", "!=")
		number()
		is("*", "+", "-")
		is("-", "+")
		number()
	}
	f.lines = append(f.lines, "\treturn a %s %s %s b", "}", "")
	is("*", "+")
	number()
	is("+", "-")
	return f
}

// text is a function with some words in the places of its sites.
func (f function) text(words []string) string {
	var args []any
	for _, w := range words {
		args = append(args, w)
	}
	return fmt.Sprintf(strings.Join(f.lines, "\n")+"\n", args...)
}

// right are the words of a function without a defect.
func (f function) right() (words []string) {
	for _, s := range f.sites {
		words = append(words, s.words[0])
	}
	return words
}

// tests are calls of a function with what comes of them, those of one that is tested well at the edges of its conditions.
func (f function) tests(rnd *rand.Rand) (text string) {
	var calls [][2]int
	switch f.tested {
	case 0:
		return ""
	case 1:
		calls = append(calls, [2]int{rnd.IntN(60), rnd.IntN(60)})
	default:
		for i := 0; i+4 < len(f.sites)-3; i += 8 {
			var edge [2]int
			fmt.Sscan(f.sites[i+1].words[0], &edge[0])
			fmt.Sscan(f.sites[i+4].words[0], &edge[1])
			for _, by := range [][2]int{{0, -1}, {1, -1}, {1, 0}, {1, -3}, {0, 0}} {
				calls = append(calls, [2]int{edge[0] + by[0], edge[1] + by[1]})
			}
		}
	}
	prints := "\nBEGIN {\n"
	for _, c := range calls {
		prints += fmt.Sprintf("print %s(%d, %d)\n", f.name, c[0], c[1])
	}
	out, err := exec.Command("awk", f.text(f.right())+prints+"}").Output()
	if err != nil {
		panic(err)
	}
	for i, want := range strings.Fields(string(out)) {
		text += fmt.Sprintf("\tif (%s(%d, %d) != %s) bad(\"%s\")\n", f.name, calls[i][0], calls[i][1], want, f.name)
	}
	return text
}

// module is a file of functions, of which most are tested well, and its tests.
type module struct {
	name      string
	functions []function
	words     [][]string // of each function, with its defects
	test      string
}

func (m module) text() (text string) {
	for i, f := range m.functions {
		text += f.text(m.words[i])
	}
	return text
}

// green says whether the tests of a module pass.
func (m module) green(t *testing.T) bool {
	dir := t.TempDir()
	code, test := filepath.Join(dir, "m.awk"), filepath.Join(dir, "test_m.awk")
	if os.WriteFile(code, []byte(m.text()), 0o600) != nil || os.WriteFile(test, []byte(m.test), 0o600) != nil {
		t.Fatal("cannot write")
	}
	return exec.Command("awk", "-f", code, "-f", test).Run() == nil
}

// flaw puts a defect into a place that no test notices; false: that one was noticed.
func (m *module) flaw(t *testing.T, rnd *rand.Rand) (line string, ok bool) {
	i := rnd.IntN(len(m.functions))
	f := m.functions[i]
	at := rnd.IntN(len(f.sites))
	words := f.sites[at].words
	was := m.words[i][at]
	if was != words[0] {
		return "", false // it has one
	}
	m.words[i][at] = words[1+rnd.IntN(len(words)-1)]
	if !m.green(t) {
		m.words[i][at] = was
		return "", false
	}
	seen := 0
	for n, l := range f.lines {
		if seen += strings.Count(l, "%s"); seen > at {
			return fmt.Sprintf("%s %d", f.name, n), true
		}
	}
	return "", false
}

// TestReviewFindsDefects: of seeded defects that survive all checks, most are in the first fifth of the lines that work review shows; and
// why says of every merged line where it comes from, also of one commit made of all. SOCRATES_STRESS has a hundred, else there are eight.
func TestReviewFindsDefects(t *testing.T) {
	if _, err := exec.LookPath("awk"); err != nil || runtime.GOOS == "windows" {
		t.Skip("its programs are awk's")
	}
	runs, size := 1, 3
	if os.Getenv("SOCRATES_STRESS") != "" {
		runs, size = 5, 8
	}
	early, all, inFiles, code := 0, 0, 0, 0
	for i := range runs {
		e, a, f, c := reviewed(t, rand.New(rand.NewPCG(16, uint64(i))), size)
		early, all, inFiles, code = early+e, all+a, inFiles+f, code+c
	}
	t.Logf("%d of %d seeded defects are in the first 20 %% of the lines; in the order of files %d; leaving tests out %d", early, all, inFiles, code)
	if early*100 < 80*all {
		t.Errorf("%d of %d", early, all)
	}
}

// reviewed has a run of some modules carried out, with two and a half times as many defects, and reviews it.
func reviewed(t *testing.T, rnd *rand.Rand, size int) (early, all, inFiles, code int) {
	t.Helper()
	var modules []module
	for i := range size {
		m := module{name: fmt.Sprintf("m%d.awk", i)}
		tests := ""
		for j := range 6 {
			quality := []int{2, 2, 2, 2, 2, 2, 2, 1, 1, 0}[rnd.IntN(10)]
			f := invent(rnd, fmt.Sprintf("f%d_%d", i, j), quality)
			m.functions, m.words = append(m.functions, f), append(m.words, f.right())
			tests += f.tests(rnd)
		}
		m.test = "function bad(name) { print name; failed = 1 }\nBEGIN {\n" + tests + "\texit failed\n}\n"
		modules = append(modules, m)
	}
	flawed := map[string]int{}
	for all < size*5/2 {
		if line, ok := modules[rnd.IntN(len(modules))].flaw(t, rnd); ok {
			flawed[line]++
			all++
		}
	}
	program, project, env := errandOf(t, modules)
	hunks := shown(t, program, project, env)
	traced(t, program, project, env, modules, size < 8)
	early, ordered := readEarly(hunks, flawed, modules), slices.Clone(hunks)
	slices.SortStableFunc(hunks, func(a, b piece) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	inFiles = readEarly(hunks, flawed, modules)
	hunks = slices.DeleteFunc(ordered, func(h piece) bool { return strings.HasPrefix(h.File, "test_") })
	return early, all, inFiles, readEarly(hunks, flawed, modules)
}

// traced wants why to name the step of each line, or of some, once all steps are one commit.
func traced(t *testing.T, program, project string, env []string, modules []module, some bool) {
	t.Helper()
	output(t, project, env, program, "work", "accept", "--squash")
	said := strings.TrimSpace(string(output(t, project, env, "git", "log", "--format=%s", "-2")))
	if !strings.HasSuffix(said, "\nfirst") {
		t.Fatalf("it is not one commit: %s", said)
	}
	lines := 0
	for i, m := range modules {
		for file, text := range map[string]string{m.name: m.text(), "test_" + m.name: m.test} {
			for n := range strings.Count(text, "\n") {
				if some && n%10 != 0 {
					continue
				}
				var o struct{ Steps []struct{ Step string } }
				raw := output(t, project, env, program, "why", fmt.Sprintf("%s:%d", file, n+1), "--output", "json")
				if err := json.Unmarshal(raw, &o); err != nil || len(o.Steps) != 1 || o.Steps[0].Step != fmt.Sprint(i+1) {
					t.Errorf("%s:%d: %v %s", file, n+1, err, raw)
				}
				lines++
			}
		}
	}
	t.Logf("why names the step of %d lines", lines)
}

// piece is one of what work review shows.
type piece struct {
	File           string
	Line           int
	Added, Removed int
	Reasons        []string
}

// readEarly is how many defects are in the first fifth of the lines.
func readEarly(hunks []piece, flawed map[string]int, modules []module) (n int) {
	total, read := 0, 0
	for _, h := range hunks {
		total += h.Added + h.Removed
	}
	for _, h := range hunks {
		for line := h.Line; line < h.Line+h.Added && 5*read < total; line++ {
			read++
			for _, m := range modules {
				at := line - 1
				for _, f := range m.functions {
					if m.name == h.File && at >= 0 && at < len(f.lines) {
						n += flawed[fmt.Sprintf("%s %d", f.name, at)]
					}
					at -= len(f.lines)
				}
			}
		}
	}
	return n
}

// errandOf has a run carried out whose steps bring a module each.
func errandOf(t *testing.T, modules []module) (program, project string, env []string) {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	project = filepath.Join(base, "project")
	home := filepath.Join(base, "home")
	plan, worker := "# Plan: Modules\n\n", "info: {id: worker}\nrules:\n"
	for i, m := range modules {
		plan += fmt.Sprintf("### %d. Module %d.\n\n- files: %s (new), test_%s (new)\n- do: Write %s.\n- check: `awk -f %s -f test_%s`\n\n",
			i+1, i, m.name, m.name, m.name, m.name, m.name)
		code, _ := json.Marshal(m.text())
		test, _ := json.Marshal(m.test)
		worker += fmt.Sprintf("  - contains: \"# Module %d.\"\n    calls: [{tool: write, args: {path: %s, content: %s}}, {tool: write, args: {path: test_%s, content: %s}}]\n    reply: Done.\n",
			i, m.name, code, m.name, test)
	}
	for _, err := range []error{os.MkdirAll(project, 0o700), os.MkdirAll(home, 0o700),
		os.WriteFile(filepath.Join(base, "plan.md"), []byte(plan), 0o600), os.WriteFile(filepath.Join(base, "worker.yaml"), []byte(worker), 0o600),
		os.WriteFile(filepath.Join(project, "README.md"), []byte("# modules\n"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	output(t, project, env, "git", "init", "-q", "-b", "main")
	output(t, project, env, "git", "add", "-A")
	output(t, project, env, "git", "commit", "-q", "-m", "first")
	args := []string{"execute", filepath.Join(base, "plan.md"), "--name", "modules", "--executor", "script:" + filepath.Join(base, "worker.yaml")}
	for _, m := range modules {
		args = append(args, "--allow-check", fmt.Sprintf("awk -f %s -f test_%s", m.name, m.name))
	}
	output(t, project, env, program, args...)
	return program, project, env
}

// output is what a program prints; one that fails ends the test.
func output(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, env
	out, err := c.Output()
	if err != nil {
		said := []byte(nil)
		if e, ok := err.(*exec.ExitError); ok {
			said = e.Stderr
		}
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, said)
	}
	return out
}

// shown is what work review shows, twice the same.
func shown(t *testing.T, program, project string, env []string) (hunks []piece) {
	t.Helper()
	raw := output(t, project, env, program, "work", "review", "--faults", "10m", "--output", "json")
	var all []piece
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return all
}
