package permission_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
)

func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What changed is found whatever its own time says; a folder of which all is new is one.
func TestChanged(t *testing.T) {
	_, dir := policy(t, permission.Yolo)
	put(t, dir, "old/page.html", "old/other", "stays/x", "got/a/b", "got/c")
	for began := time.Now(); time.Since(began) < 100*time.Millisecond; { // what is there becomes older than the clock of files is coarse
		put(t, filepath.Dir(dir), "clock")
	}
	since := permission.Policy{Fetched: []string{filepath.Join(dir, "old/page.html"), filepath.Join(dir, "got") + "/"}}.Moment()
	for from, to := range map[string]string{"old": "renamed", "stays": "moved", "got": "kept"} {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "page.html", "src/new.go", "node_modules/a/index.js", "node_modules/b/lib/x.js", "clone/README", "clone/.git/config", "clone/main.go")
	os.Chtimes(filepath.Join(dir, "page.html"), time.Unix(1, 0), time.Unix(1, 0)) // as wget does
	var got []string
	for _, path := range since.Changed(dir) {
		got = append(got, strings.TrimPrefix(path, dir+"/"))
	}
	if want := []string{"clone/", "kept/", "node_modules/", "page.html", "renamed/page.html", "src/new.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Packages that were installed are what programs run anyway: those that nobody judges by their files do not raise the flag for them.
func TestPackagesAreNoText(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	p.Confined = true
	put(t, dir, "node_modules/a/index.js", "page.html", "t.py")
	p.Fetched = []string{filepath.Join(dir, "node_modules") + "/"}
	if p.Script("python3 t.py", where(dir)).Brings() || p.Script("npm test", where(dir)).Brings() || !p.Script("cat node_modules/a/index.js", where(dir)).Brings() {
		t.Error("packages")
	}
	p.Fetched = append(p.Fetched, filepath.Join(dir, "page.html"))
	if !p.Script("python3 t.py", where(dir)).Brings() {
		t.Error("a page beside them")
	}
}

// What a call may leave in files that nobody had committed is what it writes, but for what git takes from the repository.
func TestLeaves(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	p.Confined = true
	for script, want := range map[string]bool{"cat a.txt": false, "ls && git log": false, "git commit -m x": false, "git checkout -b x": false, "git push": false,
		"echo x > y": true, "cp a.txt b": true, "python3 t.py": true, "./r.sh commit": true, "git apply x.patch": true, "git commit -m x; touch y": true} {
		if got := p.Script(script, where(dir)).Leaves(); got != want {
			t.Errorf("%s leaves text: %v", script, got)
		}
	}
}

// H4: what came from outside raises the flag when it is read again, however it is read; other files do not.
func TestReadingWhatCameFromOutside(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	p.Confined = true
	put(t, dir, "page.html", "node_modules/a/index.js", "mine/x.txt")
	os.Symlink("page.html", filepath.Join(dir, "link"))
	p.Fetched = []string{filepath.Join(dir, "page.html"), filepath.Join(dir, "node_modules") + "/"}
	for _, script := range []string{"cat page.html", "cat ./mine/../page.html", "cat link", "head -3 node_modules/a/index.js", "grep x page.html", "grep -r x .", "grep -r x node_modules", "rg x", "sed -n 1p page.html", "wc < page.html", "read x < page.html", "cp page.html y", "python3 -c pass page.html", "node node_modules/a/index.js",
		"cd node_modules && cat a/index.js", "find . -exec cat {} +", "bash -c 'cat page.html'", "env cat page.html", "xargs cat page.html", "jq . page.html", "base64 page.html", "git diff --no-index a.txt page.html", "mv page.html z", "mv node_modules m", "mv . ../z", "git show :page.html", "git -C . diff --cached", "git stash show -p", "git grep --untracked x", "git log -p", "git log -1 -p", "git log -L1,2:a.txt", "git reflog -p", "git diff HEAD:page.html a.txt", "git diff", "git diff page.html", "git add .", "git blame -S a.txt HEAD", "git show a.txt", "git diff a.txt --", "git diff --cached a.txt --", "git add page.html -- a.txt", "git diff -- -- a.txt", "git -C mine diff x.txt", "git --work-tree=mine diff x.txt", "git diff -- nothing a.txt", "git diff 0123456789 -- a.txt", "git diff main -- a.txt", `git diff HEAD -- a.txt 'pag\e.html'`, "wc --files0-from=page.html", "sha256sum -c page.html", "du --files0-from=page.html"} {
		d := p.Script(script, where(dir))
		if brings := d.Brings() || p.Open(filepath.Join(dir, "page.html"), false).Brings && strings.Contains(script, "<"); !brings {
			t.Errorf("%s raises no flag", script)
		}
	}
	for _, script := range []string{"cat a.txt", "ls", "ls -R", "git status", "grep -r x mine", "find . -name '*.go'", "echo x > page.html", "cat mine/x.txt", "git log --oneline -5", "git log --graph --format=%h", "git reflog", "git diff a.txt", "git diff --stat -- mine", "git diff HEAD -- a.txt", "git diff -w HEAD~2 HEAD^ -- a.txt", "git add a.txt mine/x.txt", "git blame a.txt", "stat page.html", "wc -l page.html a.txt", "sha256sum page.html", "rm page.html", "ls -l page.html"} {
		if d := p.Script(script, where(dir)); d.Brings() && script != "echo x > page.html" {
			t.Errorf("%s raises the flag: %s", script, d.Reason)
		}
	}
	programs := []string{"python3 t.py", "python3 -c 'print(1)'", "sh r.sh", "./r.sh", "mine/r.sh", "go test ./...", "go run .", "make", "npm test", "frobnicate", "timeout 5 python3 t.py", "bash -c 'node x.js'", "echo x | sh", "eval ./r.sh", ". ./env.sh", "awk 'BEGIN { while ((getline l < \"page.html\") > 0) print l }'",
		"sed -n 'r page.html' a.txt", "find . -name x -exec ./r.sh {} +", "dd if=page.html", "sqlite3 db 'drop table x'", "git bisect run ./t", "git rebase -x ./t main", "git status -vv", "git commit -v --dry-run", "git checkout -p", "gofmt -d .", "diff . ../b", "xargs ./r.sh", "tsc --version x", "$HOME/bin/x"}
	plain := []string{"echo x", "pwd", "date", "ls -la", "true", "mkdir -p a/b", "touch x", "rm x", "rm -r mine", "kill 1", "chmod +x r.sh", "export A=b", "set -e", "test -f x && echo y", "git commit -m 'a -p b'", "git checkout -b x", "git switch main", "git reset --hard", "git branch", "git tag v1", "git push", "go version", "python3 --version",
		"timeout 5 ls", "env A=b git commit -m x", "cd mine && cat x.txt", "sleep 1", "cp mine/x.txt mine/y.txt", "which go", "du -sh .", "printf x"}
	for _, script := range programs {
		if !p.Script(script, where(dir)).Brings() {
			t.Errorf("%s raises no flag, though it may have read what came from outside", script)
		}
	}
	for _, script := range plain {
		if d := p.Script(script, where(dir)); d.Brings() {
			t.Errorf("%s raises the flag: %s", script, d.Reason)
		}
	}
	q := p
	q.Reviewed = func(string) bool { return true }
	for _, script := range programs {
		if q.Script(script, where(dir)).Brings() {
			t.Errorf("%s raises the flag where nothing came from outside", script)
		}
	}
	p.Reviewed = func(path string) bool { return strings.HasSuffix(path, "page.html") }
	if p.Script("cat page.html", where(dir)).Brings() || !p.Script("cat node_modules/a/index.js", where(dir)).Brings() {
		t.Error("what is reviewed raises the flag, or what is not does not")
	}
}

func TestFetchedAreKept(t *testing.T) {
	dir := t.TempDir()
	s := kept.File{File: filepath.Join(t.TempDir(), "grants.json")}
	put(t, dir, "a", "b/c", "b/d")
	for _, paths := range [][]string{{dir + "/a"}, {dir + "/b/c"}, {dir + "/b/"}, {dir + "/a", dir + "/gone"}} {
		if err := s.Fetch(dir, paths); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := s.Fetched(dir)
	if want := []string{dir + "/a", dir + "/b/"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	os.Remove(dir + "/a")
	if got, _, _ := s.Fetched(dir); len(got) != 1 {
		t.Errorf("what is gone is kept: %q", got)
	}
	var many []string
	for i := range 600 {
		many = append(many, filepath.Join(dir, "m", strings.Repeat("x", i%200+1)+string(rune('a'+i/200))))
		put(t, dir, strings.TrimPrefix(many[i], dir+"/"))
	}
	if err := s.Fetch(dir, many); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := s.Fetched(dir); !slices.Equal(got, []string{dir + "/"}) {
		t.Errorf("%d paths are kept", len(got))
	}
	other := t.TempDir()
	put(t, other, "sub/\xffpage")
	if err := s.Fetch(other, []string{other + "/sub/\xffpage"}); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := s.Fetched(other); !slices.Equal(got, []string{other + "/sub/"}) {
		t.Errorf("a name that is no text is kept as %q", got)
	}
	if in, abroad, _ := s.Fetched(t.TempDir()); len(in) != 0 || len(abroad) != 2 {
		t.Errorf("another project has %q and knows of %q", in, abroad)
	}
}
