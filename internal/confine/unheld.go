package confine

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"weak"

	"github.com/socrates-cli/socrates/internal/git"
)

// unheld is the state of a project's steering files before a call's programs could change them, for one call.
//
// The sandbox protects steering files from the programs of a call, with two exceptions, which are compared instead. Git
// replaces files when it checks out, merges or resets: protected ones would keep the other branch's content, and be
// committed that way. And a program that still runs from an earlier call is only kept from what existed when it
// started.
type unheld struct {
	first *found            // the earlier state
	files map[string]string // by path: see describe; nil: nothing is compared
	git   bool              // git may have changed all of them
	older []*found          // states that still running programs of earlier calls are kept from
}

// mostCompared bounds the files of a project that are compared because they are not protected. If there are more, they are protected from
// git, too.
const mostCompared = 5000

// contents describes the files at and below what the sandbox protects, and those that these name; ok is false if there are too many.
func (f *found) contents() (out map[string]string, ok bool) {
	out = map[string]string{}
	for _, path := range slices.Concat(f.held(), f.names.there) {
		if isRepository(path) {
			continue
		}
		filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if len(out) > mostCompared {
				return fs.SkipAll
			}
			if err == nil && !d.IsDir() {
				out[at] = describe(at)
			}
			return nil
		})
	}
	return out, len(out) <= mostCompared
}

// places are the files in the places that the sandbox protects: a later file in such a place is not protected from programs that are
// already running.
func (f *found) places() map[string]spot {
	out := map[string]spot{}
	for _, path := range f.held() {
		if at, ok := spotOf(path); ok {
			out[path] = at
		}
	}
	return out
}

// covers reports whether programs are kept from the file at a path now: nothing has replaced what was protected.
func covers(path string, all ...*found) bool {
	for _, f := range all {
		covered := false
		for held, then := range f.there {
			if below(path, held) {
				now, ok := spotOf(held)
				covered = covered || ok && now == then
			}
		}
		if !covered {
			return false
		}
	}
	return true
}

// comparison knows what the sandbox does not protect. Its zero value is ready, and it is safe for concurrent use.
type comparison struct {
	running sync.Map // *running: programs that have not ended
	tips    sync.Map // git.Tips by the top of a repository
	known   sync.Map // by path and description: what existed before programs could change it

	mu    sync.Mutex                        // guards the fields below
	calls map[string][]weak.Pointer[unheld] // by project: of the current calls
}

// running is a program that is running, and what it is kept from, by project.
type running struct{ holds map[string]*found }

// runs records that a program is running, until ended is called. holds is by project.
func (c *comparison) runs(holds map[string]*found) (ended func()) {
	run := &running{holds}
	c.running.Store(run, true)
	return func() { c.running.Delete(run) }
}

// begin begins a call. If a program of an earlier call is still running, it records what that program can change.
func (c *comparison) begin(dir string, first *found) *unheld {
	u := &unheld{first: first}
	for run := range c.running.Range {
		if f := run.(*running).holds[dir]; f != nil && !slices.Contains(u.older, f) {
			u.older = append(u.older, f)
		}
	}
	if len(u.older) > 0 {
		u.files, _ = first.contents()
		c.seen(u.files)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	live := slices.DeleteFunc(c.calls[dir], func(p weak.Pointer[unheld]) bool { return p.Value() == nil })
	if c.calls == nil {
		c.calls = map[string][]weak.Pointer[unheld]{}
	}
	c.calls[dir] = append(live, weak.Make(u))
	return u
}

// loosen records what git is about to be allowed to change, for all current calls in a project. It returns false if that is too much to
// compare. What a call has recorded already stays: git may have changed it since.
func (c *comparison) loosen(dir string, first *found) bool {
	now, ok := first.contents()
	if !ok {
		return false
	}
	c.seen(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.calls[dir] {
		if u := p.Value(); u != nil {
			if u.git = true; u.files == nil {
				u.files = now
			}
		}
	}
	return true
}

// seen records the state of steering files before programs could change them: a file that returns to it is no change.
func (c *comparison) seen(files map[string]string) {
	for at, is := range files {
		c.known.Store(at+"\x00"+is, true)
	}
}

// knows reports whether a file is as it was at some time before a program could change it.
func (c *comparison) knows(at string) bool {
	_, ok := c.known.Load(at + "\x00" + describe(at))
	return ok
}

// changed returns what was not protected in a project and has changed or disappeared, except what git brought from commits that existed
// before.
func (c *comparison) changed(u *unheld) (out []Change) {
	if u.files == nil {
		return nil
	}
	c.mu.Lock()
	loose := u.git
	c.mu.Unlock()
	now, _ := u.first.contents()
	for at := range u.files {
		if _, there := now[at]; !there {
			now[at] = "" // it disappeared, and only git can have removed it: what is protected cannot be
		}
	}
	var paths []string
	for at, is := range now {
		if is != u.files[at] && (loose || is != "" && !covers(at, append(slices.Clone(u.older), u.first)...)) {
			paths = append(paths, at)
		}
	}
	slices.Sort(paths)
	return c.told(paths...)
}

// told returns the files to report among those that have changed or disappeared: none that git brought from commits that existed before.
func (c *comparison) told(paths ...string) (out []Change) {
	arrivals := c.arrivals(paths...)
	for _, at := range paths {
		if gone := !exists(at); arrivals[at] != git.Before && (gone || !c.knows(at)) {
			out = append(out, Change{Path: at, gone: gone, brought: !gone && arrivals[at] == git.Meanwhile})
		}
	}
	return out
}

// arrivals says when git got the current content of files, by the repository of each. On failure, nothing is known.
func (c *comparison) arrivals(paths ...string) map[string]git.Arrival {
	out, in := map[string]git.Arrival{}, map[string][]string{}
	tops := map[string]string{}
	for _, at := range paths {
		dir := filepath.Dir(at)
		top, ok := tops[dir]
		if !ok {
			top = repositoryOf(dir).top
			tops[dir] = top
		}
		if rel, err := filepath.Rel(top, at); top != "" && err == nil {
			in[top] = append(in[top], rel)
		}
	}
	for top, names := range in {
		repo, err := git.Open(top)
		if err != nil {
			continue
		}
		arrived, _ := repo.Brought(context.Background(), names, c.tipsOf(top))
		for name, a := range arrived {
			out[filepath.Join(top, name)] = a
		}
	}
	return out
}

// tipsOf returns the commits that a repository had when a program that writes it was first started.
func (c *comparison) tipsOf(top string) git.Tips {
	if tips, ok := c.tips.Load(top); ok {
		return tips.(git.Tips)
	}
	if top == "" {
		return nil
	}
	repo, err := git.Open(top)
	if err != nil {
		return nil
	}
	tips, _ := repo.Tips(context.Background())
	kept, _ := c.tips.LoadOrStore(top, tips)
	return kept.(git.Tips)
}
