package confine

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/permission"
)

// The sandbox holds what steers tools against the programs of a call, with two exceptions, which are compared instead. Git
// replaces files when it checks out, merges or resets: held ones would stay as another branch has them, and be committed so. And
// a program that still runs from an earlier call holds only what there was when it started.

// unheld is how files that steer tools were before a call's programs could change them.
type unheld struct {
	files map[string]string // by path: see describe
	git   bool              // git may have changed all of them
	older []*found          // what programs of earlier calls hold that still run
}

// mostCompared bounds the files of a project that are compared because they are not held.
const mostCompared = 20000

// contents are the files at and below what the sandbox holds, described.
func (f *found) contents() map[string]string {
	out, most := map[string]string{}, mostCompared
	for _, path := range f.held() {
		if isRepository(path) {
			continue
		}
		filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if most--; most < 0 {
				return fs.SkipAll
			}
			if err == nil && !d.IsDir() {
				out[at] = describe(at)
			}
			return nil
		})
	}
	return out
}

// places are what lies where the sandbox holds something: another file there is not held by programs that run already.
func (f *found) places() map[string]fs.FileInfo {
	out := map[string]fs.FileInfo{}
	for _, path := range f.held() {
		if info, err := os.Lstat(path); err == nil {
			out[path] = info
		}
	}
	return out
}

// runs notes that a program runs in a project, until its end.
func (k *Keeper) runs(p permission.Policy) (ended func()) {
	run := &running{holds: map[string]*found{}}
	for _, dir := range p.Workspace {
		run.holds[dir] = k.found(context.Background(), dir)
	}
	k.running.Store(run, true)
	return func() { k.running.Delete(run) }
}

// running is a program that runs, and what it holds by project.
type running struct{ holds map[string]*found }

// compare notes what is to be compared because programs of earlier calls still run.
func (k *Keeper) compare(dir string) {
	k.unheld.Delete(dir)
	var older []*found
	for run := range k.running.Range {
		if f := run.(*running).holds[dir]; f != nil && !slices.Contains(older, f) {
			older = append(older, f)
		}
	}
	if len(older) > 0 {
		k.unheld.Store(dir, &unheld{files: k.found(context.Background(), dir).contents(), older: older})
	}
}

// loosen notes what git is about to be let change. What was noted in this call already stays: git may have changed it.
func (k *Keeper) loosen(dir string) {
	k.loosening.Lock()
	defer k.loosening.Unlock()
	u, _ := k.unheld.Load(dir)
	switch was, _ := u.(*unheld); {
	case was == nil:
		k.unheld.Store(dir, &unheld{files: k.found(context.Background(), dir).contents(), git: true})
	case !was.git:
		k.unheld.Store(dir, &unheld{files: was.files, older: was.older, git: true})
	}
}

// changed is what of a project was not held and has changed, but for what git brought from commits that were there before.
func (k *Keeper) changed(dir string) (out []Change) {
	noted, ok := k.unheld.Load(dir)
	if !ok {
		return nil
	}
	was, first := noted.(*unheld), k.found(context.Background(), dir)
	var names []string
	for at, now := range first.contents() {
		if now != was.files[at] && (was.git || !first.covers(at, was.older)) {
			if rel, err := filepath.Rel(dir, at); err == nil {
				names = append(names, rel)
			}
		}
	}
	slices.Sort(names)
	return k.told(dir, names...)
}

// covers says whether all programs that ran hold what is at a path now: nothing has taken the place of what they held.
func (f *found) covers(path string, older []*found) bool {
	for _, f := range append(slices.Clone(older), f) {
		covered := false
		for held, then := range f.there {
			if below(path, held) {
				info, err := os.Lstat(held)
				covered = covered || err == nil && os.SameFile(info, then)
			}
		}
		if !covered {
			return false
		}
	}
	return true
}
