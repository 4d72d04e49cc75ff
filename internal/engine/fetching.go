package engine

import (
	"context"
	"sync"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
)

// fetching is what the calls of a turn may have brought into the project from outside, or committed of it, since it was last taken.
type fetching struct {
	mu    sync.Mutex        // guards the rest
	since permission.Moment // a command may have fetched files; zero: none did
	jobs  bool              // one of them is a job, which goes on
	base  *string           // the commit that was checked out before calls that may commit; nil: there were none
}

// begin notes that a command may leave what strangers wrote in files from now on.
func (f *fetching) begin(dir, tool string, policy permission.Policy) {
	if tool != "bash" && tool != "job_start" {
		return
	}
	f.mayCommit(dir, tool)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.since.IsZero() {
		f.since = policy.Moment()
	}
	f.jobs = f.jobs || tool == "job_start"
}

// mayCommit notes where a project stands before a call that may commit what came from outside: such a commit is no review.
func (f *fetching) mayCommit(dir, tool string) {
	if tool != "bash" && tool != "job_start" && tool != "git_commit" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base != nil {
		return
	}
	if repo, err := git.Open(dir); err == nil {
		if head, err := repo.Head(context.Background()); err == nil {
			f.base = &head.Hash
		}
	}
}

// take is since when files may have been fetched, and the commit before that; with a job at work it stays so.
func (f *fetching) take() (since permission.Moment, base *string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	since, base = f.since, f.base
	if !f.jobs {
		f.since, f.base = permission.Moment{}, nil
	}
	return since, base
}
