package snapshot_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

var (
	parts  = []string{"a", "b", "c", "ü", "x\ny", "-"}
	bodies = []string{"", "x", "y", "z", "x\r\n", "y\n\x00"} // many of one length: git must not go by size and time alone
	rules  = []string{"a", "b/", "*", "!a\n*", "c/a", ""}
)

// walk is a random walk over edits, snapshots and restores.
type walk struct {
	kept
	t       *testing.T
	r       *rapid.T
	outside string
	rules   bool // some files are ignored
	trees   []string
	states  map[string]map[string]string // what the folder was at each tree
	base    string
}

func (w *walk) path() string {
	deep := rapid.IntRange(1, 3).Draw(w.r, "deep")
	var names []string
	for range deep {
		names = append(names, rapid.SampledFrom(parts).Draw(w.r, "part"))
	}
	return filepath.Join(names...)
}

// room makes folders of what lies above name, and nothing of what lies there, and never goes through a link.
func (w *walk) room(name string) string {
	full := w.dir
	for part := range strings.SplitSeq(filepath.Dir(name), string(filepath.Separator)) {
		full = filepath.Join(full, part)
		if info, err := os.Lstat(full); err == nil && !info.IsDir() {
			try(w.t, os.Remove(full))
		}
		try(w.t, os.MkdirAll(full, 0o755))
	}
	full = filepath.Join(w.dir, name)
	try(w.t, os.RemoveAll(full))
	return full
}

func (w *walk) edit() {
	some := func() string { // a file that is there
		all := files(w.t, w.dir)
		if len(all) == 0 {
			return ""
		}
		return rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(w.r, "file")
	}
	body := rapid.SampledFrom(bodies).Draw(w.r, "body")
	switch kind := rapid.SampledFrom([]string{"write", "write", "change", "chmod", "remove", "rename", "link", "wipe", "rules"}).Draw(w.r, "edit"); kind {
	case "write":
		try(w.t, os.WriteFile(w.room(w.path()), []byte(body), 0o644))
	case "link":
		to := rapid.SampledFrom([]string{"a", "../b", "nowhere", w.outside, w.outside + "/file", "."}).Draw(w.r, "to")
		try(w.t, os.Symlink(to, w.room(w.path())))
	case "wipe":
		w.room(w.path())
	case "rules":
		if w.rules {
			name := filepath.Join(rapid.SampledFrom([]string{".", "a", "b"}).Draw(w.r, "where"), ".gitignore")
			try(w.t, os.WriteFile(w.room(name), []byte(rapid.SampledFrom(rules).Draw(w.r, "rule")+"\n"), 0o644))
		}
	default:
		if name := some(); name != "" {
			w.touch(kind, filepath.Join(w.dir, name), body)
		}
	}
}

func (w *walk) touch(kind, full, body string) {
	info, err := os.Lstat(full)
	try(w.t, err)
	switch {
	case kind == "remove":
		try(w.t, os.Remove(full))
	case kind == "rename":
		temp := filepath.Join(w.dir, "moving")
		try(w.t, os.Rename(full, temp))
		try(w.t, os.Rename(temp, w.room(w.path())))
	case !info.Mode().IsRegular():
	case kind == "chmod":
		try(w.t, os.Chmod(full, info.Mode().Perm()^0o111))
	default:
		try(w.t, os.WriteFile(full, []byte(body), 0o644))
	}
}

func (w *walk) snap() {
	s := w.take(w.t)
	now := files(w.t, w.dir)
	held := w.tree(w.t, s.Tree)
	for name, is := range held {
		if now[name] != is {
			w.r.Fatalf("the snapshot holds %q as %s, but it is %s", name, is, now[name])
		}
	}
	if !w.rules && len(held) != len(now) {
		w.r.Fatalf("the snapshot holds %v of %v", held, now)
	}
	w.base = s.Tree
	w.trees = append(w.trees, s.Tree)
	w.states[s.Tree] = held
}

func (w *walk) back() {
	to := rapid.SampledFrom(w.trees).Draw(w.r, "to")
	before := files(w.t, w.dir)
	r := w.restore(w.t, to, w.base)
	after := files(w.t, w.dir)
	saved, from, want := w.states[w.base], w.states[w.base], w.states[to]
	if r.Kept != "" {
		saved = w.tree(w.t, r.Kept)
		w.trees = append(w.trees, r.Kept)
		w.states[r.Kept] = saved
	}
	ours := func(name string) bool { return from[name] != want[name] }
	for name, was := range before {
		if after[name] != was && (saved[name] != was || !ours(name)) {
			w.r.Fatalf("%q is lost: %+v", name, r)
		}
	}
	for name, is := range want {
		if ours(name) && after[name] != is && !strings.Contains("\x00"+strings.Join(r.Left, "\x00"), "\x00"+name+": ") {
			w.r.Fatalf("%q was not restored: %+v", name, r)
		}
	}
	if !w.rules && len(r.Left) == 0 {
		for name, is := range after {
			if !ours(name) && before[name] != is || ours(name) && want[name] != is {
				w.r.Fatalf("restored %v, want %v: %+v", after, want, r)
			}
		}
		if maps.Equal(before, from) && r.Tree != to {
			w.r.Fatalf("restored %v, want %v: %+v", after, want, r)
		}
	}
	w.base = r.Tree
	w.states[r.Tree] = w.tree(w.t, r.Tree)
}

// However files are changed and snapshots walked, they come back byte for byte, and nothing that ever lay there is lost.
func TestRandomWalksComeBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names and links that Windows has not")
	}
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		try(t, flag.Set("rapid.checks", "30")) // each walk starts a hundred gits
		defer flag.Set("rapid.checks", checks.DefValue)
	}
	rapid.Check(t, func(r *rapid.T) { stroll(t, r) })
}

func stroll(t *testing.T, r *rapid.T) {
	root, err := os.MkdirTemp(t.TempDir(), "walk")
	try(t, err)
	defer os.RemoveAll(root)
	outside, dir := filepath.Join(root, "outside"), filepath.Join(root, "project")
	write(t, outside, "file", "mine")
	try(t, os.Mkdir(dir, 0o755))
	w := &walk{kept: reopen(t, dir, filepath.Join(root, "data/snapshots")), t: t, r: r, outside: outside, rules: rapid.Bool().Draw(r, "rules"),
		states: map[string]map[string]string{}}
	w.snap()
	for range rapid.IntRange(1, 4).Draw(r, "steps") {
		for range rapid.IntRange(0, 8).Draw(r, "edits") {
			w.edit()
		}
		if rapid.Bool().Draw(r, "snap") {
			w.snap()
		} else {
			w.back()
		}
	}
	w.back()
	if body, err := os.ReadFile(filepath.Join(outside, "file")); err != nil || string(body) != "mine" || len(files(t, outside)) != 1 {
		r.Fatalf("outside is now %v", files(t, outside))
	}
}

// Several at once wait for each other.
func TestSeveralAtOnce(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	write(t, dir, "file", "x")
	base := first.take(t)
	var all sync.WaitGroup
	for i := range 4 {
		p := reopen(t, dir, first.store)
		all.Go(func() {
			for j := range 5 {
				os.WriteFile(filepath.Join(dir, fmt.Sprint("file", i)), []byte(fmt.Sprint(j)), 0o644)
				if _, err := p.Take(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := p.Restore(t.Context(), base.Tree, nil, false, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	same(t, "the snapshot", first.tree(t, first.take(t).Tree), files(t, dir))
}

// A process that is killed in the middle of a restore leaves files of this or that snapshot, no halves, and the next
// one goes on.
func TestKilledInTheMiddle(t *testing.T) {
	if at := os.Getenv("SNAPSHOT_TEST_VICTIM"); at != "" {
		dir, store, _ := strings.Cut(at, "\n")
		p := reopen(t, dir, store)
		trees := strings.Fields(os.Getenv("SNAPSHOT_TEST_TREES"))
		for i := 0; ; i++ {
			p.restore(t, trees[i%2], "")
			fmt.Println("restored")
		}
	}
	dir := t.TempDir()
	p := open(t, dir)
	var trees []string
	var states []map[string]string
	for _, body := range []string{strings.Repeat("one\n", 1000), strings.Repeat("two\n", 1000)} {
		for i := range 300 {
			write(t, dir, fmt.Sprint("d", i%7, "/f", i), body)
		}
		trees = append(trees, p.take(t).Tree)
		states = append(states, files(t, dir))
	}
	broken := 0
	for range 5 {
		c := exec.Command(os.Args[0], "-test.run=^TestKilledInTheMiddle$")
		c.Env = append(os.Environ(), "SNAPSHOT_TEST_VICTIM="+dir+"\n"+p.store, "SNAPSHOT_TEST_TREES="+strings.Join(trees, " "))
		out, err := c.StdoutPipe()
		try(t, err)
		try(t, c.Start())
		lines := bufio.NewScanner(out)
		lines.Scan()
		half := func() bool { // the first file and the last one are of different snapshots
			first, _ := os.ReadFile(filepath.Join(dir, "d0/f0"))
			last, _ := os.ReadFile(filepath.Join(dir, "d6/f97"))
			return !bytes.Equal(first, last)
		}
		for n := 0; n < 20_000 && !half(); n++ {
		}
		try(t, c.Process.Kill())
		c.Wait()
		if half() {
			broken++
		}
		for name, is := range files(t, dir) {
			if !strings.Contains(name, ".socrates-restore-") && is != states[0][name] && is != states[1][name] {
				t.Fatalf("%s is half written", name)
			}
		}
		for i, tree := range trees {
			p.restore(t, tree, "")
			same(t, "restored", files(t, dir), states[i])
		}
	}
	t.Logf("%d of 5 were killed in the middle", broken)
}
