package turns

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/agent"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/foreign"
)

// fetching is what the calls of a turn may have brought into the project from outside, or committed of it, since it was last taken.
// Only commands of a shell bring files that no tool reports; what tools write is reported by name.
type fetching struct {
	mu     sync.Mutex          // guards the rest
	since  foreign.Moment      // a command may have fetched files; zero: none did
	jobs   bool                // one of them is a job, which goes on
	before map[string]git.Tips // of repositories, before calls that may commit
}

// begin notes that a command may leave what strangers wrote in files from now on.
func (f *fetching) begin(dir, tool string, policy permission.Policy) {
	if tool != "bash" && tool != "job_start" {
		return
	}
	f.mayCommit(dir, tool, policy)
	f.mu.Lock()
	defer f.mu.Unlock()
	// The earliest moment counts until it is taken.
	if f.since.IsZero() {
		f.since = policy.Moment()
	}
	f.jobs = f.jobs || tool == "job_start"
}

// mayCommit notes where the repositories of a project stand before a call that may commit what came from outside: such a commit is
// no review.
func (f *fetching) mayCommit(dir, tool string, policy permission.Policy) {
	if tool != "bash" && tool != "job_start" && tool != "git_commit" {
		return
	}
	dirs := map[string]bool{dir: true}
	for _, path := range policy.Fetched {
		dirs[filepath.Dir(strings.TrimSuffix(path, string(filepath.Separator)))] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		top, err := git.Top(dir)
		if _, known := f.before[top]; known || err != nil {
			continue
		}
		repo, err := git.Open(top)
		if err != nil {
			continue
		}
		// What git cannot tell is not known later either; then nothing counts as reviewed by it.
		if tips, err := repo.Tips(context.Background()); err == nil {
			if f.before == nil {
				f.before = map[string]git.Tips{}
			}
			f.before[top] = tips
		}
	}
}

// take is since when files may have been fetched, and what repositories had before that; with a job at work it stays so.
func (f *fetching) take() (since foreign.Moment, before map[string]git.Tips) {
	f.mu.Lock()
	defer f.mu.Unlock()
	since, before = f.since, maps.Clone(f.before)
	if !f.jobs {
		f.since, f.before = foreign.Moment{}, nil
	}
	return since, before
}

// derivedFiles are the files that calls wrote after the model was shown what strangers wrote: they may repeat it.
func (w *turn) derivedFiles(ran []agent.Ran) (paths []string) {
	if !w.isTainted() {
		return nil
	}
	for _, r := range ran {
		for _, name := range r.Output.Wrote {
			paths = append(paths, filepath.Join(w.t.Dir, filepath.FromSlash(name)))
		}
	}
	return paths
}

// keepFetched keeps which files came from outside, and which were derived, so that later conversations know.
// With nobody to keep it, it is forgotten with the turn.
func (w *turn) keepFetched(derived []string) error {
	since, before := w.fetching.take()
	if w.lib.wiring.Guard.Fetched == nil {
		return nil
	}
	if !since.IsZero() {
		derived = append(derived, since.Changed(w.t.Dir)...)
	}
	return w.lib.wiring.Guard.Fetched(w.t.Dir, derived, before, !since.IsZero())
}
