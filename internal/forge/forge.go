// Package forge opens pull and merge requests with the forge's own program, under the person's login: gh or glab.
package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/socrates-cli/socrates/internal/process"
)

// Request is what is to be opened.
type Request struct {
	Dir         string // the project
	Remote      string
	Branch      string // it exists in the project
	Base        string // the branch it is to be merged into; empty: the forge's usual one
	Commit      string // that the branch is at
	Title, Body string
	Draft       bool
	Push        bool // push the branch first; nothing is pushed unasked, and never by force
}

// Error says why nothing was opened, and what to do.
type Error struct{ Message, Hint string }

func (e *Error) Error() string { return e.Message }

// Open opens a request, or finds the open one of the branch, and returns its address.
func Open(ctx context.Context, r Request) (url string, err error) {
	at, err := r.run(ctx, "", "git", "remote", "get-url", "--", r.Remote)
	if err != nil {
		return "", &Error{"the project has no remote " + r.Remote, "add one: git remote add " + r.Remote + " URL"}
	}
	program, does := "gh", pull
	if strings.Contains(strings.ToLower(at), "gitlab") {
		program, does = "glab", merge
	}
	if _, err := exec.LookPath(program); err != nil {
		return "", &Error{program + " is not installed, and " + r.Remote + " is " + at,
			"install and sign in to it; the branch " + r.Branch + " is made"}
	}
	if err := r.pushed(ctx); err != nil {
		return "", err
	}
	return does(ctx, r)
}

// pushed sees to it that the remote has the branch.
func (r Request) pushed(ctx context.Context) error {
	name := "refs/heads/" + r.Branch
	if r.Push {
		if _, err := r.run(ctx, "", "git", "push", "--quiet", "--no-verify", r.Remote, name+":"+name); err != nil {
			return &Error{"git does not push " + r.Branch + ": " + err.Error(), "the branch is made; push it yourself, then say this again"}
		}
		return nil
	}
	out, err := r.run(ctx, "", "git", "ls-remote", "--heads", "--", r.Remote, name)
	if err != nil {
		return &Error{"cannot ask " + r.Remote + " for its branches: " + err.Error(), ""}
	}
	if !strings.HasPrefix(out, r.Commit) {
		return &Error{"branch " + r.Branch + " is made, and " + r.Remote + " does not have it: nothing is pushed unasked",
			"add --push, or push it yourself: git push " + r.Remote + " " + r.Branch}
	}
	return nil
}

// pull is a request of gh.
func pull(ctx context.Context, r Request) (string, error) {
	var known struct{ URL, State string }
	if out, err := r.run(ctx, "", "gh", "pr", "view", r.Branch, "--json", "url,state"); err == nil &&
		json.Unmarshal([]byte(out), &known) == nil && known.State == "OPEN" {
		return known.URL, nil
	}
	args := []string{"pr", "create", "--head", r.Branch, "--title", r.Title, "--body-file", "-"}
	if r.Base != "" {
		args = append(args, "--base", r.Base)
	}
	if r.Draft {
		args = append(args, "--draft")
	}
	return r.opened(r.run(ctx, r.Body, "gh", args...))
}

// merge is a request of glab.
func merge(ctx context.Context, r Request) (string, error) {
	var known struct {
		URL   string `json:"web_url"`
		State string `json:"state"`
	}
	if out, err := r.run(ctx, "", "glab", "mr", "view", r.Branch, "--output", "json"); err == nil &&
		json.Unmarshal([]byte(out), &known) == nil && known.State == "opened" {
		return known.URL, nil
	}
	args := []string{"mr", "create", "--source-branch", r.Branch, "--title", r.Title, "--description", r.Body, "--yes"}
	if r.Base != "" {
		args = append(args, "--target-branch", r.Base)
	}
	if r.Draft {
		args = append(args, "--draft")
	}
	return r.opened(r.run(ctx, "", "glab", args...))
}

// opened finds the address in what a program printed.
func (r Request) opened(out string, err error) (string, error) {
	if err != nil {
		return "", &Error{"the request was not opened: " + err.Error(),
			"the branch " + r.Branch + " is made; say this again once that is solved"}
	}
	for word := range strings.FieldsSeq(out) {
		if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") {
			return word, nil
		}
	}
	return "", &Error{"the program printed no address of a request", "look for it at the forge; the branch is " + r.Branch}
}

// run runs a program in the project, with the person's environment and no terminal.
func (r Request) run(ctx context.Context, in, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin = r.Dir, strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GH_PROMPT_DISABLED=1", "NO_PROMPT=1")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := process.Run(cmd)
	if code := process.Code(cmd.ProcessState); err == nil && code != 0 {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		err = fmt.Errorf("%s: %s", name, strings.Join(lines[max(0, len(lines)-3):], "; "))
		if said.Len() == 0 {
			err = fmt.Errorf("%s failed with status %d", name, code)
		}
	}
	return strings.TrimSpace(out.String()), err
}
