// Package code carries the files of a call to the worker that answers it, and the worker's changes back.
//
// The hub has a folder for it (dir in all functions here). Offer puts the files of a project's folder into a
// repository of the task's own, dir/TASK.git, as a commit on top of the history that is checked out there. Handler
// lets the worker that holds the task fetch it by git's smart HTTP and push one commit under the task's epoch. Take
// applies that to the folder: whole files, all or none. Drop ends it. The project's own .git is only read.
//
// A worker gets what a person would call the files of the project: tracked and untracked ones, but not ignored ones,
// none that package sensitive calls a secret unless the project keeps it under git (as package folder has it), no
// link that leads out, no pipe. Nested repositories are sent as files. The history is sent, too, unless it contains a
// secret that is no longer part of the project: then the commit has no parent. The commit lists what was left out
// (Lacks of Given).
//
// Nothing from a worker is trusted. Git checks objects in a separate folder before they count; the only ref that can
// be created is refs/tasks/TASK/EPOCH, once, if the gate confirms at the end of the push that the epoch is current.
// No hook runs and nobody's settings apply. Take checks every name, kind and link, and the folder, before it changes
// a file.
//
// A worker's side is Fetch and Push. Objects are cached there for the next task of the same project. Nothing that an
// agent does in the folder affects a push except the files: it uses an index and a store outside.
//
// Several processes may use the same dir; functions may be called concurrently for different tasks.
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

// ErrStale means that the hub no longer accepts this pass, or the epoch is not the task's current one.
var ErrStale = errors.New("another worker has the task now, or it is closed")

// ErrAway means that the hub did not answer, or was cut off; retry.
var ErrAway = errors.New("the hub does not answer")

// Remote is a task at a hub, for its worker.
type Remote struct {
	URL  string      // of the hub: https://HOST:PORT
	Task string      // its name
	Pass string      // from the answer to the claim
	TLS  *tls.Config // trusts the hub's CA and no other
	Dir  string      // the worker's folder for what it keeps between tasks; agents may read in it and must not write
}

// Here replaces the folder of a task in a worker's messages: on the hub the folder has another name.
const Here = "/the-folder-of-this-task"

// Given describes an offered commit.
type Given struct {
	Head   string   `json:"head,omitempty"`    // the checked-out commit, which is its parent; empty: none
	Prefix []byte   `json:"prefix,omitempty"`  // the folder's place in the work tree, with a closing slash
	Repo   bool     `json:"repo,omitempty"`    // the folder is in a repository
	Ignore []byte   `json:"ignore,omitempty"`  // ignore rules besides those of .gitignore files
	Empty  [][]byte `json:"folders,omitempty"` // folders without files, from the top of the work tree
	Lacks  []string `json:"lacks,omitempty"`   // what the folder has and the commit lacks, in words
}

// Refs of a task's repository. A worker caches objects for later tasks by the project's name.
const (
	baseRef    = "refs/heads/base"
	projectRef = "refs/projects/"
	taskRef    = "refs/tasks/"
)

// epochRef returns the ref for a push under an epoch.
func epochRef(task string, epoch int) string { return taskRef + task + "/" + strconv.Itoa(epoch) }

// taskName matches a task's name: it becomes part of a path, a URL and a ref.
var taskName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

// named returns an error for an invalid task name.
func named(task string) error {
	if len(task) > 100 || !taskName().MatchString(task) || strings.HasSuffix(task, ".lock") || strings.HasSuffix(task, ".git") {
		return fmt.Errorf("%q is not a valid task name", task)
	}
	return nil
}

// place returns the folder of a task's repository.
func place(dir, task string) string { return filepath.Join(dir, task+".git") }

// storeAt opens or makes a store of ours. Git runs in a folder without files, so that no surrounding project matters.
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

// line returns git's output as one line.
func line(out []byte, err error) (string, error) { return strings.TrimSpace(string(out)), err }

// subject is the first line of an offered commit.
const subject = "The files as given to the worker"

// text returns the message of the offered commit.
func (g Given) text() (string, error) {
	raw, err := json.Marshal(g)
	return subject + "\n\n" + string(raw) + "\n", err
}

// given parses the description of an offered commit.
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

// write writes a small file atomically.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
