// Package code carries the files of a call to the worker that answers it, and the worker's changes back.
//
// The hub has a folder for it (dir in all functions here). Offer puts the files of a project's folder into a repository of the task's
// own, dir/TASK.git, as a commit on top of the history that is checked out there. Handler lets the worker that holds the task fetch it
// by git's smart HTTP and push one commit under the task's epoch. Take applies that to the folder: whole files, all or none. Drop ends
// it. The project's own .git is only read.
//
// What goes to a worker is what a person would call the files of the project: tracked and untracked ones, but not ignored ones, none
// that package sensitive calls a secret unless the project keeps it under git (as package folder has it), no link that leads out, no
// pipe. Files of repositories inside go as files. The history goes, too, unless a secret was ever committed to it that is no part of
// the project any more: then the commit stands alone. What was left out is said in the commit (Lacks of Given).
//
// What comes from a worker is not believed. Objects are checked by git in a folder apart before they count; the only ref that can be
// made is refs/tasks/TASK/EPOCH, once, while the gate says at the end of the push that the epoch is current. No hook runs and no
// setting of anybody holds. Take looks at every name, kind and link, and at the folder, before it changes a file.
//
// A worker's side is Fetch and Push. Objects are kept there for the next task of the same project. Nothing that an agent does in the
// folder steers a push: it is made from the files alone, by an index and a store outside.
//
// Several processes may work in the same dir; each function may be called at once for different tasks.
package code

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// ErrStale: the hub does not let this pass in any more, or the epoch is not the task's current one.
var ErrStale = errors.New("another worker has the task now, or it is closed")

// ErrAway: the hub did not answer, or was cut off while it did. Asking again is right.
var ErrAway = errors.New("the hub does not answer")

// Remote is a task at a hub, as its worker sees it.
type Remote struct {
	URL  string      // of the hub: https://HOST:PORT
	Task string      // its name
	Pass string      // what the claim was answered with
	TLS  *tls.Config // trusts the hub's CA and no other
	Dir  string      // a folder of the worker's own for what it keeps between tasks; agents may read in it and must not write
}

// Here stands for the folder of a task in what a worker tells of it: there the folder has another name.
const Here = "/the-folder-of-this-task"

// Given is what is known of a commit that was offered.
type Given struct {
	Head   string   `json:"head,omitempty"`    // the commit that was checked out, which is its parent; empty: it has none
	Prefix []byte   `json:"prefix,omitempty"`  // where the folder lies in the work tree, with a closing slash
	Repo   bool     `json:"repo,omitempty"`    // the folder lies in a repository
	Ignore []byte   `json:"ignore,omitempty"`  // what is ignored besides what the files named .gitignore say
	Empty  [][]byte `json:"folders,omitempty"` // folders without files, from the top of the work tree
	Lacks  []string `json:"lacks,omitempty"`   // what the folder has and the commit has not, in words
}

// Refs of a task's repository. Under a project's name a worker keeps objects for later tasks.
const (
	baseRef    = "refs/heads/base"
	projectRef = "refs/projects/"
	taskRef    = "refs/tasks/"
)

// epochRef is the ref that a push under an epoch makes.
func epochRef(task string, epoch int) string { return taskRef + task + "/" + strconv.Itoa(epoch) }

// taskName is the form of a task's name: it becomes part of a path, a URL and a ref.
var taskName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

// named is an error if a task cannot be called so.
func named(task string) error {
	if len(task) > 100 || !taskName().MatchString(task) || strings.HasSuffix(task, ".lock") || strings.HasSuffix(task, ".git") {
		return fmt.Errorf("%q is not a valid task name", task)
	}
	return nil
}

// place is where a task's repository lies.
func place(dir, task string) string { return filepath.Join(dir, task+".git") }

// storeAt opens or makes a store of ours. Git runs in a folder without files, so that nothing of a project around it counts.
func storeAt(ctx context.Context, dir, gitDir string) (git.Store, error) {
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return git.Store{}, err
	}
	empty, err := filepath.EvalSymlinks(empty)
	if err != nil {
		return git.Store{}, err
	}
	s, err := git.OpenStore(ctx, empty, gitDir)
	if err != nil {
		return s, fmt.Errorf("opening %s: %w", gitDir, err)
	}
	return s.At(empty).WithOthers(), nil
}

// line is what git printed in one line.
func line(out []byte, err error) (string, error) { return strings.TrimSpace(string(out)), err }

// subject is the first line of an offered commit.
const subject = "The files as given to the worker"

// text is the message of the offered commit.
func (g Given) text() (string, error) {
	raw, err := json.Marshal(g)
	return subject + "\n\n" + string(raw) + "\n", err
}

// given reads what is known of an offered commit.
func given(ctx context.Context, s git.Store, commit string) (g Given, err error) {
	raw, err := s.Run(ctx, nil, "cat-file", "commit", commit)
	if err != nil {
		return g, err
	}
	_, text, _ := strings.Cut(string(raw), "\n\n"+subject+"\n\n")
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		return g, fmt.Errorf("commit %.12s was not created for a worker: %w", commit, err)
	}
	return g, nil
}

// write puts a small file of ours in place.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
