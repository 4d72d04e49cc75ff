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

// fetching is what the calls of a turn may have brought into the project from outside, or committed of it, since the last call of take.
// Only shell commands bring files that no tool reports; what tools write is reported by name.
type fetching struct {
	mu     sync.Mutex          // guards the rest
	since  foreign.Moment      // a command may have fetched files; zero: none did
	jobs   bool                // one of the commands is a job that is still running
	before map[string]git.Tips // tips of repositories before calls that may commit
}

// begin records that from now on a command may leave what strangers wrote in files.
func (f *fetching) begin(dir, tool string, policy permission.Policy) {
	if tool != "bash" && tool != "job_start" {
		return
	}
	f.mayCommit(dir, tool, policy)
	f.mu.Lock()
	defer f.mu.Unlock()
	// The earliest moment counts until take.
	if f.since.IsZero() {
		f.since = policy.Moment()
	}
	f.jobs = f.jobs || tool == "job_start"
}

// mayCommit records the tips of a project's repositories before a call that may commit files from outside: such a commit is no review.
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
		// If git cannot tell now, the tips stay unknown; then no commit counts as a review.
		if tips, err := repo.Tips(context.Background()); err == nil {
			if f.before == nil {
				f.before = map[string]git.Tips{}
			}
			f.before[top] = tips
		}
	}
}

// take returns since when files may have been fetched, and the tips of repositories before that; while a job is running both stay
// recorded.
func (f *fetching) take() (since foreign.Moment, before map[string]git.Tips) {
	f.mu.Lock()
	defer f.mu.Unlock()
	since, before = f.since, maps.Clone(f.before)
	if !f.jobs {
		f.since, f.before = foreign.Moment{}, nil
	}
	return since, before
}

// derivedFiles returns the files that calls wrote after the model saw what strangers wrote: they may repeat it.
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

// keepFetched stores which files came from outside, and which were derived, so that later conversations know. If
// nothing can store that, it is forgotten with the turn.
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
