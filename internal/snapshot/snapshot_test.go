package snapshot_test

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/snapshot"
)

// kept is a folder with a keeper.
type kept struct {
	*snapshot.Keeper
	dir, store string
}

func open(t testing.TB, dir string) kept {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	return reopen(t, dir, filepath.Join(t.TempDir(), "data", "snapshots"))
}

func reopen(t testing.TB, dir, store string) kept {
	t.Helper()
	k, err := snapshot.Open(t.Context(), dir, store)
	if err != nil {
		t.Fatal(err)
	}
	return kept{k, dir, store}
}

func (p kept) take(t testing.TB) snapshot.Snapshot {
	t.Helper()
	s, err := p.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p kept) restore(t testing.TB, to, from string) snapshot.Restored {
	t.Helper()
	var steps []snapshot.Step
	if from != "" {
		steps = append(steps, snapshot.Step{Before: to, After: from})
	}
	r, err := p.Restore(t.Context(), to, steps, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(body), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// files is what lies in dir, .git excepted: mode and git's name for the bytes, by path.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	try(t, filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode, body := "100644", []byte(nil)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, linkErr := os.Readlink(full)
			mode, body, err = "120000", []byte(to), linkErr
		case !info.Mode().IsRegular():
			return nil
		default:
			if info.Mode()&0o100 != 0 {
				mode = "100755"
			}
			body, err = os.ReadFile(full)
		}
		rel, _ := filepath.Rel(dir, full)
		all[filepath.ToSlash(rel)] = fmt.Sprintf("%s %x", mode, sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(body), body)))
		return err
	}))
	return all
}

// tree is what a snapshot holds, as git itself says.
func (p kept) tree(t testing.TB, hash string) map[string]string {
	t.Helper()
	out, err := exec.Command("git", "--git-dir="+p.home(t), "ls-tree", "-r", "-z", hash).Output()
	try(t, err)
	all := map[string]string{}
	for row := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if what, name, ok := strings.Cut(row, "\t"); ok {
			f := strings.Fields(what)
			all[name] = f[0] + " " + f[2]
		}
	}
	return all
}

func (p kept) home(t testing.TB) string {
	t.Helper()
	homes, _ := filepath.Glob(filepath.Join(p.store, "*"))
	if len(homes) != 1 {
		t.Fatalf("git dirs: %q", homes)
	}
	return homes[0]
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Bytes, modes and names that git, left to itself, changes or stumbles over.
func TestStrangeFilesComeBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names and links that Windows has not")
	}
	dir := t.TempDir()
	write(t, dir, ".gitattributes", "* text=auto eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n*.bin -diff\n")
	write(t, dir, "crlf", "a\r\nb\nc\r")
	write(t, dir, "ident", "$Id$ $Id: x$\n")
	write(t, dir, "empty", "")
	write(t, dir, "zero.bin", "\x00\xff\xfe")
	write(t, dir, "new\nline", "1")
	write(t, dir, "ünï/码 \U0001F980", "2")
	write(t, dir, "not\xffutf8", "3")
	write(t, dir, "-rf", "4")
	write(t, dir, ":(glob)*", "5")
	write(t, dir, `back\slash "quote"`, "6")
	write(t, dir, "run", "#!/bin/sh\n")
	try(t, os.Chmod(filepath.Join(dir, "run"), 0o755))
	write(t, dir, "private", "7")
	try(t, os.Chmod(filepath.Join(dir, "private"), 0o600))
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "file", "mine")
	try(t, os.Symlink(outside, filepath.Join(dir, "out")))
	try(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	p := open(t, dir)
	first, want := p.take(t), files(t, dir)
	same(t, "the snapshot", p.tree(t, first.Tree), want)

	write(t, dir, "private", "changed")
	for name := range want {
		if name != "private" {
			try(t, os.Remove(filepath.Join(dir, name)))
		}
	}
	// What was a link is a folder now, and what was a folder a file.
	write(t, dir, "out/file", "x")
	write(t, dir, "dangling/a/b", "x")
	try(t, os.Remove(filepath.Join(dir, "ünï")))
	write(t, dir, "ünï", "x")
	edited := files(t, dir)
	r := p.restore(t, first.Tree, "")
	same(t, "restored", files(t, dir), want)
	same(t, "kept", p.tree(t, r.Kept), edited)
	if info, _ := os.Stat(filepath.Join(dir, "private")); info.Mode().Perm() != 0o600 || len(r.Left) > 0 || r.Tree != first.Tree {
		t.Errorf("private is %v, and %+v", info.Mode(), r)
	}
	again := p.restore(t, r.Kept, r.Tree)
	same(t, "restored again", files(t, dir), edited)
	if again.Kept != "" {
		t.Errorf("nothing had changed, but Kept = %s", again.Kept)
	}
	if body, _ := os.ReadFile(filepath.Join(outside, "file")); string(body) != "mine" {
		t.Errorf("the file outside is now %q", body)
	}
}

func TestWhatIsIgnoredOrTooLargeIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	write(t, dir, ".gitignore", "*.log\nbuild/\n")
	write(t, dir, "a.log", "ignored")
	write(t, dir, "build/x", "ignored")
	write(t, dir, "a", "a")
	write(t, dir, "grows", "small")
	big := strings.Repeat("x", snapshot.LargestFile+1)
	write(t, dir, "big", big)
	git(t, dir, "init", "-q", "inner")
	write(t, dir, "inner/file", "of another repository")
	first := p.take(t)
	slices.Sort(first.Left)
	left := []string{"a.log: ignored", "big: larger than 10 MB", "build/: ignored", "inner/: a separate repository"}
	if !slices.Equal(first.Left, left) {
		t.Errorf("Left = %q, want %q", first.Left, left)
	}
	if held := slices.Sorted(maps.Keys(p.tree(t, first.Tree))); !slices.Equal(held, []string{".gitignore", "a", "grows"}) {
		t.Errorf("the snapshot holds %q", held)
	}

	// With the rules gone, what they ignored becomes part of a snapshot, but is still nobody's to remove.
	try(t, os.Remove(filepath.Join(dir, ".gitignore")))
	write(t, dir, "grows", big)
	write(t, dir, "new", "new")
	second := p.take(t)
	if held := slices.Sorted(maps.Keys(p.tree(t, second.Tree))); !slices.Equal(held, []string{"a", "a.log", "build/x", "new"}) {
		t.Errorf("the second snapshot holds %q", held)
	}
	r := p.restore(t, first.Tree, second.Tree)
	left = []string{"a.log: ignored in that snapshot", "build/x: ignored in that snapshot",
		"grows: the current content is not saved: it is ignored, too large, unreadable or not a file"}
	if !slices.Equal(r.Left, left) || !slices.Equal(r.Files, []string{".gitignore", "new"}) || r.Kept != "" {
		t.Errorf("Restore = %+v", r)
	}
	names := slices.Sorted(maps.Keys(files(t, dir)))
	if !slices.Equal(names, []string{".gitignore", "a", "a.log", "big", "build/x", "grows", "inner/file"}) {
		t.Errorf("the folder holds %q", names)
	}
	if info, err := os.Stat(filepath.Join(dir, "grows")); err != nil || info.Size() != int64(len(big)) {
		t.Errorf("grows was touched: %v", err)
	}
}

// What there is no room for is left out, named and left alone; what is held stays, also when all of it changes.
func TestAFullSnapshot(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	p.Bound(3, 2<<20)
	for i := range 200 {
		write(t, dir, fmt.Sprintf("f%03d", i), "one")
	}
	first := p.take(t)
	full := ": the snapshot is full: 3 files or 2 MB"
	if held := slices.Sorted(maps.Keys(p.tree(t, first.Tree))); !slices.Equal(held, []string{"f000", "f001", "f002"}) {
		t.Errorf("the snapshot holds %q", held)
	}
	if n := len(first.Left); n != 101 || first.Left[0] != "f003"+full || first.Left[100] != "97 more"+full {
		t.Errorf("Left has %d entries: %q", n, first.Left)
	}
	ones := files(t, dir)
	for i := range 200 {
		write(t, dir, fmt.Sprintf("f%03d", i), "two")
	}
	try(t, os.Remove(filepath.Join(dir, "f001")))
	second := p.take(t)
	if held := slices.Sorted(maps.Keys(p.tree(t, second.Tree))); !slices.Equal(held, []string{"f000", "f002", "f003"}) {
		t.Errorf("the second snapshot holds %q", held)
	}
	twos := files(t, dir)
	p.restore(t, first.Tree, second.Tree)
	now := files(t, dir)
	for name, want := range map[string]string{"f000": ones["f000"], "f001": ones["f001"], "f002": ones["f002"], "f003": twos["f003"], "f004": twos["f004"], "f199": twos["f199"]} {
		if now[name] != want {
			t.Errorf("%s is %s, not %s", name, now[name], want)
		}
	}

	write(t, dir, "f000", strings.Repeat("x", 2<<20))
	third := p.take(t)
	held := slices.Sorted(maps.Keys(p.tree(t, third.Tree)))
	if !slices.Equal(held, []string{"f001", "f002", "f003"}) || !slices.Contains(third.Left, "f000"+full) {
		t.Errorf("two megabytes are full, and the third snapshot holds %q without %q", held, third.Left)
	}
}

// A folder below the top of somebody's repository, whose rules and tracked files count and whose .git stays as it is.
func TestTheRepositoryIsLeftAlone(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "packages", "a")
	write(t, top, ".gitignore", "/packages/*/dist/\n*.gen\n")
	write(t, top, "other", "not ours")
	write(t, dir, "forced.gen", "tracked although ignored")
	write(t, dir, "file", "1\n2\n")
	p := open(t, dir)
	early := p.take(t) // there is no repository yet, so the rules above do not count
	git(t, top, "init", "-q")
	git(t, top, "add", "-f", ".")
	git(t, top, "commit", "-qm", "first")
	write(t, top, ".git/info/exclude", "secret\n")
	write(t, dir, "staged", "s")
	git(t, top, "add", "packages/a/staged")
	write(t, top, ".git/hooks/post-index-change", "#!/bin/sh\ntouch "+filepath.Join(top, "hook")+"\n")
	try(t, os.Chmod(filepath.Join(top, ".git/hooks/post-index-change"), 0o755))
	write(t, dir, "dist/out", "ignored")
	write(t, dir, "secret", "ignored")
	write(t, dir, "other.gen", "ignored")
	before := gitDir(t, top)

	p = reopen(t, dir, p.store)
	first := p.take(t)
	slices.Sort(first.Left)
	if want := []string{"dist/: ignored", "other.gen: ignored", "secret: ignored"}; !slices.Equal(first.Left, want) {
		t.Errorf("Left = %q", first.Left)
	}
	if held := slices.Sorted(maps.Keys(p.tree(t, first.Tree))); !slices.Equal(held, []string{"file", "forced.gen", "staged"}) {
		t.Errorf("the snapshot holds %q", held)
	}
	write(t, dir, "file", "1\n3\n4\n")
	write(t, dir, "forced.gen", "changed")
	try(t, os.Remove(filepath.Join(dir, "staged")))
	second := p.take(t)
	changes, err := p.Diff(t.Context(), first.Tree, second.Tree)
	try(t, err)
	var said []string
	for _, c := range changes {
		said = append(said, fmt.Sprint(c.Path, " ", c.Kind, " +", c.Added, " -", c.Removed))
	}
	if want := []string{"file modified +2 -1", "forced.gen modified +1 -1", "staged deleted +0 -1"}; !slices.Equal(said, want) {
		t.Errorf("Diff = %q", said)
	}
	patch, err := p.Patch(t.Context(), first.Tree, second.Tree, "file")
	if err != nil || !strings.Contains(patch, "-2\n+3\n+4\n") || strings.Contains(patch, "forced") {
		t.Errorf("Patch = %q, %v", patch, err)
	}
	p.restore(t, first.Tree, second.Tree)
	same(t, "restored", p.tree(t, p.take(t).Tree), p.tree(t, first.Tree))
	p.restore(t, early.Tree, "")
	if names := slices.Sorted(maps.Keys(files(t, dir))); !slices.Equal(names, []string{"dist/out", "file", "forced.gen", "other.gen", "secret"}) {
		t.Errorf("the folder holds %q", names)
	}
	same(t, ".git", gitDir(t, top), before)
	if _, err := os.Stat(filepath.Join(top, "hook")); err == nil {
		t.Error("a hook ran")
	}
}

// gitDir is each file of .git with its time of change.
func gitDir(t testing.TB, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	try(t, filepath.WalkDir(filepath.Join(top, ".git"), func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all[full] = fmt.Sprint(info.ModTime().UnixNano(), info.Size(), info.Mode())
		return err
	}))
	return all
}

// Only what changed between two states is taken back; what somebody changed besides stays, and what was changed in those
// very files is named, or stays where care is asked for.
func TestOnlyWhatChangedIsTakenBack(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	write(t, dir, "a", "1")
	write(t, dir, "b", "1")
	write(t, dir, "mine", "1")
	before := p.take(t)
	write(t, dir, "a", "2")
	write(t, dir, "b", "2")
	write(t, dir, "new", "2")
	after := p.take(t)
	write(t, dir, "b", "3")
	write(t, dir, "mine", "3")
	write(t, dir, "other/x", "3")
	edited := files(t, dir)
	var changed *snapshot.Edited
	if _, err := p.Restore(t.Context(), before.Tree, []snapshot.Step{{Before: before.Tree, After: after.Tree}}, true, nil); !errors.As(err, &changed) || !slices.Equal(changed.Files, []string{"b"}) {
		t.Errorf("with care: %v", err)
	}
	same(t, "left", files(t, dir), edited)
	r := p.restore(t, before.Tree, after.Tree)
	if !slices.Equal(r.Files, []string{"a", "b", "new"}) || !slices.Equal(r.Removed, []string{"new"}) || !slices.Equal(r.Edited, []string{"b"}) {
		t.Errorf("Restore = %+v", r)
	}
	for name, want := range map[string]string{"a": "1", "b": "1", "mine": "3", "other/x": "3"} {
		if body, _ := os.ReadFile(filepath.Join(dir, name)); string(body) != want {
			t.Errorf("%s is %q, not %q", name, body, want)
		}
	}
	p.restore(t, r.Kept, r.Tree)
	same(t, "taken back again", files(t, dir), edited)
}

// What is written once more just as it is kept is nobody's change, also within the same second, which git takes for one moment.
func TestWrittenAgainAsItIs(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	empty := p.take(t)
	write(t, dir, "file", "x")
	kept := p.take(t)
	write(t, dir, "file", "x")
	if r := p.restore(t, empty.Tree, kept.Tree); len(r.Left) > 0 || r.Kept != "" || len(files(t, dir)) > 0 {
		t.Errorf("%+v, %v", r, files(t, dir))
	}
}

// What this process wrote last is not what is there once another one has taken a snapshot.
func TestTakenByAnother(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	write(t, dir, "file", "x")
	first := p.take(t)
	if again := p.take(t); again.Tree != first.Tree {
		t.Errorf("nothing changed: %s, then %s", first.Tree, again.Tree)
	}
	other := reopen(t, dir, p.store)
	write(t, dir, "more", "y")
	second := other.take(t)
	if got := p.take(t); got.Tree != second.Tree {
		t.Errorf("after another's: %s, want %s", got.Tree, second.Tree)
	}
	os.Remove(filepath.Join(dir, "more"))
	if got := other.take(t); got.Tree != first.Tree {
		t.Errorf("back: %s, want %s", got.Tree, first.Tree)
	}
	if got := p.take(t); got.Tree != first.Tree {
		t.Errorf("back, after another's: %s, want %s", got.Tree, first.Tree)
	}
}

func TestPruneDropsWhatNobodyKeeps(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	var trees []string
	for _, body := range []string{"kept", "dropped", "young", "latest"} {
		write(t, dir, "file", body)
		trees = append(trees, p.take(t).Tree)
	}
	for _, tree := range []string{trees[0], trees[1], trees[3]} {
		old := time.Now().Add(-2 * time.Hour)
		try(t, os.Chtimes(filepath.Join(p.home(t), "taken", tree), old, old))
	}
	keep := []string{trees[0], strings.Repeat("0", 40), "no hash"}
	for _, dry := range []bool{true, false} {
		got, err := p.Prune(t.Context(), keep, []string{trees[1], strings.Repeat("1", 40)}, dry)
		try(t, err)
		if got.Kept != 3 || got.Dropped != 1 || got.Bytes == 0 || dry != (got.After == 0) {
			t.Errorf("dry %v: %+v", dry, got)
		}
	}
	if dirs, err := snapshot.Folders(p.store); err != nil || len(dirs) != 1 || filepath.Base(dirs[0]) != filepath.Base(dir) {
		t.Errorf("folders %q, %v", dirs, err)
	}
	for i, tree := range trees {
		_, err := p.Diff(t.Context(), tree, trees[0])
		if i == 1 != errors.Is(err, snapshot.ErrUnknown) {
			t.Errorf("snapshot %d: %v", i, err)
		}
	}
	p.restore(t, trees[0], trees[3])
	if body, _ := os.ReadFile(filepath.Join(dir, "file")); string(body) != "kept" {
		t.Errorf("the file is %q", body)
	}
	for _, bad := range []string{"", "HEAD", "--all", trees[1], strings.Repeat("0", 40)} {
		if _, err := p.Restore(t.Context(), bad, nil, false, nil); !errors.Is(err, snapshot.ErrUnknown) {
			t.Errorf("Restore(%q) = %v", bad, err)
		}
	}
	_, err := p.Prune(t.Context(), nil, nil, false)
	try(t, err)
}

// What a killed process leaves behind, and what a crash of the machine can do to the index, is no hindrance.
func TestLeftoversAreNoHindrance(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir)
	write(t, dir, "file", "1")
	first := p.take(t)
	for _, spoil := range []func(){
		func() { write(t, p.home(t), "index.lock", "") },
		func() { write(t, p.home(t), "index.DEAD", ""); write(t, p.home(t), "index.DEAD.lock", "") },
		func() { write(t, p.home(t), "index", "") },
		func() { write(t, p.home(t), "index", "DIRC and no more") },
		func() { try(t, os.Remove(filepath.Join(p.home(t), "index"))) },
		func() { try(t, os.Remove(filepath.Join(p.home(t), "info/attributes"))) },
		func() { write(t, dir, ".socrates-restore-DEAD", "half a file") },
	} {
		spoil()
		if s := reopen(t, dir, p.store).take(t); s.Tree != first.Tree {
			t.Errorf("the snapshot is another one: %v", p.tree(t, s.Tree))
		}
	}
	if names := slices.Sorted(maps.Keys(files(t, dir))); !slices.Equal(names, []string{"file"}) {
		t.Errorf("the folder holds %q", names)
	}
	if left, _ := filepath.Glob(filepath.Join(p.home(t), "index.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Our own records in the folder are no part of it.
func TestOwnRecordsAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "1")
	write(t, dir, "share/data/socrates.db", "the record")
	p := reopen(t, dir, filepath.Join(dir, "share/data/snapshots"))
	if held := p.tree(t, p.take(t).Tree); len(held) != 1 {
		t.Errorf("the snapshot holds %v", held)
	}
}
