package code_test

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/socrates-cli/socrates/internal/fleet/code"
)

// plain runs git the way a person would, without anything of the person's own settings.
func plain(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := person(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func person(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=2024-02-03T04:05:06Z", "GIT_COMMITTER_DATE=2024-02-03T04:05:06Z")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func put(t testing.TB, dir, name, body string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// temp is a folder without links in its path.
func temp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// hub is one with a server on loopback. Its gate knows which pass stands for which epoch of which task.
type hub struct {
	dir    string
	server *httptest.Server
	sent   atomic.Int64 // bytes of answers
	within func(*http.Request)
	while  func(sent int64)

	mu      sync.Mutex
	gates   map[string]int // by TASK/PASS
	refused int            // how many were told
}

func newHub(t testing.TB) *hub {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	h := &hub{dir: filepath.Join(temp(t), "hub"), gates: map[string]int{}}
	request := func(_ context.Context, task string) ([]byte, error) {
		if task != "t1" {
			return nil, errors.New("no such task")
		}
		return []byte(`{"model":"m"}`), nil
	}
	inner := code.Handler(h.dir, code.Hub{Gate: h.gate, Request: request, Refused: func(task string, epoch int, why string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.refused++
	}})
	h.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.within != nil {
			h.within(r)
		}
		inner.ServeHTTP(counted{w, h}, r)
	}))
	t.Cleanup(h.server.Close)
	return h
}

// counted counts what is sent.
type counted struct {
	http.ResponseWriter
	hub *hub
}

func (c counted) Write(p []byte) (int, error) {
	sent := c.hub.sent.Add(int64(len(p)))
	if c.hub.while != nil {
		c.hub.while(sent)
	}
	return c.ResponseWriter.Write(p)
}

func (c counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (h *hub) gate(pass, task string) (int, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	epoch, ok := h.gates[task+"/"+pass]
	return epoch, ok
}

// let makes a pass stand for an epoch; 0: for none any more.
func (h *hub) let(task, pass string, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if delete(h.gates, task+"/"+pass); epoch > 0 {
		h.gates[task+"/"+pass] = epoch
	}
}

// remote is a task as a worker sees it.
func (h *hub) remote(dir, task, pass string) code.Remote {
	pool := x509.NewCertPool()
	pool.AddCert(h.server.Certificate())
	return code.Remote{URL: h.server.URL, Task: task, Pass: pass, Dir: dir, TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}}
}

// repository is a project with two commits and work that is not committed.
func repository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(temp(t), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	plain(t, dir, "init", "-q", "-b", "main")
	put(t, dir, "a.txt", "one\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "first")
	put(t, dir, "sub/b.txt", "two\n")
	put(t, dir, ".gitignore", "ignored/\n")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "second")
	put(t, dir, "a.txt", "changed\n")
	put(t, dir, "new.txt", "untracked\n")
	put(t, dir, "ignored/x", "built\n")
	put(t, dir, ".env", "TOKEN=secret-of-env\n")
	return dir
}

// fetched offers a folder and fetches it.
func fetched(t testing.TB, h *hub, worker, task, folder string) (r code.Remote, dir, at string) {
	t.Helper()
	commit, err := code.Offer(t.Context(), h.dir, task, folder)
	if err != nil {
		t.Fatal(err)
	}
	h.let(task, "pass-"+task, 1)
	r = h.remote(worker, task, "pass-"+task)
	dir = filepath.Join(temp(t), "work")
	if at, err = code.Fetch(t.Context(), r, commit, dir); err != nil {
		t.Fatal(err)
	}
	return r, dir, at
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestRoundTrip(t *testing.T) {
	h, project := newHub(t), repository(t)
	r, dir, at := fetched(t, h, temp(t), "t1", project)
	if at != dir {
		t.Errorf("the folder is %s, want %s", at, dir)
	}
	if got := read(t, dir, "a.txt") + read(t, dir, "new.txt") + read(t, dir, "sub/b.txt"); got != "changed\nuntracked\ntwo\n" {
		t.Errorf("the worker has %q", got)
	}
	for _, name := range []string{".env", "ignored"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("the worker has %s", name)
		}
	}
	if got, want := plain(t, dir, "log", "--format=%s"), "second\nfirst\n"; got != want {
		t.Errorf("the worker's log is %q, want %q", got, want)
	}
	if got, want := plain(t, dir, "status", "--short"), " M a.txt\n?? new.txt\n"; got != want {
		t.Errorf("the worker's status is %q, want %q", got, want)
	}
	put(t, dir, "a.txt", "by the worker\n")
	put(t, dir, "made/by/it.sh", "#!/bin/sh\n")
	if err := errors.Join(os.Chmod(filepath.Join(dir, "made/by/it.sh"), 0o755), os.Remove(filepath.Join(dir, "sub/b.txt")), os.Symlink("a.txt", filepath.Join(dir, "l"))); err != nil {
		t.Fatal(err)
	}
	commit, err := code.Push(t.Context(), r, dir, 1)
	if err != nil || commit == "" {
		t.Fatal(commit, err)
	}
	if again, err := code.Push(t.Context(), r, dir, 1); err != nil || again != commit {
		t.Errorf("the same push again: %q, %v", again, err)
	}
	paths, err := code.Take(t.Context(), h.dir, "t1", 1, project)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(paths, " "), "a.txt l made/by/it.sh sub/b.txt"; got != want {
		t.Errorf("changed %q, want %q", got, want)
	}
	if got := read(t, project, "a.txt") + read(t, project, "l") + read(t, project, ".env"); got != "by the worker\nby the worker\nTOKEN=secret-of-env\n" {
		t.Errorf("the project has %q", got)
	}
	if info, err := os.Stat(filepath.Join(project, "made/by/it.sh")); err != nil || info.Mode()&0o111 != 0o111 {
		t.Errorf("the script: %v, %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(project, "sub")); err == nil {
		t.Error("the folder that became empty is still there")
	}
	if paths, err := code.Take(t.Context(), h.dir, "t1", 1, project); err != nil || len(paths) != 4 {
		t.Errorf("the same take again: %v, %v", paths, err)
	}
	if err := code.Drop(h.dir, "t1"); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(h.dir, "*t1*"))
	left2, _ := filepath.Glob(filepath.Join(project, ".socrates*"))
	if len(left)+len(left2) > 0 {
		t.Errorf("left behind: %v %v", left, left2)
	}
}

// fed is plain with an input.
func fed(t testing.TB, dir, in string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// tracked is everything in a folder, git's own included: kinds, permissions, contents.
func tracked(t testing.TB, dir string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		fmt.Fprintf(&text, "%q %v ", rel, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			fmt.Fprintf(&text, "%q %v", to, err)
		case info.Mode().IsRegular():
			raw, err := os.ReadFile(name)
			fmt.Fprintf(&text, "%x %v", sha256.Sum256(raw), err)
			if !strings.HasPrefix(strings.TrimPrefix(rel, ".git/"), "objects/") { // git notes on an object when it was last needed
				fmt.Fprint(&text, info.ModTime())
			}
		}
		text.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// differing are the lines that two texts have not in common.
func differing(a, b string) string {
	var out strings.Builder
	for _, pair := range [][3]string{{"-", a, b}, {"+", b, a}} {
		for line := range strings.Lines(pair[1]) {
			if !strings.Contains(pair[2], line) {
				out.WriteString(pair[0] + line)
			}
		}
	}
	return out.String()
}
