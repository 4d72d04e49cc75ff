package stress_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// change is one commit of the history, as a step of a plan.
type change struct {
	n      int
	hash   string            // of the commit it was
	tree   string            // after it
	blobs  map[string]string // of the files it changes, afterwards; zeros: deleted
	files  []string          // with what happens to each, as a plan has it
	needs  []int
	check  string // empty: that of the exam
	fault  string // what its first executor does wrong; empty: nothing
	rival  int    // of a conflict: the step with which it is in one
	strays string // of a conflict: the file that is the rival's
}

func (c *change) title() string { return fmt.Sprintf("Replay %02d", c.n) }

// history is a part of this repository's, brought into one of its own: commits of everything, or of one folder.
type history struct {
	t       *testing.T
	from    string // where this repository is
	dir     string // the repository to work in, which is at the base
	patches string
	changes []*change
	last    string // the tree in which it ends
}

func (h *history) git(dir string, args ...string) string {
	h.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := c.Output()
	if err != nil {
		h.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func (h *history) line(dir string, args ...string) string {
	return strings.TrimSpace(h.git(dir, args...))
}

// newHistory takes the last n commits of a repository that lead to one and touch a folder, on top of the commit before them. green says
// whether the files in a folder pass the checks: a commit after which they do not is one step with the next.
func newHistory(t *testing.T, from, to, folder string, n int, green func(dir, hash string) bool) *history {
	h := &history{t: t, dir: filepath.Join(t.TempDir(), "project"), patches: t.TempDir()}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	var err error
	if h.from, err = filepath.Abs(from); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("git", "-C", h.from, "rev-parse", "--quiet", "--verify", to+fmt.Sprintf("~%d^{commit}", n)).Run(); err != nil {
		t.Skipf("the history before %s is not in this copy: git fetch --unshallow", to)
	}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.git(h.dir, "init", "-q", "-b", "main")
	lender := h.line(h.from, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	write(t, filepath.Join(h.dir, ".git", "objects", "info", "alternates"), lender+"\n")
	list := strings.Fields(h.git(h.from, "rev-list", "--first-parent", "--reverse", "-n", fmt.Sprint(n+1), to, "--", "./"+folder))
	tree := func(hash string) string { return h.line(h.from, "rev-parse", hash+":"+folder) }
	base := h.line(h.dir, "commit-tree", "-m", "base", tree(list[0]))
	h.git(h.dir, "reset", "-q", "--hard", base)
	before := tree(list[0])
	for _, hash := range list[1:] {
		of := tree(hash)
		if of == before {
			continue
		}
		if green != nil {
			h.git(h.dir, "read-tree", "-u", "--reset", of)
			if !green(h.dir, hash) {
				t.Logf("%.10s is red: it is one step with the next", hash)
				continue
			}
		}
		h.take(hash, before, of)
		before = of
	}
	h.last = before
	h.git(h.dir, "reset", "-q", "--hard", base)
	return h
}

// take makes a step of what two trees have differently. It depends on the last step before it that touches one of its files.
func (h *history) take(hash, from, to string) {
	c := &change{n: len(h.changes) + 1, hash: hash, tree: to, blobs: map[string]string{}}
	raw := strings.Split(h.git(h.dir, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to), "\x00")
	for i := 0; i+1 < len(raw); i += 2 {
		f, name := strings.Fields(raw[i]), raw[i+1]
		how := map[string]string{"A": "new", "M": "change", "T": "change", "D": "delete"}[f[4]]
		c.files, c.blobs[name] = append(c.files, name+" ("+how+")"), f[3]
		for _, u := range slices.Backward(h.changes) {
			if _, both := u.blobs[name]; both {
				if !slices.Contains(c.needs, u.n) {
					c.needs = append(c.needs, u.n)
				}
				break
			}
		}
	}
	write(h.t, h.patch(c.n), h.git(h.dir, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", from, to))
	h.changes = append(h.changes, c)
}

// leads says whether a step depends on another, also by way of others.
func (h *history) leads(from, to int) bool {
	return slices.ContainsFunc(h.changes[to-1].needs, func(n int) bool { return n == from || h.leads(from, n) })
}

// touches says whether a step changes a file whose name ends in something.
func (c *change) touches(suffix string) string {
	for _, f := range c.files {
		if name, how, _ := strings.Cut(f, " ("); strings.HasSuffix(name, suffix) && how != "delete)" {
			return name
		}
	}
	return ""
}

// code is a file of a package, and not of its tests, that a step changes.
func (c *change) code() string {
	for _, f := range c.files {
		if name, how, _ := strings.Cut(f, " ("); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && how != "delete)" {
			return name
		}
	}
	return ""
}

// seed decides what goes wrong. In a conflict, a step brings another one's file, too, which nobody but a person lets through; by then
// the other one, which had to wait for a third that is sent back, has landed.
func (h *history) seed(rnd *rand.Rand) {
	for _, c := range h.changes {
		if len(c.needs) == 0 && h.conflict(c) {
			break
		}
	}
	faults := []string{"crash", "lie", "hang", "red", "scope", "weakened"}
	for i, at := range rnd.Perm(len(h.changes)) {
		c := h.changes[at]
		if c.fault != "" || i%4 == 3 && len(h.changes) > 8 { // some do it right at once
			continue
		}
		c.fault = faults[0]
		if c.fault == "red" && c.code() == "" {
			c.fault = "lie"
		}
		faults = append(faults[1:], faults[0])
	}
}

// fork has a step begin beside the one before it, on which it depends in the chain alone, and change every line of a file that is the
// other's: a conflict, once a person let both through. It is the first without which, and with the next, all builds.
func (h *history) fork() {
	var code []*change
	for _, c := range h.changes {
		if c.code() != "" {
			code = append(code, c)
		}
	}
	for i := 1; i+1 < len(code); i++ {
		a, b := code[i-1], code[i]
		if !slices.Contains(b.needs, a.n) || h.old(a) == "" || !h.separate(a, b) {
			continue
		}
		b.fault, b.rival, b.strays, a.fault = "conflict", a.n, h.old(a), "weakened"
		b.needs = slices.DeleteFunc(append(b.needs, a.needs...), func(n int) bool { return n == a.n })
		slices.Sort(b.needs)
		b.needs = slices.Compact(b.needs)
		if next := code[i+1]; !slices.Contains(next.needs, a.n) {
			next.needs = append(next.needs, a.n)
		}
		h.t.Logf("step %d begins beside step %d", b.n, a.n)
		return
	}
	h.t.Error("no two steps of the chain can begin at once: there is no conflict")
}

// before is the tree that a step was made on in the history.
func (h *history) before(c *change) string {
	if c.n == 1 {
		return "HEAD^{tree}"
	}
	return h.changes[c.n-2].tree
}

// separate says whether all builds with a step, and without an earlier one that has no file in common with it.
func (h *history) separate(without, with *change) bool {
	for name := range with.blobs {
		if without.blobs[name] != "" {
			return false
		}
	}
	h.git(h.dir, "read-tree", "-u", "--reset", h.before(with))
	defer h.git(h.dir, "reset", "-q", "--hard", "HEAD")
	apply := func(args ...string) bool {
		c := exec.Command("git", append([]string{"apply", "--index", "--whitespace=nowarn"}, args...)...)
		c.Dir = h.dir
		return c.Run() == nil
	}
	return apply("-R", h.patch(without.n)) && apply(h.patch(with.n)) && tool(h.dir, "build", "./...") == nil
}

func (h *history) conflict(c *change) bool {
	for _, rival := range h.changes[c.n:] {
		for _, back := range h.changes[:rival.n-1] {
			strays := h.old(rival)
			free := back != c && back.fault+rival.fault == "" && strays != ""
			if free && h.leads(back.n, rival.n) && !h.leads(c.n, rival.n) && !h.leads(c.n, back.n) {
				c.fault, c.rival, c.strays, back.fault = "conflict", rival.n, strays, "weakened"
				return true
			}
		}
	}
	return false
}

// old is a file that a step changes and that was there at the base; empty: none.
func (h *history) old(c *change) string {
	for _, f := range c.files {
		name, ok := strings.CutSuffix(f, " (change)")
		if ok && !slices.ContainsFunc(h.changes, func(u *change) bool { return slices.Contains(u.files, name+" (new)") }) {
			return name
		}
	}
	return ""
}

// plan is the history as a plan.
func (h *history) plan(check string) string {
	var b strings.Builder
	b.WriteString("# Plan: Replay the history\n\n## Steps\n\n")
	for _, c := range h.changes {
		needs := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.needs), " ", ", "), "[]")
		if needs == "" {
			needs = "none"
		}
		fmt.Fprintf(&b, "### %d. %s\n\n- files: %s\n- depends on: %s\n- do: Bring what the commit %.10s brought.\n", c.n, c.title(),
			strings.Join(c.files, ", "), needs, c.hash)
		fmt.Fprintf(&b, "- check: `%s`\n\n", cmp.Or(c.check, check))
	}
	return b.String()
}

// bring applies a patch, also where a part of it was applied before. A workspace's .git may not be written.
const bring = `p=%q
git apply --whitespace=nowarn "$p" 2>/dev/null || {
	git archive HEAD | tar x
	git ls-files -oz | xargs -0r rm -f
	git apply --whitespace=nowarn "$p"
}
`

// executors are two scripts: one does wrong what it is to do wrong, the other one brings what the history has. What a model does in its
// workspace is in a file of the step's, so that it can go on with it where it was cut off and is only told that.
func (h *history) executors(test string) (first, second string) {
	var wrong strings.Builder
	wrong.WriteString("info: {id: first}\nrules:\n")
	for _, c := range h.changes {
		brings := fmt.Sprintf(bring, h.patch(c.n))
		write(h.t, h.file(c.n, "second.sh"), brings)
		switch c.fault {
		case "crash", "hang":
			fmt.Fprintf(&wrong, "  - {contains: %q, error: %s}\n", "# "+c.title()+"\n", map[string]string{"crash": "crash", "hang": "stall"}[c.fault])
			brings = map[string]string{"hang": "sleep 600\n"}[c.fault]
		case "lie":
			brings = ""
		case "red":
			brings += fmt.Sprintf("echo 'func {' >>%q\n", c.code())
		case "weakened":
			brings += fmt.Sprintf("sed -i 5,9d %q\n", test)
		case "scope":
			brings += "echo more >stray.txt\n"
		case "conflict": // every line of a file that is the rival's; when it is done again, it is right
			brings = brings + fmt.Sprintf("sed -i 's/$/ /' %q\n", c.strays)
		}
		write(h.t, h.file(c.n, "first.sh"), brings)
	}
	act := func(who string) string {
		return fmt.Sprintf("calls: [{tool: bash, args: {command: %q}}], reply: Done. All tests pass.}\n",
			`sh "`+h.patches+`/$(basename "$PWD" | cut -d - -f 2).`+who+`.sh"`)
	}
	wrong.WriteString("  - {contains: Your change is not done yet, reply: It is done now.}\n")
	wrong.WriteString("  - {contains: Redo this step, " + act("second") + "  - {" + act("first"))
	first, second = filepath.Join(h.patches, "first.yaml"), filepath.Join(h.patches, "second.yaml")
	write(h.t, first, wrong.String())
	write(h.t, second, "info: {id: second}\nrules:\n  - {"+act("second"))
	return "script:" + first, "script:" + second
}

func (h *history) file(n int, end string) string {
	return filepath.Join(h.patches, fmt.Sprintf("%d.%s", n, end))
}

func (h *history) patch(n int) string { return h.file(n, "patch") }
