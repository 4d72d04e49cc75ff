// Package forge opens pull and merge requests, and files issues, with the forge's own program, under the person's
// login: gh or glab.
//
// [Open] pushes the branch if that was asked for, never over another commit, and opens a request or finds the one
// that is open already; [File] files an issue; [Ready] says whether the program is there. They act for the person:
// a caller asks before.
//
// The programs run in a neutral repository without the project's hooks and settings, with the person's environment
// but for what would lead git elsewhere. Titles and texts come from models: they are shortened to what forges take,
// and what a forge would take for a command is defused. Errors are [*Error], with what to do next. There is no
// retry.
package forge

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
)

// Request is what is to be opened.
type Request struct {
	Dir         string // a repository that has the commit, the address as its remote origin, and no settings of the project's
	Remote      string // the project's name of it, for sentences
	Address     string
	Branch      string // it exists in the project
	Base        string // the branch it is to be merged into; empty: the forge's usual one
	Commit      string // that the branch is at
	Title, Body string
	Draft       bool
	Push        bool // push the branch first; nothing is pushed unasked, and never over another commit
}

// Error says why nothing was opened, and what to do.
type Error struct{ Message, Hint string }

// Error is the message alone: the hint is printed below it.
func (e *Error) Error() string { return e.Message }

// Open opens a request, or finds the open one of the branch, and returns its address.
func Open(ctx context.Context, r Request) (url string, err error) {
	program := Program(r.Address)
	if err := Ready(program, r.Remote, r.Address); err != nil {
		err.(*Error).Hint += "; branch " + r.Branch + " was created"
		return "", err
	}
	does := pull
	if program == "glab" {
		does = merge
	}
	if err := r.pushed(ctx); err != nil {
		return "", err
	}
	r.Title, r.Body = title(r.Title), body(r.Body)
	return does(ctx, r)
}

// Program is the one that speaks with the forge at an address: gh or glab.
func Program(address string) string {
	if at := strings.ToLower(address); strings.Contains(at, "gitlab") && !strings.Contains(at, "github.com") {
		return "glab"
	}
	return "gh"
}

// Ready says in an error if a program is not installed.
func Ready(program, remote, address string) error {
	if _, err := exec.LookPath(program); err != nil {
		return &Error{program + " is not installed, but " + remote + " (" + address + ") needs it", "install it and sign in"}
	}
	return nil
}

// File files an issue and returns its address.
func File(ctx context.Context, r Request) (url string, err error) {
	r.Title, r.Body = title(r.Title), body(r.Body)
	var out string
	if program := Program(r.Address); program == "glab" {
		out, err = r.run(ctx, "", program, "issue", "create", "--title="+r.Title, "--description="+unbidden(r.Body), "--yes")
	} else {
		out, err = r.run(ctx, r.Body, program, "issue", "create", "--title="+r.Title, "--body-file=-")
	}
	if err != nil {
		return "", &Error{"the issue was not filed: " + err.Error(), "fix this, then run the command again"}
	}
	if url = address(out); url == "" {
		return "", &Error{"the program printed no issue URL", "look for it on the forge before you file it again"}
	}
	return url, nil
}

// pushed sees to it that the remote has the branch. It only ever makes one: who has a branch of that name there may have others work on it.
func (r Request) pushed(ctx context.Context) error {
	name := "refs/heads/" + r.Branch
	out, err := r.run(ctx, "", "git", "ls-remote", "--heads", "origin", name)
	if err != nil {
		return &Error{"cannot ask " + r.Remote + " for its branches: " + err.Error(), r.yourself()}
	}
	for line := range strings.Lines(out) {
		if at, ref, _ := strings.Cut(strings.TrimSpace(line), "\t"); ref == name && at == r.Commit {
			return nil
		} else if ref == name {
			return &Error{r.Remote + " already has a branch " + r.Branch + ", at another commit", "choose another name: --branch NAME"}
		}
	}
	if !r.Push {
		return &Error{"branch " + r.Branch + " was created, but " + r.Remote + " does not have it: nothing is pushed without --push",
			"add --push, or " + r.yourself()}
	}
	_, err = r.run(ctx, "", "git", "push", "--quiet", "--no-verify", "--force-with-lease="+name+":", "origin", r.Commit+":"+name)
	if err != nil {
		return &Error{"git cannot push " + r.Branch + ": " + err.Error(), r.yourself()}
	}
	return nil
}

// yourself is what to do where the repository's own settings are needed, which do not hold here.
func (r Request) yourself() string {
	return "push it yourself, then run the command again: git push " + r.Remote + " " + r.Branch
}

// pull is a request of gh. Names are given as flags: gh takes 12 for a number where it takes a branch.
func pull(ctx context.Context, r Request) (string, error) {
	var open []struct {
		URL    string
		Branch string `json:"headRefName"`
		Fork   bool   `json:"isCrossRepository"`
	}
	if out, err := r.run(ctx, "", "gh", "pr", "list", "--head="+r.Branch, "--state=open",
		"--json=url,headRefName,isCrossRepository"); err == nil && json.Unmarshal([]byte(out), &open) == nil {
		for _, p := range open {
			if p.Branch == r.Branch && !p.Fork {
				return p.URL, nil
			}
		}
	}
	args := []string{"pr", "create", "--head=" + r.Branch, "--title=" + r.Title, "--body-file=-"}
	if r.Base != "" {
		args = append(args, "--base="+r.Base)
	}
	if r.Draft {
		args = append(args, "--draft")
	}
	return r.opened(r.run(ctx, r.Body, "gh", args...))
}

// merge is a request of glab.
func merge(ctx context.Context, r Request) (string, error) {
	var open []struct {
		URL    string `json:"web_url"`
		Branch string `json:"source_branch"`
		From   int    `json:"source_project_id"`
		To     int    `json:"target_project_id"`
	}
	if out, err := r.run(ctx, "", "glab", "mr", "list", "--source-branch="+r.Branch, "--output=json"); err == nil &&
		json.Unmarshal([]byte(out), &open) == nil {
		for _, m := range open {
			if m.Branch == r.Branch && m.From == m.To {
				return m.URL, nil
			}
		}
	}
	args := []string{"mr", "create", "--source-branch=" + r.Branch, "--title=" + r.Title, "--description=" + unbidden(r.Body), "--yes"}
	if r.Base != "" {
		args = append(args, "--target-branch="+r.Base)
	}
	if r.Draft {
		args = append(args, "--draft")
	}
	return r.opened(r.run(ctx, "", "glab", args...))
}

// opened is the address of what a program opened.
func (r Request) opened(out string, err error) (string, error) {
	if err != nil {
		return "", &Error{"the request was not opened: " + err.Error(),
			"branch " + r.Branch + " was created; fix this and run the command again"}
	}
	at := address(out)
	if at == "" {
		return "", &Error{"the program printed no request URL", "look for it on the forge; the branch is " + r.Branch}
	}
	return at, nil
}

// address is the last one in what a program printed, since a title before it may contain another.
func address(out string) (at string) {
	for word := range strings.FieldsSeq(out) {
		if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") {
			at = word
		}
	}
	return at
}
