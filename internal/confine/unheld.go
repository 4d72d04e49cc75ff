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

// The sandbox holds what steers tools against the programs of a call, with two exceptions, which are compared instead. Git
// replaces files when it checks out, merges or resets: held ones would stay as another branch has them, and be committed so. And
// a program that still runs from an earlier call holds only what there was when it started.

// The sandbox holds what steers tools against the programs of a call, with two exceptions, which are compared
// instead. Git replaces files when it checks out, merges or resets: held ones would stay as another branch has
// them, and be committed so. And a program that still runs from an earlier call holds only what there was when it
// started.
//
// unheld is how files that steer tools were in a project before a call's programs could change them, for one call.
type unheld struct {
	first *found            // what there was
	files map[string]string // by path: see describe; nil: nothing is compared
	git   bool              // git may have changed all of them
	older []*found          // what programs of earlier calls hold that still run
}

// mostCompared bounds the files of a project that are compared because they are not held. Where there are more, git is held, too.
const mostCompared = 5000

// contents are the files at and below what the sandbox holds, and those that these name, described; ok is false if they are too many.
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

// places are what lies where the sandbox holds something: another file there is not held by programs that run already.
func (f *found) places() map[string]spot {
	out := map[string]spot{}
	for _, path := range f.held() {
		if at, ok := spotOf(path); ok {
			out[path] = at
		}
	}
	return out
}

// covers says whether programs hold what is at a path now: nothing has taken the place of what they held.
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

// comparison knows what the sandbox does not hold. Its zero value is ready, and it is safe for concurrent use.
type comparison struct {
	running sync.Map // *running: programs that have not ended
	tips    sync.Map // git.Tips by the top of a repository
	known   sync.Map // by path and description: what was there before programs could change it

	mu    sync.Mutex                        // guards what follows
	calls map[string][]weak.Pointer[unheld] // by project: of the calls at work
}

// running is a program that runs, and what it holds by project.
type running struct{ holds map[string]*found }

// runs notes that a program runs, until ended is called. holds is by project.
func (c *comparison) runs(holds map[string]*found) (ended func()) {
	run := &running{holds}
	c.running.Store(run, true)
	return func() { c.running.Delete(run) }
}

// begin begins a call: what programs of earlier calls do not hold is noted if one still runs.
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

// loosen notes what git is about to be let change, for all calls that are at work in a project. It is false if that is too much to
// be compared. What was noted in a call already stays: git may have changed it since.
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

// seen keeps what files that steer tools were like before programs could change them: what comes back as it was is no change.
func (c *comparison) seen(files map[string]string) {
	for at, is := range files {
		c.known.Store(at+"\x00"+is, true)
	}
}

// knows says whether a file is as it was at some time before a program could change it.
func (c *comparison) knows(at string) bool {
	_, ok := c.known.Load(at + "\x00" + describe(at))
	return ok
}

// changed is what of a project was not held and has changed or gone, but for what git brought from commits that were there before.
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
			now[at] = "" // gone, but only git can have removed it: what is held cannot be
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

// told is what to tell of files that have changed or gone: nothing of what git brought from commits that were there before.
func (c *comparison) told(paths ...string) (out []Change) {
	arrivals := c.arrivals(paths...)
	for _, at := range paths {
		if gone := !exists(at); arrivals[at] != git.Before && (gone || !c.knows(at)) {
			out = append(out, Change{Path: at, gone: gone, brought: !gone && arrivals[at] == git.Meanwhile})
		}
	}
	return out
}

// arrivals are when git got files as they are, by the repository that each is in. Of what fails, nothing is known.
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

// tipsOf are the commits that a repository had when a program that writes it was first started.
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
