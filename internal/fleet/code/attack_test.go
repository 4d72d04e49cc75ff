package code_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/fleet/code"
)

// post sends a request as whoever knows a pass may.
func (h *hub) post(t testing.TB, task, pass, path string, body io.Reader) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(task, pass)
	answer, err := h.server.Client().Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(raw) + fmt.Sprint(err)
}

// clone is a clone of a task's repository by a person's git.
func clone(t testing.TB, h *hub, task, pass string) (dir, address string) {
	t.Helper()
	at, err := url.Parse(h.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword(task, pass)
	at.Path = "/code/" + task + ".git"
	dir = filepath.Join(temp(t), "clone")
	plain(t, filepath.Dir(dir), "-c", "http.sslVerify=false", "clone", "-q", at.String(), dir)
	return dir, at.String()
}

// TestPushes: of all that can be pushed, one new ref under the current epoch is taken.
func TestPushes(t *testing.T) {
	h, project := newHub(t), repository(t)
	for _, task := range []string{"t1", "t2"} {
		if _, err := code.Offer(t.Context(), h.dir, task, project); err != nil {
			t.Fatal(err)
		}
	}
	h.let("t1", "p", 2)
	h.let("t2", "q", 1)
	dir, address := clone(t, h, "t1", "p")
	if got := read(t, dir, "a.txt"); got != "changed\n" {
		t.Errorf("git cloned %q", got)
	}
	put(t, dir, "big", strings.Repeat("0123456789abcdef", 200_000)+fmt.Sprint(os.Getpid()))
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "work")
	first := strings.TrimSpace(plain(t, dir, "rev-parse", "HEAD"))
	other := strings.Replace(strings.Replace(address, "t1:p@", "t1:q@", 1), "/t1.git", "/t2.git", 1)
	push := func(to string, specs ...string) error {
		out, err := person(dir, append([]string{"-c", "http.sslVerify=false", "-c", "http.postBuffer=1000", "push", "-f", to}, specs...)...)
		if err != nil {
			return errors.New(out)
		}
		return nil
	}
	for name, c := range map[string]struct {
		to    string
		specs []string
		says  string
	}{
		"a stale epoch":         {address, []string{"HEAD:refs/tasks/t1/1"}, "stale epoch"},
		"an epoch to come":      {address, []string{"HEAD:refs/tasks/t1/3"}, "stale epoch"},
		"a branch":              {address, []string{"HEAD:refs/heads/main"}, "can be pushed to"},
		"what was offered":      {address, []string{"HEAD:refs/heads/base"}, "can be pushed to"},
		"another task's ref":    {address, []string{"HEAD:refs/tasks/t2/1"}, "can be pushed to"},
		"a number that is none": {address, []string{"HEAD:refs/tasks/t1/02"}, "can be pushed to"},
		"below an epoch":        {address, []string{"HEAD:refs/tasks/t1/2/x"}, "can be pushed to"},
		"two refs":              {address, []string{"HEAD:refs/tasks/t1/2", "HEAD:refs/heads/x"}, "one ref at a time"},
		"a deletion":            {address, []string{":refs/heads/base"}, "rejected"},
		"another task":          {other, []string{"HEAD:refs/tasks/t2/1"}, "403"},
		"another pass":          {strings.Replace(address, "t1:p@", "t1:q@", 1), []string{"HEAD:refs/tasks/t1/2"}, "403"},
		"another history":       {address, []string{"HEAD~2^{commit}:refs/tasks/t1/2"}, "objects cannot be stored"},
	} {
		if err := push(c.to, c.specs...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if err := push(address, "HEAD:refs/tasks/t1/2"); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "more", "x")
	plain(t, dir, "add", ".")
	plain(t, dir, "commit", "-qm", "more")
	if err := push(address, "HEAD:refs/tasks/t1/2"); err == nil || !strings.Contains(err.Error(), "cannot be changed") {
		t.Errorf("over an accepted push: %v", err)
	}
	if err := push(address, ":refs/tasks/t1/2"); err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Errorf("a deletion of an accepted push: %v", err)
	}
	refs := plain(t, filepath.Join(h.dir, "t1.git"), "--git-dir=.", "for-each-ref", "--format=%(refname) %(objectname)", "refs/tasks", "refs/heads")
	base := strings.TrimSpace(plain(t, dir, "rev-parse", "origin/base"))
	if want := "refs/heads/base " + base + "\nrefs/tasks/t1/2 " + first + "\n"; refs != want {
		t.Errorf("the hub has\n%swant\n%s", refs, want)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, "*.git", "incoming-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOrders: what git itself would not send is refused as well.
func TestOrders(t *testing.T) {
	h, project := newHub(t), repository(t)
	commit, err := code.Offer(t.Context(), h.dir, "t1", project)
	if err != nil {
		t.Fatal(err)
	}
	h.let("t1", "p", 1)
	zero := strings.Repeat("0", 40)
	line := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	for name, c := range map[string]struct{ body, says string }{
		"a deletion":         {line(commit+" "+zero+" refs/heads/base\x00report-status") + "0000", "ng refs/heads/base refs cannot be deleted"},
		"a deletion of ours": {line(zero+" "+zero+" refs/tasks/t1/1\x00report-status") + "0000", "ng refs/tasks/t1/1 refs cannot be deleted"},
		"from another":       {line(commit+" "+commit+" refs/tasks/t1/1\x00report-status") + "0000", "a pushed ref cannot be changed"},
		"no pack":            {line(zero+" "+commit+" refs/tasks/t1/1\x00report-status") + "0000", "unpack the objects cannot be stored"},
		"noise":              {"hello", "this is not a push request"},
		"a ref upwards":      {line(zero+" "+commit+" refs/tasks/t1/../../heads/base\x00") + "0000", "can be pushed to"},
		"a long line":        {"ffff" + strings.Repeat("x", 70_000), "this is not a push request"},
		"nothing":            {"0000", "<nil>"},
	} {
		if _, got := h.post(t, "t1", "p", "/code/t1.git/git-receive-pack", strings.NewReader(c.body)); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
	for _, path := range []string{"/code/t1.git/info/refs", "/code/t1/info/refs?service=git-upload-pack", "/code/../t1.git/HEAD", "/code/t1.git/HEAD",
		"/code/t1.git/objects/info/packs", "/task/t2/request", "/code/t2.git/info/refs?service=git-upload-pack", "/code/..%2f..%2fx.git/info/refs"} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+path, nil)
		req.SetBasicAuth("t1", "p")
		answer, err := h.server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			t.Errorf("%s was answered", path)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/task/t1/request", nil)
	req.SetBasicAuth("t1", "p")
	answer, err := h.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if raw, err := io.ReadAll(answer.Body); err != nil || string(raw) != `{"model":"m"}` {
		t.Errorf("the request is %q, %v", raw, err)
	}
}

// TestWants: objects that the project has and no ref of the task leads to are not given out, whatever is asked.
func TestWants(t *testing.T) {
	h, project := newHub(t), repository(t)
	plain(t, project, "branch", "other")
	plain(t, project, "add", "-f", ".env")
	plain(t, project, "stash", "push", "-q", "--", ".env")
	put(t, project, ".env", "TOKEN=secret-of-env\n")
	hidden := map[string]string{}
	for name, rev := range map[string]string{"stash": "stash", "its tree": "stash^{tree}", "its secret": "stash:.env"} {
		hidden[name] = strings.TrimSpace(plain(t, project, "rev-parse", rev))
	}
	commit, err := code.Offer(t.Context(), h.dir, "t1", project)
	if err != nil {
		t.Fatal(err)
	}
	h.let("t1", "p", 1)
	ask := func(hash, caps string) string {
		want := "want " + hash + " " + caps + "\n"
		_, got := h.post(t, "t1", "p", "/code/t1.git/git-upload-pack", strings.NewReader(fmt.Sprintf("%04x%s0000", len(want)+4, want)+"0009done\n"))
		return got
	}
	if got := ask(commit, "ofs-delta"); !strings.Contains(got, "PACK") {
		t.Fatalf("what was offered: %.80q", got)
	}
	for name, hash := range hidden {
		if got := ask(hash, "ofs-delta"); strings.Contains(got, "PACK") {
			t.Errorf("%s was given out", name)
		}
	}
	two := fmt.Sprintf("%04xcommand=fetch0014agent=x00010032want %s\n0009done\n0000", 4+len("command=fetch"), hidden["stash"])
	if _, got := h.post(t, "t1", "p", "/code/t1.git/git-upload-pack", strings.NewReader(two)); strings.Contains(got, "PACK") {
		t.Errorf("the second version of the protocol is spoken: %.80q", got)
	}
}

// TestGateDuringPush: an epoch that ends while its push runs gets nothing in.
func TestGateDuringPush(t *testing.T) {
	h, project := newHub(t), repository(t)
	r, dir, _ := fetched(t, h, temp(t), "t1", project)
	put(t, dir, "a.txt", "too late\n")
	h.within = func(req *http.Request) {
		if req.Method == http.MethodPost {
			inner := req.Body
			req.Body = struct {
				io.Reader
				io.Closer
			}{&after{inner, func() { h.let("t1", "pass-t1", 0); h.let("t1", "next", 2) }}, inner}
		}
	}
	if _, err := code.Push(t.Context(), r, dir, 1); !errors.Is(err, code.ErrStale) {
		t.Errorf("the push: %v", err)
	}
	if changes, err := code.Changes(t.Context(), h.dir, "t1", 1); err != nil || len(changes) > 0 {
		t.Errorf("it changes %v, %v", changes, err)
	}
	h.within = nil
	if _, err := code.Push(t.Context(), r, dir, 1); !errors.Is(err, code.ErrStale) {
		t.Errorf("a push with the old pass: %v", err)
	}
	r.Pass = "next"
	if _, err := code.Push(t.Context(), r, dir, 1); !errors.Is(err, code.ErrStale) {
		t.Errorf("a push of the old epoch with the new pass: %v", err)
	}
	if commit, err := code.Push(t.Context(), r, dir, 2); err != nil || commit == "" {
		t.Errorf("the current epoch: %q, %v", commit, err)
	}
	if _, err := code.Fetch(t.Context(), h.remote(temp(t), "t1", "pass-t1"), strings.Repeat("a", 40), filepath.Join(temp(t), "x")); !errors.Is(err, code.ErrStale) {
		t.Errorf("a fetch with the old pass: %v", err)
	}
}

// after calls done at the end of what it reads.
type after struct {
	io.Reader
	done func()
}

func (a *after) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if bytes.Contains(p[:n], []byte("PACK")) || err != nil {
		a.done()
	}
	return n, err
}

// forged pushes a tree past everything into a task's repository, as if the hub had taken it.
func forged(t testing.TB, h *hub, task string, entries string) {
	t.Helper()
	at := filepath.Join(h.dir, task+".git")
	base := strings.TrimSpace(plain(t, at, "--git-dir=.", "rev-parse", "refs/heads/base"))
	file := filepath.Join(temp(t), "tree")
	if err := os.WriteFile(file, []byte(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := strings.TrimSpace(plain(t, at, "--git-dir=.", "hash-object", "-w", "-t", "tree", "--literally", file))
	commit := strings.TrimSpace(plain(t, at, "--git-dir=.", "commit-tree", "-m", "x", "-p", base, tree))
	plain(t, at, "--git-dir=.", "update-ref", "refs/tasks/"+task+"/1", commit)
}

// entry is one line of a tree.
func entry(t testing.TB, h *hub, mode, name, hash string) string {
	t.Helper()
	var raw []byte
	if _, err := fmt.Sscanf(hash, "%x", &raw); err != nil {
		t.Fatal(err)
	}
	return mode + " " + name + "\x00" + string(raw)
}

// TestForgedTrees: names and links that mean something else than a file in the folder are refused by the hub, and once more when they
// are to be applied.
func TestForgedTrees(t *testing.T) {
	h, project := newHub(t), repository(t)
	if err := os.Symlink(temp(t), filepath.Join(project, "out")); err != nil {
		t.Fatal(err)
	}
	before := tracked(t, project)
	blob := func(body string) string {
		file := filepath.Join(temp(t), "blob")
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(plain(t, project, "hash-object", "--no-filters", file))
	}
	inTree := func(at, name, hash string) string {
		file := filepath.Join(temp(t), "tree")
		if err := os.WriteFile(file, []byte(entry(t, h, "100644", name, hash)), 0o600); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(plain(t, at, "--git-dir=.", "hash-object", "-w", "-t", "tree", "--literally", file))
	}
	i := 0
	for name, c := range map[string]struct {
		mode, name, body string
		inside           string // a name in a folder of the name
	}{
		"git's settings":              {"40000", ".git", "x", "config"},
		"in capitals":                 {"40000", ".GIT", "x", "config"},
		"with an unseen letter":       {"40000", ".g\u200cit", "x", "config"},
		"a short name":                {"40000", "git~1", "x", "config"},
		"with a dot":                  {"40000", ".git.", "x", "config"},
		"deeper":                      {"40000", "sub", "x", ".Git"},
		"upwards":                     {"40000", "..", "x", "f"},
		"here":                        {"40000", ".", "x", "f"},
		"a name with a slash":         {"100644", "../f", "x", ""},
		"an absolute name":            {"100644", "/tmp/f", "x", ""},
		"an absolute link":            {"120000", "l", "/etc/passwd", ""},
		"a link upwards":              {"120000", "l", "../x", ""},
		"a link down and upwards":     {"120000", "l", "sub/../../x", ""},
		"a link to git's":             {"120000", "l", ".git/config", ""},
		"a link to git's in capitals": {"120000", "l", "sub/../.Git/config", ""},
		"a link over a link":          {"120000", "l", "out", ""},
		"a file behind a link":        {"40000", "out", "x", "f"},
		"a long link":                 {"120000", "l", strings.Repeat("x/", 4000), ""},
		"a link to nothing":           {"120000", "l", "", ""},
		"a repository":                {"160000", "r", "x", ""},
		"another file by case":        {"100644", "A.TXT", "x", ""},
		"the folder's own":            {"100644", ".env", "x", ""},
	} {
		i++
		task := fmt.Sprintf("f%d", i)
		if _, err := code.Offer(t.Context(), h.dir, task, project); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(h.dir, task+".git")
		file := filepath.Join(temp(t), "b")
		if err := os.WriteFile(file, []byte(c.body), 0o600); err != nil {
			t.Fatal(err)
		}
		plain(t, at, "--git-dir=.", "hash-object", "-w", "--no-filters", file)
		hash := blob(c.body)
		if c.inside != "" {
			hash = inTree(at, c.inside, hash)
		}
		// What was offered stays beside it, but for a folder that is replaced.
		rows := plain(t, at, "--git-dir=.", "ls-tree", "refs/heads/base")
		text := ""
		for row := range strings.Lines(rows) {
			head, is, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
			if f := strings.Fields(head); is != c.name {
				text += entry(t, h, strings.TrimPrefix(f[0], "0"), is, f[2])
			}
		}
		forged(t, h, task, text+entry(t, h, c.mode, c.name, hash))
		if paths, err := code.Take(t.Context(), h.dir, task, 1, project); err == nil {
			t.Errorf("%s was applied: %q", name, paths)
		}
		if got := tracked(t, project); got != before {
			t.Fatalf("%s changed the project: %s", name, differing(before, got))
		}
		// The same by a push: a name that git's rules refuse does not get in.
		h.let(task, "p", 7)
		commit := strings.TrimSpace(plain(t, at, "--git-dir=.", "rev-parse", "refs/tasks/"+task+"/1"))
		plain(t, at, "--git-dir=.", "update-ref", "-d", "refs/tasks/"+task+"/1")
		body := fmt.Sprintf("%04x%s %s refs/tasks/%s/7\x00", 4+81+len("refs/tasks//7")+len(task)+1+1, strings.Repeat("0", 40), commit, task)
		body = fmt.Sprintf("%04x", len(body)) + body[4:] + "0000" + packed(t, at, commit)
		_, said := h.post(t, task, "p", "/code/"+task+".git/git-receive-pack", strings.NewReader(body))
		dotted := strings.HasPrefix(strings.ToLower(c.name), ".g") || c.name == "git~1" || c.name == ".." || c.name == "." || strings.Contains(c.name, "/") || c.inside == ".Git"
		if dotted && !strings.Contains(said, "ng refs/") {
			t.Errorf("%s was taken: %q", name, said)
		}
		if paths, err := code.Take(t.Context(), h.dir, task, 7, project); err == nil && len(paths) > 0 {
			t.Errorf("%s was pushed and applied: %q", name, paths)
		}
	}
}

// packed is a pack of a commit alone, with its tree and what that has.
func packed(t testing.TB, at, commit string) string {
	t.Helper()
	file := filepath.Join(temp(t), "list")
	if err := os.WriteFile(file, []byte(plain(t, at, "--git-dir=.", "rev-list", "--objects", "--no-object-names", commit, "^refs/heads/base")), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(temp(t), "p")
	in, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSpace(fed(t, at, string(in), "--git-dir=.", "pack-objects", "-q", out))
	raw, err := os.ReadFile(out + "-" + name + ".pack")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestOtherHub: a server with another certificate, and one that sends the worker elsewhere, hear no pass.
func TestOtherHub(t *testing.T) {
	h, project := newHub(t), repository(t)
	commit, err := code.Offer(t.Context(), h.dir, "t1", project)
	if err != nil {
		t.Fatal(err)
	}
	h.let("t1", "p", 1)
	asked := 0
	h.within = func(*http.Request) { asked++ }
	r := h.remote(temp(t), "t1", "p")
	r.TLS = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13}
	if _, err := code.Fetch(t.Context(), r, commit, filepath.Join(temp(t), "w")); err == nil || asked > 0 {
		t.Errorf("a certificate of another: %v, asked %d times", err, asked)
	}
	elsewhere := httptest.NewTLSServer(http.RedirectHandler(h.server.URL+"/code/t1.git/info/refs?service=git-upload-pack", http.StatusFound))
	defer elsewhere.Close()
	r = h.remote(temp(t), "t1", "p")
	r.TLS.RootCAs.AddCert(elsewhere.Certificate())
	r.URL = elsewhere.URL
	if _, err := code.Fetch(t.Context(), r, commit, filepath.Join(temp(t), "w")); err == nil || asked > 0 {
		t.Errorf("sent elsewhere: %v, asked %d times", err, asked)
	}
}

// TestALockThatWasLeft: a hub that is killed while it takes a push leaves a lock, and the push comes again.
func TestALockThatWasLeft(t *testing.T) {
	h, project := newHub(t), repository(t)
	r, dir, _ := fetched(t, h, temp(t), "t1", project)
	put(t, dir, "a.txt", "changed again\n")
	put(t, filepath.Join(h.dir, "t1.git"), "refs/tasks/t1/1.lock", "")
	if commit, err := code.Push(t.Context(), r, dir, 1); err != nil || commit == "" {
		t.Errorf("%q, %v", commit, err)
	}
}
