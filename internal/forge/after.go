package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Ways are how a forge can merge an open request.
var Ways = []string{"merge", "squash", "rebase"}

// Automerge has the forge merge an open request once its checks have passed; how is one of Ways. Whether it may is the forge's to say.
// It is merged at r.Commit: what somebody else has put on the branch meanwhile is not.
func Automerge(ctx context.Context, r Request, url, how string) error {
	if !slices.Contains(Ways, how) {
		return fmt.Errorf("%q is not a merge method", how)
	}
	hint := "merge it at " + url
	var args []string
	if Program(r.Address) == "glab" {
		number, err := number(url)
		if err != nil {
			return err
		}
		args = []string{"glab", "mr", "merge", number, "--auto-merge", "--yes"}
		if how != "merge" {
			args = append(args, "--"+how)
		}
		if r.Commit != "" {
			args = append(args, "--sha="+r.Commit)
		}
	} else {
		args = []string{"gh", "pr", "merge", url, "--auto", "--" + how}
		if r.Commit != "" {
			args = append(args, "--match-head-commit="+r.Commit)
		}
	}
	if _, err := r.run(ctx, "", args[0], args[1:]...); err != nil {
		return &Error{"the request is open, but will not merge automatically: " + err.Error(), hint}
	}
	return nil
}

// Place is a remote's address without a user or a password.
func Place(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Host != "" {
		u.User = nil
		return u.String()
	}
	return address
}

// Look asks the forge how a request is: open, merged or closed, and which commit its branch is at.
func Look(ctx context.Context, r Request, url string) (state, commit string, err error) {
	var is struct{ State, HeadRefOid, SHA string }
	args := []string{"gh", "pr", "view", url, "--json=state,headRefOid"}
	if Program(r.Address) == "glab" {
		number, err := number(url)
		if err != nil {
			return "", "", err
		}
		args = []string{"glab", "mr", "view", number, "--output=json"}
	}
	if err := Ready(args[0], r.Remote, r.Address); err != nil {
		return "", "", err
	}
	out, err := r.run(ctx, "", args[0], args[1:]...)
	if err == nil {
		err = json.Unmarshal([]byte(out), &is)
	}
	if err != nil {
		return "", "", &Error{"cannot look at " + url + ": " + err.Error(), "open it in a browser"}
	}
	switch state = strings.ToLower(is.State); state {
	case "opened", "locked": // locked: it is being merged right now
		state = "open"
	case "open", "merged", "closed":
	default:
		return "", "", &Error{fmt.Sprintf("%s says that %s is %q", args[0], url, is.State), "open it in a browser"}
	}
	return state, is.HeadRefOid + is.SHA, nil
}

// number is that of a merge request. A branch could be called like the number of another one, so nothing else is taken for it.
func number(url string) (string, error) {
	n := url[strings.LastIndexByte(url, '/')+1:]
	if _, err := strconv.ParseUint(n, 10, 64); err != nil {
		return "", &Error{"the request is open, but its address does not end in its number: " + url, "open it in a browser: " + url}
	}
	return n, nil
}

// Checks waits until the forge's checks of an open request have ended, and says which did not pass. none: the forge has none for it.
func Checks(ctx context.Context, r Request, url string) (failed []string, none bool, err error) {
	if Program(r.Address) == "glab" {
		return r.pipeline(ctx, url)
	}
	// It waits, and fails where a check does: then the lines say which.
	out, err := r.await(ctx, "gh", "pr", "checks", url, "--watch")
	if err != nil && strings.Contains(err.Error(), "no checks reported") {
		return nil, true, nil
	}
	for line := range strings.Lines(out) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			state, _, _ := strings.Cut(rest, "\t")
			if (state == "fail" || state == "cancel") && !slices.Contains(failed, name) {
				failed = append(failed, name)
			}
		}
	}
	if err != nil && len(failed) == 0 {
		return nil, false, &Error{"cannot read the results of the checks: " + err.Error(), "look at " + url}
	}
	return failed, false, nil
}

// pipeline waits for that of a branch: glab shows it until it ends, and says then how.
func (r Request) pipeline(ctx context.Context, url string) (failed []string, none bool, err error) {
	var p struct {
		Status string `json:"status"`
		Jobs   []struct{ Name, Status string }
	}
	_, err = r.await(ctx, "glab", "ci", "status", "--live", "--branch="+r.Branch)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no pipeline") {
		return nil, true, nil
	}
	out, err := r.run(ctx, "", "glab", "ci", "get", "--branch="+r.Branch, "--output=json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &p)
	}
	if err != nil {
		return nil, false, &Error{"cannot read the result of the pipeline: " + err.Error(), "look at " + url}
	}
	for _, j := range p.Jobs {
		if j.Status == "failed" {
			failed = append(failed, j.Name)
		}
	}
	if p.Status != "success" && len(failed) == 0 {
		failed = []string{"pipeline " + p.Status}
	}
	return failed, false, nil
}
