package git_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
)

// temporary makes temp the temporary folder of this test.
func temporary(t testing.TB, temp string) string {
	t.Helper()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	return temp
}

func TestCopyOfAPlainFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "12345")
	write(t, dir, "d/b", "12345")
	write(t, dir, "d/e/big", strings.Repeat("x", 3<<20))
	write(t, dir, ".git/config", "x")
	c := copyOf(t, dir)
	if got := listing(t, c.Dir); !slices.Equal(got, []string{"a", "d/b", "d/e/big"}) {
		t.Errorf("the copy holds %q", got)
	}
	if got := changes(t, c); len(got) > 0 {
		t.Errorf("nothing was changed, but %q", got)
	}
	write(t, c.Dir, "d/b", "12346")
	os.Rename(filepath.Join(c.Dir, "a"), filepath.Join(c.Dir, "z"))
	big, _ := os.OpenFile(filepath.Join(c.Dir, "d/e/big"), os.O_WRONLY, 0)
	big.WriteAt([]byte("y"), 2<<20)
	big.Close()
	os.Chtimes(big.Name(), time.Unix(1, 0), time.Unix(1, 0))
	write(t, c.Dir, ".git/config", "x")
	if got := changes(t, c); !slices.Equal(got, []string{".git/config", "a", "d/b", "d/e/big", "z"}) {
		t.Errorf("changes = %q", got)
	}
}

// What looks as it did is not what it was: times that were set back, a file that took another's place.
func TestCopyIsNotDeceivedByLooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are read here anyway")
	}
	dir := repository(t)
	c := copyOf(t, dir)
	name := filepath.Join(c.Dir, "a.txt")
	was, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.Dir, "a.txt", "one\ntwX\n")
	os.Chtimes(name, was.ModTime(), was.ModTime())
	other := filepath.Join(c.Dir, "sub/b.txt")
	was, _ = os.Stat(other)
	body, _ := os.ReadFile(other)
	write(t, t.TempDir(), "x", "")
	moved := filepath.Join(filepath.Dir(c.Dir), "moved")
	os.WriteFile(moved, []byte(strings.ToUpper(string(body))), was.Mode())
	os.Chtimes(moved, was.ModTime(), was.ModTime())
	os.Rename(moved, other)
	if got := changes(t, c); !slices.Equal(got, []string{"a.txt", "sub/b.txt"}) {
		t.Errorf("changes = %q", got)
	}
}

// A repository made in the copy, a file staged under an ignored name, an index that is gone.
func TestCopySeesWhatGitWouldNotSay(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string)
		want   []string
	}{
		"repository within": {func(dir string) { plain(t, dir, "init", "-q", "inner"); write(t, dir, "inner/f", "x") }, []string{"inner/.git/HEAD", "inner/f"}},
		"staged, ignored":   {func(dir string) { write(t, dir, "ignored", "x"); plain(t, dir, "add", "-f", "ignored") }, []string{"ignored"}},
		"index deleted":     {func(dir string) { os.Remove(filepath.Join(dir, ".git/index")) }, []string{".gitignore", "a.txt", "sub/b.txt"}},
		"index ruined":      {func(dir string) { write(t, dir, ".git/index", "x") }, []string{".git/index"}},
		"looked at": {func(dir string) {
			plain(t, dir, "status")
			plain(t, dir, "fetch", "-q", ".")
		}, nil},
		"borrowed":        {func(dir string) { write(t, dir, ".git/objects/info/alternates", "/elsewhere\n") }, []string{".git/objects/info/alternates"}},
		"another common":  {func(dir string) { write(t, dir, ".git/commondir", ".\n") }, []string{".git/commondir"}},
		"folder for file": {func(dir string) { os.Remove(filepath.Join(dir, "a.txt")); write(t, dir, "a.txt/x", "") }, []string{"a.txt", "a.txt/x"}},
		"link for folder": {func(dir string) {
			os.Rename(filepath.Join(dir, "sub"), dir+"-moved")
			os.Symlink(dir+"-moved", filepath.Join(dir, "sub"))
		}, []string{"sub", "sub/b.txt"}},
		"mode":    {func(dir string) { os.Chmod(filepath.Join(dir, "a.txt"), 0o755) }, []string{"a.txt"}},
		"touched": {func(dir string) { os.Chtimes(filepath.Join(dir, "a.txt"), time.Unix(1, 0), time.Unix(1, 0)) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (name == "mode" || name == "link for folder") {
				t.Skip("neither modes nor links here")
			}
			copied := copyOf(t, repository(t))
			c.change(copied.Dir)
			got := changes(t, copied)
			if name == "repository within" { // with all that git makes of one
				got = slices.DeleteFunc(got, func(n string) bool { return !slices.Contains(c.want, n) })
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("changes = %q, want %q", got, c.want)
			}
		})
	}
}

// Bytes that git quotes, and those that separate its lines, break neither the copy nor what is read of it.
func TestOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names cannot be made here")
	}
	names := []string{"new\nline", "tab\there", `quo"te`, `back\slash`, "bad\xff\xfebytes", " blank ", "#hash", "trail\r", "-dash", "日本"}
	dir := filepath.Join(t.TempDir(), "odd\n\"folder\\ #\xff")
	plain(t, t.TempDir(), "init", "-q", "-b", "main", dir)
	for _, n := range names {
		write(t, dir, n+"/"+n, n)
	}
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "odd")
	write(t, dir, "fresh\nfile", "x")
	c := copyOf(t, dir)
	for _, n := range names {
		if body, err := os.ReadFile(filepath.Join(c.Dir, n, n)); err != nil || string(body) != n {
			t.Errorf("%q: %q, %v", n, body, err)
		}
	}
	if log := plain(t, c.Dir, "log", "--format=%s"); log != "odd\n" {
		t.Errorf("log in the copy = %q", log)
	}
	if status := plain(t, c.Dir, "status", "-z", "--porcelain"); status != "?? fresh\nfile\x00" {
		t.Errorf("status in the copy = %q", status)
	}
	if got := changes(t, c); len(got) > 0 {
		t.Errorf("nothing was changed, but %q", got)
	}
	write(t, c.Dir, "new\nline/new\nline", "changed")
	write(t, c.Dir, "another\nfile", "x")
	if got := changes(t, c); !slices.Equal(got, []string{"another\nfile", "new\nline/new\nline"}) {
		t.Errorf("changes = %q", got)
	}
	if f := fingerprint(t, dir); f[".git/config"] == "" {
		t.Error("the fingerprint does not know the repository's settings")
	}
}

// A copy that is renewed shows what its original holds now, where it was; one that was changed is not renewed.
func TestCopyIsRenewed(t *testing.T) {
	for _, kind := range []string{"repository", "plain folder"} {
		dir := t.TempDir()
		if kind == "repository" {
			dir = repository(t)
		}
		for name, body := range map[string]string{"stays": "1", "goes/a": "1", "goes/b/c": "1", "turns": "1", "edited": "1", "touched": "1"} {
			write(t, dir, name, body)
		}
		c := copyOf(t, dir)
		kept, err := os.Stat(filepath.Join(c.Dir, "stays"))
		if err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(filepath.Join(dir, "goes"))
		write(t, dir, "goes", "a file now")
		os.Remove(filepath.Join(dir, "turns"))
		write(t, dir, "turns/into", "a folder")
		write(t, dir, "edited", "2")
		write(t, dir, "new/x", "1")
		os.Chtimes(filepath.Join(dir, "touched"), time.Unix(1, 0), time.Unix(1, 0))
		if kind == "repository" {
			plain(t, dir, "add", "edited")
			plain(t, dir, "commit", "-qm", "third")
		}
		if err := c.Renew(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
		inGit := func(s string) bool { return strings.HasPrefix(s, ".git/") }
		if got, want := slices.DeleteFunc(listing(t, c.Dir), inGit), slices.DeleteFunc(listing(t, dir), inGit); !slices.Equal(got, want) {
			t.Errorf("%s: the copy holds %q, want %q", kind, got, want)
		}
		if body, _ := os.ReadFile(filepath.Join(c.Dir, "edited")); string(body) != "2" {
			t.Errorf("%s: edited holds %q", kind, body)
		}
		if now, err := os.Stat(filepath.Join(c.Dir, "stays")); err != nil || runtime.GOOS != "windows" && !os.SameFile(kept, now) {
			t.Errorf("%s: what had not changed was copied again: %v", kind, err)
		}
		if kind == "repository" {
			if log := plain(t, c.Dir, "log", "-1", "--format=%s"); log != "third\n" {
				t.Errorf("log in the copy = %q", log)
			}
		}
		if got := changes(t, c); len(got) > 0 {
			t.Errorf("%s: nothing was changed, but %q", kind, got)
		}
		if kind == "repository" { // a commit that changes no file
			plain(t, dir, "commit", "-q", "--allow-empty", "-m", "fourth")
			if err := c.Renew(t.Context(), dir, nil); err != nil {
				t.Fatal(err)
			}
			if log := plain(t, c.Dir, "log", "-1", "--format=%s"); log != "fourth\n" {
				t.Errorf("log in the copy = %q", log)
			}
			made, err := os.Stat(filepath.Join(c.Dir, ".git"))
			if err == nil {
				err = c.Renew(t.Context(), dir, nil)
			}
			if now, missing := os.Stat(filepath.Join(c.Dir, ".git")); err != nil || missing != nil || runtime.GOOS != "windows" && !os.SameFile(made, now) {
				t.Errorf("nothing had changed, and its .git was made again: %v, %v", err, missing)
			}
		}
		os.Remove(filepath.Join(dir, "new", "x"))
		if err := c.Renew(t.Context(), dir, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(c.Dir, "new")); err == nil {
			t.Errorf("%s: what was removed is still in the copy", kind)
		}
		if got := changes(t, c); len(got) > 0 {
			t.Errorf("%s: nothing was changed, but %q", kind, got)
		}
		write(t, c.Dir, "edited", "3")
		if err := c.Renew(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "edited") {
			t.Errorf("%s: renewed a copy that was changed: %v", kind, err)
		}
	}
}

// Folders that trade places are a change, though no file in them was touched.
func TestCopySeesFoldersTradePlaces(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/x", "1")
	write(t, dir, "b/x", "2")
	write(t, dir, "b/y/z", "2")
	write(t, dir, "a/y/z", "2")
	c := copyOf(t, dir)
	for _, move := range [][2]string{{"a", "c"}, {"b", "a"}, {"c", "b"}} {
		if err := os.Rename(filepath.Join(c.Dir, move[0]), filepath.Join(c.Dir, move[1])); err != nil {
			t.Fatal(err)
		}
	}
	if got := changes(t, c); !slices.Equal(got, []string{"a/x", "b/x"}) {
		t.Errorf("changes = %q", got)
	}
}

// Several copies are alike, share nothing, and go together.
func TestCopiesAreMadeAtOnce(t *testing.T) {
	dir := repository(t)
	write(t, dir, "new/x", "1")
	var last [2]int
	temp := temporary(t, t.TempDir())
	copies, err := git.Copies(t.Context(), dir, 3, git.Limits{}, func(done, all int) { last = [2]int{done, all} })
	if err != nil {
		t.Fatal(err)
	}
	if last != [2]int{4, 4} {
		t.Errorf("the last news was %v", last)
	}
	write(t, copies[1].Dir, "a.txt", "mine")
	plain(t, copies[1].Dir, "config", "x.y", "z")
	for i, c := range copies {
		want := []string(nil)
		if i == 1 {
			want = []string{".git/config", "a.txt"}
		}
		if got := changes(t, c); !slices.Equal(got, want) {
			t.Errorf("copy %d: %q", i, got)
		}
		if log := plain(t, c.Dir, "log", "--format=%s"); log != "second: sub\nfirst\n" {
			t.Errorf("log in copy %d = %q", i, log)
		}
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Where a copy cannot be made there is none, and nothing is left of it; the reason is named.
func TestNoCopy(t *testing.T) {
	small := func(t *testing.T) string {
		dir := t.TempDir()
		write(t, dir, "a", "12345")
		write(t, dir, "d/b", "12345")
		return dir
	}
	cases := map[string]struct {
		dir    func(*testing.T) string
		temp   func(t *testing.T, dir string) string
		limits git.Limits
		want   string
	}{
		"too many files":                  {dir: small, limits: git.Limits{Files: 1}, want: "more than 1 files"},
		"too many files of a repository":  {dir: func(t *testing.T) string { return repository(t) }, limits: git.Limits{Files: 1}, want: "more than 1 files"},
		"too many bytes":                  {dir: small, limits: git.Limits{Bytes: 9}, want: "too big to copy"},
		"temporary folder in the project": {dir: small, temp: func(t *testing.T, dir string) string { return filepath.Join(dir, "d") }, want: "is inside the project"},
		"temporary folder is the project": {dir: small, temp: func(t *testing.T, dir string) string { return dir }, want: "is inside the project"},
		"temporary folder leads into the project": {dir: small, temp: func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(filepath.Join(dir, "d"), link); err != nil {
				t.Skip(err)
			}
			return link
		}, want: "is inside the project"},
		"no temporary folder":           {dir: small, temp: func(t *testing.T, dir string) string { return filepath.Join(t.TempDir(), "gone") }, want: "temporary folder"},
		"a file for a temporary folder": {dir: small, temp: func(t *testing.T, dir string) string { return os.Args[0] }, want: ""},
		"git fails": {dir: func(t *testing.T) string {
			dir := repository(t)
			write(t, dir, ".git/index", "junk")
			return dir
		}, want: "git ls-files"},
		"git fails at the end": {dir: func(t *testing.T) string {
			dir := repository(t)
			tree := strings.TrimSpace(plain(t, dir, "rev-parse", "HEAD^{tree}"))
			os.Remove(filepath.Join(dir, ".git/objects", tree[:2], tree[2:]))
			return dir
		}, want: "git read-tree"},
		"no folder": {dir: func(t *testing.T) string { return filepath.Join(t.TempDir(), "gone") }, want: ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := c.dir(t)
			temp := t.TempDir()
			if c.temp != nil {
				temp = c.temp(t, dir)
			}
			temporary(t, temp)
			var before []string
			if info, err := os.Stat(temp); err == nil && info.IsDir() {
				before = listing(t, temp)
			}
			copies, err := git.Copies(t.Context(), dir, 2, c.limits, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if c.limits != (git.Limits{}) && (err == nil || !strings.Contains(err.Error(), "too big to copy")) {
				t.Errorf("%v does not say that the folder is too big", err)
			}
			if len(copies) > 0 {
				t.Errorf("copies: %v", copies)
			}
			if before != nil || c.temp == nil {
				if after := listing(t, temp); !slices.Equal(before, after) {
					t.Errorf("left %q", after)
				}
			}
		})
	}
}

// Who may not read a file gets no copy, and is told which file it is.
func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("everything can be read here")
	}
	dir := repository(t)
	os.Chmod(filepath.Join(dir, "sub/b.txt"), 0)
	temp := temporary(t, t.TempDir())
	if _, err := git.Copies(t.Context(), dir, 1, git.Limits{}, nil); err == nil || !strings.Contains(err.Error(), `"sub/b.txt"`) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Cancelling ends a copy within a file, and leaves nothing.
func TestCopyIsCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 2000 {
		write(t, dir, filepath.Join("d", string(rune('a'+i%26)), time.Duration(i).String()), "x")
	}
	temp := temporary(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var parts atomic.Int32
	if _, err := git.Copies(ctx, dir, 1, git.Limits{}, func(int, int) { parts.Add(1); cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := parts.Load(); n > 4 { // one of each worker, of eight
		t.Errorf("%d parts were copied all the same", n)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// BenchmarkCopy holds making a copy of 50,000 files, comparing it with what it was and removing it against
// `git worktree add` of the same repository, by processor time, git's own included. Nothing is removed before both are
// made: file systems take longer to make files where many were removed just now.
func BenchmarkCopy(b *testing.B) {
	dir := many(b)
	temporary(b, b.TempDir())
	var tree, made, compared, removed time.Duration
	lap := func(sum *time.Duration, do func()) {
		start := spent()
		do()
		*sum += spent() - start
	}
	add := func(to string) { plain(b, dir, "worktree", "add", "-q", "--detach", to) }
	for i := 0; b.Loop(); i++ {
		to := filepath.Join(b.TempDir(), "tree")
		var c *git.Copy
		if i%2 == 0 {
			lap(&tree, func() { add(to) })
		}
		lap(&made, func() { c = copyOf(b, dir) })
		if i%2 == 1 {
			lap(&tree, func() { add(to) })
		}
		lap(&compared, func() {
			if got := changes(b, c); len(got) > 0 {
				b.Fatal(got)
			}
		})
		lap(&removed, func() {
			if err := c.Remove(); err != nil {
				b.Fatal(err)
			}
		})
		plain(b, dir, "worktree", "remove", "--force", to)
	}
	n := float64(b.N)
	b.ReportMetric(tree.Seconds()/n, "worktree-s")
	b.ReportMetric(made.Seconds()/n, "make-s")
	b.ReportMetric(compared.Seconds()/n, "compare-s")
	b.ReportMetric(removed.Seconds()/n, "remove-s")
	b.ReportMetric((made+compared+removed).Seconds()/tree.Seconds(), "of-worktree")
}
