package forge

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// stand puts a program in place of a forge's, which writes down how it was called, and returns where. r is a request at its forge.
func stand(t *testing.T, name, does string) (r Request, called func() string) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >>" + log + "; echo >>" + log + "\n" + does + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	host := map[string]string{"gh": "https://github.example/x.git", "glab": "https://gitlab.example/x.git"}[name]
	return Request{Dir: dir, Remote: "origin", Address: host, Branch: "12", Commit: strings.Repeat("a", 40), Title: "T", Body: "B"}, func() string {
		raw, _ := os.ReadFile(log)
		return string(raw)
	}
}

// A request is merged at the commit that was pushed, and it is the one that was opened, whatever its branch is called.
func TestAutomerge(t *testing.T) {
	r, called := stand(t, "glab", "")
	if err := Automerge(t.Context(), r, "https://gitlab.example/x/-/merge_requests/7", "squash"); err != nil {
		t.Error(err)
	}
	if want := "mr|merge|7|--auto-merge|--yes|--squash|--sha=" + r.Commit + "|"; strings.TrimSpace(called()) != want {
		t.Errorf("glab %s", called())
	}
	if err := Automerge(t.Context(), r, "https://gitlab.example/x/-/merge_requests/new", "merge"); err == nil || strings.Count(called(), "\n") != 1 {
		t.Errorf("an address without a number: %v, glab %s", err, called())
	}
	r, called = stand(t, "gh", "")
	if err := Automerge(t.Context(), r, "https://github.example/x/pull/7", "merge"); err != nil {
		t.Error(err)
	}
	if want := "pr|merge|https://github.example/x/pull/7|--auto|--merge|--match-head-commit=" + r.Commit + "|"; strings.TrimSpace(called()) != want {
		t.Errorf("gh %s", called())
	}
}

// What programs say when they fail is told, with what to do; the rest of their words is not.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct{ program, does, want string }{
		"not logged in": {"gh", `case "$2" in list) echo "[]";; *) echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4;; esac`,
			"gh auth login"},
		"network away": {"gh", `echo "error connecting to api.github.com" >&2; exit 1`, "error connecting"},
		"a protected one": {"gh", `case "$2" in list) echo "[]";; *) echo "pull request create failed: GraphQL: Base branch is protected (createPullRequest)" >&2; exit 1;; esac`,
			"is protected"},
		"no address":           {"gh", `case "$2" in list) echo "[]";; *) echo "done";; esac`, "printed no request URL"},
		"an address that lies": {"gh", `case "$2" in list) echo "[{]";; *) echo "--admin";; esac`, "printed no request URL"},
		"not logged in to GitLab": {"glab", `case "$2" in list) echo "[]";; *) echo "glab: 401 Unauthorized; run glab auth login" >&2; exit 1;; esac`,
			"glab auth login"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := stand(t, c.program, c.does)
			does := pull
			if c.program == "glab" {
				does = merge
			}
			_, err := does(t.Context(), r)
			if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message, c.want) || e.Hint == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

// An open request of the branch is taken, one of a fork with such a branch is not.
func TestOpenRequest(t *testing.T) {
	r, called := stand(t, "gh", `case "$2" in
list) echo '[{"url":"https://github.example/x/pull/1","headRefName":"12","isCrossRepository":true},{"url":"https://github.example/x/pull/2","headRefName":"12"}]';;
esac`)
	if url, err := pull(t.Context(), r); url != "https://github.example/x/pull/2" || strings.Contains(called(), "create") {
		t.Errorf("%s, %v, gh %s", url, err, called())
	}
}

// A program that never answers is ended, and one that prints without end fills no memory.
func TestPatience(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 100 * time.Millisecond
	r, _ := stand(t, "gh", "while :; do sleep 1; done")
	if _, err := pull(t.Context(), r); err == nil || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("%v", err)
	}
	patience = time.Hour
	r, _ = stand(t, "gh", "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo https://github.example/x/pull/9")
	if url, err := pull(t.Context(), r); url != "https://github.example/x/pull/9" {
		t.Errorf("%.100s, %v", url, err)
	}
}
