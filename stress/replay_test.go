package stress_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// The history of the short exam: five commits of one folder, in two lines that have no file in common.
const (
	shortExam   = "0911152b8d"
	shortFolder = "internal/work"
)

// causes are how each seeded fault is to be named in what people read of a step.
var causes = map[string]string{
	"crash":    "crash",
	"hang":     "the agent was silent",
	"lie":      "nothing was changed",
	"red":      "failed with status",
	"weakened": "out of the test",
	"scope":    "it adds stray.txt, which is not among the files of its step",
	"conflict": "change the same lines of",
}

// TestReplayExam has the history of this repository done once more, each commit as a step of one plan on one old base, by scripted
// executors that bring the real change. Some crash, hang, lie, break the build, leave their task, weaken tests or bring what another
// step brings, and the program is killed now and then. A scripted person approves what is the history's and sends everything else back.
// SOCRATES_TEST_REPLAY says how many commits of the whole repository are replayed, and built, and with 40@COMMIT which is the last of
// them; without it, five of a folder. Each is built in the history first, unless SOCRATES_TEST_RED lists those that are known to be red.
// A step's check builds the packages it touches; in the end all is built at every merged commit, and the tests that it touches are run.
func TestReplayExam(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("carries a plan out")
	}
	if held := sandbox.Probe(t.Context()).Protect; held.Level != sandbox.Held {
		t.Skip("agents and checks need a sandbox: " + held.Say)
	}
	x := &exam{t: t, rnd: rand.New(rand.NewPCG(16, 1)), run: "replay", kills: 2, after: 900 * time.Millisecond, idle: "12s", parallel: "3",
		check: "gofmt -l ."}
	if s := os.Getenv("SOCRATES_TEST_REPLAY"); s != "" {
		count, last, _ := strings.Cut(s, "@")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		x.kills, x.after, x.idle, x.parallel = n/3, time.Minute, "30s", "2"
		x.history = newHistory(t, "..", cmp.Or(last, "HEAD"), "", n, func(dir, hash string) bool {
			if red := os.Getenv("SOCRATES_TEST_RED"); red != "" {
				return !slices.ContainsFunc(strings.Split(red, ","), func(known string) bool { return strings.HasPrefix(hash, known) })
			}
			return tool(dir, "build", "./...") == nil
		})
		x.chain()
		x.builds()
		x.history.fork()
	} else {
		x.history = newHistory(t, "..", shortExam, shortFolder, 5, nil)
	}
	x.arena = newArena(t)
	x.sit()
}

// exam is a replay: a history, the program, and a scripted person.
type exam struct {
	t               *testing.T
	arena           *arena
	history         *history
	rnd             *rand.Rand
	run             string // its name
	kills           int
	state           int           // after how many nodes the program is killed; 0: after a time
	after           time.Duration // most of that time
	idle            string
	parallel        string
	check           string
	built           bool   // commits are to be built, and tested
	plan            string // its file
	options         []string
	second          string // the executor who is right
	killed, decided int
	resumed         bool // a fault did not happen, because a kill did

	home  string                                                    // empty: one of its own
	crews func(first, second string) (firstSpec, secondSpec string) // has executors be elsewhere; nil: they are here
}

// builds has each step build the packages that it touches, where it leaves any.
func (x *exam) builds() {
	x.built = true
	for _, c := range x.history.changes {
		has := map[string]bool{}
		for name := range strings.Lines(x.history.git(x.history.dir, "ls-tree", "-r", "--name-only", c.tree)) {
			if name = strings.TrimSpace(name); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				has[filepath.Dir(name)] = true
			}
		}
		var packages []string
		for name := range c.blobs {
			if dir := filepath.Dir(name); has[dir] && strings.HasSuffix(name, ".go") {
				packages = append(packages, "./"+dir)
			}
		}
		slices.Sort(packages)
		if c.check = "gofmt -l ."; len(packages) > 0 {
			c.check = "go build " + strings.Join(slices.Compact(packages), " ")
		}
	}
}

// chain has steps that change code depend on the one before that does: they may use what it brings.
func (x *exam) chain() {
	last := 0
	for _, c := range x.history.changes {
		if c.touches(".go") == "" {
			continue
		}
		if last > 0 && !slices.Contains(c.needs, last) {
			c.needs = append(c.needs, last)
		}
		last = c.n
	}
}

func (x *exam) command(args ...string) *exec.Cmd {
	c := exec.Command(x.arena.program, args...)
	c.Dir = x.history.dir
	// What is below the store's folder is hidden from agents, this is beside it.
	home := cmp.Or(x.home, filepath.Join(filepath.Dir(x.arena.path), "home"))
	c.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config", "XDG_DATA_HOME="+home+"/.local/share", "GOFLAGS=-trimpath")
	c.Env = append(c.Env, theirs()...)
	return c
}

// theirs are where go keeps modules and what it built: whoever moves the home has to say so.
var theirs = sync.OnceValue(func() (env []string) {
	for _, name := range []string{"GOMODCACHE", "GOCACHE"} {
		if out, err := exec.Command("go", "env", name).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	return env
})

// answer is what a command prints.
func (x *exam) answer(args ...string) []byte {
	x.t.Helper()
	var stderr bytes.Buffer
	c := x.command(args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		x.t.Fatalf("%v: %v\n%s%s", args, err, out, &stderr)
	}
	return out
}

// advance goes on with the run, and kills the program while kills are left.
func (x *exam) advance(args ...string) {
	c := x.command(append([]string{"--output", "stream-json"}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	state := 0
	if x.killed < x.kills {
		if state = x.state; state == 0 {
			after := time.Millisecond + time.Duration(x.rnd.Int64N(int64(x.after)))
			defer time.AfterFunc(after, func() { c.Process.Kill() }).Stop()
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for n := 0; lines.Scan(); {
		if bytes.Contains(lines.Bytes(), []byte(`"type":"node"`)) {
			if n++; n == state {
				c.Process.Kill()
			}
		}
	}
	c.Wait()
	switch code := c.ProcessState.ExitCode(); code {
	case -1:
		x.killed++
	case 0, 9, 12:
	default:
		x.t.Fatalf("%v: %v\n%s", args, c.ProcessState, &stderr)
	}
}

// prepare writes the plan and the scripts of its executors. test is a file that they may weaken.
func (x *exam) prepare(test string) {
	first, second := x.history.executors(test)
	if x.crews != nil {
		first, second = x.crews(first, second)
	}
	x.plan, x.second = filepath.Join(x.history.patches, "plan.md"), second
	write(x.t, x.plan, x.history.plan(x.check))
	x.options = []string{"--executor", first, "--executor", second, "--mode", "yolo", "--retries", "1", "--parallel", x.parallel,
		"--idle-timeout", x.idle, "--allow-check", "gofmt -l .", "--allow-check", "go build **"}
}

// play carries the run out until all is merged, and looks at what is left.
func (x *exam) play() {
	h := x.history
	refs := h.git(h.dir, "for-each-ref")
	s := x.status()
	for rounds := 0; s.State != work.Done; s = x.status() {
		if rounds++; rounds > 4*len(h.changes)+x.kills {
			x.t.Fatalf("it does not come to an end:\n%s", x.answer("work", "show", x.run))
		}
		switch s.State {
		case "":
			x.advance(append([]string{"execute", x.plan, "--name", x.run}, x.options...)...)
		case work.Planned:
			x.advance(append([]string{"execute", x.run}, x.options...)...)
		default:
			x.decide(s)
			x.advance("work", "resume", x.run)
		}
	}
	if h.git(h.dir, "for-each-ref") != refs || h.git(h.dir, "status", "--porcelain") != "" {
		x.t.Error("the project was changed before the result was accepted")
	}
	if of := x.stored(s, "rev-parse", s.Head+"^{tree}"); of != h.last {
		x.t.Errorf("it ends in the tree %s, the history in %s:\n%s", of, h.last, x.stored(s, "diff", "--stat", h.last, of))
	}
	x.inspect(s)
}

// stored asks git in the run's store.
func (x *exam) stored(s work.Status, args ...string) string {
	return x.history.line(filepath.Join(s.Begun.Space, "store.git"), append([]string{"-c", "safe.bareRepository=all"}, args...)...)
}

func (x *exam) sit() {
	h := x.history
	h.seed(x.rnd)
	x.t.Logf("%d steps, %s", len(h.changes), x.seeded())
	x.prepare(strings.Fields(h.git(h.dir, "ls-files", "*_test.go"))[0])
	begun := time.Now()
	x.play()
	file := filepath.Join(h.patches, "run.socrates")
	x.answer("work", "export", x.run, "--out", file)
	x.answer("work", "verify", file)
	x.answer("work", "accept", x.run)
	if of := h.line(h.dir, "rev-parse", "HEAD^{tree}"); of != h.last {
		x.t.Errorf("what was accepted is the tree %s, not %s", of, h.last)
	}
	if x.built {
		x.prove(x.status())
	}
	x.t.Logf("%d steps in %v: %d kills, a person decided %d times; %s", len(h.changes), time.Since(begun).Round(time.Second/10), x.killed,
		x.decided, x.seeded())
}

func (x *exam) seeded() string {
	count := map[string]int{}
	for _, c := range x.history.changes {
		count[c.fault]++
	}
	return fmt.Sprint("seeded ", count)
}

// nodes are what is recorded of the run; none: it is not there yet.
func (x *exam) nodes() (all []tree.Node) {
	out, err := x.command("--output", "json", "work", "logs", x.run).Output()
	if err != nil && !strings.Contains(string(out), "no run named "+x.run) {
		x.t.Fatalf("%v %s", err, out)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); err == nil && d.More(); {
		var n tree.Node
		if err := d.Decode(&n); err != nil {
			x.t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// status is how the run stands; without a state, it has not even been recorded.
func (x *exam) status() work.Status {
	s, _ := work.Read(x.nodes())
	return s
}

// decide is the person: what changes the files as the history does is approved, what failed is tried again, and anything else is given
// to the executor who is right. One that is not to go with another is approved once that one has landed, which waits until it was tried.
func (x *exam) decide(s work.Status) {
	for i, task := range s.Tasks {
		c := x.history.changes[i]
		word := []string{"reassign", x.run, task.ID, x.second}
		switch {
		case task.State == work.Failed:
			word = []string{"retry", x.run, task.ID}
		case task.State != work.Person, c.rival > 0 && task.Clash == nil && s.Task(fmt.Sprint(c.rival)).State != work.Done,
			slices.ContainsFunc(x.history.changes, func(u *change) bool { return u.rival == c.n && s.Task(fmt.Sprint(u.n)).Claim == nil }):
			continue
		case c.rival > 0 && task.Clash == nil, x.right(s, task, c):
			word = []string{"approve", x.run, task.ID}
		}
		x.answer(append([]string{"work"}, word...)...)
		x.decided++
	}
}

// right says whether a change is the history's, file by file.
func (x *exam) right(s work.Status, task work.Task, c *change) bool {
	raw := strings.Split(x.stored(s, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", task.Base, task.Change), "\x00")
	for i := 0; i+1 < len(raw); i += 2 {
		if c.blobs[raw[i+1]] != strings.Fields(raw[i])[3] {
			return false
		}
	}
	return len(raw)/2 == len(c.blobs)
}

// inspect looks at what is left: each fault is named with its cause, each merged tree was checked and found green, nothing was merged or
// tried twice, and neither a workspace nor a process is there any more.
func (x *exam) inspect(s work.Status) {
	nodes := x.nodes()
	told := strings.Split(string(x.answer("work", "trace", x.run)), "\n")
	x.resumed = false
	for _, c := range x.history.changes {
		names := func(l string) bool {
			return strings.Contains(l, fmt.Sprintf(" step %d · ", c.n)) && strings.Contains(l, causes[c.fault])
		}
		named := slices.ContainsFunc(told, names)
		if !named && x.killed > 0 { // whom a kill kept from its fault was told to go on, and did nothing
			x.resumed = true
			named = slices.ContainsFunc(told, func(l string) bool { return names(strings.Replace(l, causes["lie"], causes[c.fault], 1)) })
		}
		if !named {
			x.t.Errorf("step %d: %s is not named as %q:\n%s", c.n, c.fault, causes[c.fault], strings.Join(told, "\n"))
		}
	}
	tried := map[string]bool{}
	for _, r := range record.TryKind.All(nodes) {
		if tried[r.Key] {
			x.t.Errorf("try %s was made twice", r.Key)
		}
		tried[r.Key] = true
	}
	green := map[string]bool{}
	for _, c := range record.CheckKind.All(nodes) {
		green[c.Tree] = green[c.Tree] || c.Outcome.Passed
	}
	for _, m := range s.Merges {
		if of := x.stored(s, "rev-parse", m.Commit+"^{tree}"); !green[of] {
			x.t.Errorf("the commit of step %s was merged and not checked", m.Task)
		}
	}
	if len(s.Merges) != len(x.history.changes) {
		x.t.Errorf("%d merges of %d steps", len(s.Merges), len(x.history.changes))
	}
	x.answer("work", "prune")
	for _, folder := range []string{"tasks", "proof"} {
		if left, _ := os.ReadDir(filepath.Join(s.Begun.Space, folder)); len(left) > 0 {
			x.t.Errorf("left in %s: %v", folder, left)
		}
	}
	left := working(s.Begun.Space)
	for tries := 0; len(left) > 0 && tries < 3000; left = working(s.Begun.Space) { // on a busy machine killed ones take their time
		tries++
		time.Sleep(10 * time.Millisecond)
	}
	for _, cwd := range left {
		x.t.Errorf("a process is left in %s", cwd)
	}
}

// working are the folders below one in which processes are at work; only Linux tells.
func working(below string) (dirs []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && strings.HasPrefix(dir, below) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// tool runs go; an error has what it printed.
func tool(dir string, args ...string) error {
	c := exec.Command("go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath")
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}

var testFunction = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(t \*testing\.T\)`)

// prove builds everything at each merged commit, all of which are accepted by now, and runs the tests in the files that it touches. One
// that fails in the history, too, is not the run's.
func (x *exam) prove(s work.Status) {
	h := x.history
	ran, red := 0, 0
	for _, m := range s.Merges {
		names := map[string][]string{} // by package
		h.git(h.dir, "checkout", "-q", "-f", "--detach", m.Commit)
		if err := tool(h.dir, "build", "./..."); err != nil {
			x.t.Errorf("the commit of step %s is red: %v", m.Task, err)
		}
		x.t.Logf("step %s: the commit is green", m.Task)
		for file := range strings.Lines(h.git(h.dir, "diff-tree", "-r", "--no-commit-id", "--diff-filter=d", "--name-only", m.Commit)) {
			if file = strings.TrimSpace(file); strings.HasSuffix(file, "_test.go") {
				text, err := os.ReadFile(filepath.Join(h.dir, file))
				if err != nil {
					x.t.Fatal(err)
				}
				for _, f := range testFunction.FindAllSubmatch(text, -1) {
					names["./"+filepath.Dir(file)] = append(names["./"+filepath.Dir(file)], string(f[1]))
				}
			}
		}
		for where, list := range names {
			run := func() error {
				return tool(h.dir, "test", "-count=1", "-short", "-timeout", "10m", "-run", "^("+strings.Join(list, "|")+")$", where)
			}
			ran += len(list)
			err := run()
			if err == nil {
				continue
			}
			n, _ := strconv.Atoi(m.Task)
			h.git(h.dir, "read-tree", "-u", "--reset", h.changes[n-1].tree)
			if run() == nil {
				x.t.Errorf("step %s, which was green in the history: %v", m.Task, err)
			}
			red++
			h.git(h.dir, "read-tree", "-u", "--reset", m.Commit)
		}
	}
	x.t.Logf("all was built at each commit, and %d tests that commits touch were run; %d packages fail in the history, too", ran, red)
}
