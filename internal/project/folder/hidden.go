package folder

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

const (
	mostAsked    = 500     // files in one query to git
	largestAsked = 1 << 20 // maximum bytes of one
	mostHidden   = 200     // of what is deep in the project; each costs a starting program about a millisecond
	// unsure is how long after a change of a folder another change may leave no trace: disk clocks are that coarse.
	unsure = 2 * time.Second
	// recent is how old an answer may be: a program that runs that long can see later files, too.
	recent = time.Second
)

// Secrets finds what programs of a project must not see, and what they must not change, whenever one is started:
// unchanged folders are not read again. It does not enter folders of installed or built files, and reads no more than
// mostNames names; of files deep in the project it finds the mostHidden nearest to the top. It is safe for concurrent
// use. The zero value with Dir set is ready. Its cache grows with the number of folders.
type Secrets struct {
	Dir string // absolute, without links

	mu     sync.Mutex
	top    *level
	found  []string         // the result of Find for all levels,
	at     time.Time        // and its time
	repo   *git.Repo        // nil: none known
	states map[string]state // of files when git was asked about them, by path
	held   map[string]bool  // git's answers
}

// level is a folder as it was read. A folder is read again if its change time differs, or is so recent that a second
// change could have left no trace (unsure).
type level struct {
	path          string
	folder        string // the outermost secret folder of the project that contains it, or itself; empty: none
	changed, read time.Time
	below         []*level
	secret        []string // paths of secrets in it
	steer         []string // paths in it that steer tools; for a repository without a work tree, the folder itself
	names         int
	open          bool     // it has files that are not secret
	denied        bool     // it is in a folder that is denied as a whole: only what steers tools counts
	flat          bool     // only what is directly in it counts
	closed        bool     // we may not list it: a program that knows a name in it may be able to open that nevertheless
	installed     []string // folders of installed or built files in it
}

// state is the state of a file when git was asked about it, and of git's index then.
type state struct{ size, changed, staged int64 }

// hidden is a secret file, and the outermost secret folder of the project that contains it; empty: none.
type hidden struct{ path, folder string }

// Find returns the secret files and folders directly in the project and, if deep, also those below. Of the latter it
// omits files that git contains with identical content: programs can get those from git anyway, and tests need their
// keys. The result belongs to the caller. It is at most recent old, but omits files that no longer exist: a sandbox
// cannot hide those.
func (s *Secrets) Find(ctx context.Context, deep bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if deep && time.Since(s.at) < recent {
		return slices.DeleteFunc(slices.Clone(s.found), func(path string) bool { _, err := os.Lstat(path); return err != nil })
	}
	if s.top == nil {
		s.top = &level{path: s.Dir}
	}
	if !deep {
		s.look(s.top)
		return slices.Clone(s.top.secret)
	}
	var files []hidden
	open := map[string]bool{} // secret folders that have something to show
	for l := range s.levels() {
		if l.denied {
			continue
		}
		if l.open && l.folder != "" {
			open[l.folder] = true
		}
		for _, path := range l.secret {
			if l != s.top {
				files = append(files, hidden{path, l.folder})
			}
		}
	}
	out := slices.Clone(s.top.secret)
	whole := map[string]bool{}
	for _, f := range s.unheld(ctx, files, open) {
		switch {
		case len(out) == len(s.top.secret)+mostHidden:
		case f.folder == "" || open[f.folder]:
			out = append(out, f.path)
		case !whole[f.folder]:
			whole[f.folder] = true
			out = append(out, f.folder)
		}
	}
	s.found, s.at = out, time.Now()
	return slices.Clone(out)
}

// Steering returns what steers tools in the project, folders and files, at any depth except in folders of installed or
// built files: those nearest to the top first. It does not enter a .git.
func (s *Secrets) Steering() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top == nil {
		s.top = &level{path: s.Dir}
	}
	left := mostNames
	for l := range s.levels() {
		out = append(out, l.steer...)
		for _, dir := range l.installed {
			out = append(append(out, steeringIn(dir, &left)...), repositories(dir, 3, &left)...)
		}
	}
	return out
}

// Closed returns the folders that we may not list.
func (s *Secrets) Closed() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.top == nil {
		s.top = &level{path: s.Dir}
	}
	for l := range s.levels() {
		if l.closed {
			out = append(out, l.path)
		}
	}
	return out
}

// steeringIn returns what steers tools directly in a folder of installed or built files: packages bring their own further down.
func steeringIn(dir string, left *int) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if *left--; *left >= 0 && e.Name() != ".git" && sensitive.SteersIn(filepath.Base(dir), e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// repositories returns those directly in a folder of installed or built files, in the folders of its scopes and hosts
// (@scope, github.com) and in the folder itself. That costs one stat per name, and no more.
func repositories(dir string, depth int, left *int) (out []string) {
	look := func(at string) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			out = append(out, filepath.Join(at, ".git"))
		}
	}
	look(dir)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if *left--; *left < 0 || !e.IsDir() || e.Name() == ".git" {
			continue
		}
		at := filepath.Join(dir, e.Name())
		if depth > 1 && (depth < 3 || strings.HasPrefix(e.Name(), "@") || strings.Contains(e.Name(), ".")) {
			out = append(out, repositories(at, depth-1, left)...)
		} else {
			look(at)
		}
	}
	return out
}

// levels yields the current folders of the project, those nearest to the top first. It stops once mostNames names were
// seen, so in a huge project deep ones are not found; what is directly in it always is.
func (s *Secrets) levels() iter.Seq[*level] {
	return func(yield func(*level) bool) {
		names := 0
		for queue := []*level{s.top}; len(queue) > 0 && names < mostNames; queue = queue[1:] {
			l := queue[0]
			s.look(l)
			names += l.names
			if !yield(l) {
				return
			}
			queue = append(queue, l.below...)
		}
	}
}

// look reads a folder, unless it is unchanged. The level keeps its children if the folder still has them: they contain
// what was read below.
func (s *Secrets) look(l *level) {
	info, err := os.Lstat(l.path)
	if err != nil || !info.IsDir() {
		*l = level{path: l.path, folder: l.folder, denied: l.denied, flat: l.flat}
		return
	}
	if l.changed.Equal(changed(info)) && l.changed.Add(unsure).Before(l.read) {
		return
	}
	before := make(map[string]*level, len(l.below))
	for _, b := range l.below {
		before[b.path] = b
	}
	*l = level{path: l.path, folder: l.folder, denied: l.denied, flat: l.flat, changed: changed(info), read: time.Now()}
	entries, err := os.ReadDir(l.path)
	if errors.Is(err, fs.ErrPermission) && l != s.top { // then programs that we start cannot list it, either
		l.closed, l.secret = true, []string{l.path}
	}
	names, dir := map[string]bool{}, filepath.Base(l.path)
	for _, e := range entries {
		l.names++
		path := filepath.Join(l.path, e.Name())
		if names[e.Name()] = true; sensitive.SteersIn(dir, e.Name()) {
			l.steer = append(l.steer, path)
		}
		if e.Name() != ".git" {
			s.sort(l, e, path, before)
		}
	}
	if sensitive.BareRepository(names) { // three names make any folder a repository: its other files still count
		l.steer = append(l.steer, l.path)
	}
}

// sort adds an entry to the right lists of its folder. A link counts as secret by its name only if it leads out of the
// project, or is at its top.
func (s *Secrets) sort(l *level, e fs.DirEntry, path string, before map[string]*level) {
	secret, top := sensitive.Secret(e.Name()), l == s.top
	switch {
	case e.IsDir():
		if secret && top {
			l.secret = append(l.secret, path)
		} else if installed[e.Name()] {
			if l.installed = append(l.installed, path); e.Name() != ".hg" || l.flat {
				return
			}
		}
		if l.flat {
			return
		}
		child := before[path]
		if child == nil {
			child = &level{path: path, folder: l.folder, denied: l.denied || secret && top, flat: e.Name() == ".hg"}
			if secret && l.folder == "" {
				child.folder = path
			}
		}
		l.below = append(l.below, child)
	case !secret && (l.folder == "" || !sensitive.Secret(strings.TrimPrefix(path, s.Dir))):
		l.open = true
	case e.Type()&fs.ModeSymlink == 0 || top || s.leadsOut(path):
		l.secret = append(l.secret, path)
	}
}

// leadsOut reports whether a link leads to something outside the project. A target inside is judged by its own name.
func (s *Secrets) leadsOut(link string) bool {
	real, err := filepath.EvalSymlinks(link)
	return err == nil && !strings.HasPrefix(real, s.Dir+string(filepath.Separator))
}

// unheld returns the existing files that git does not contain. The folders of the others are added to open. git is only
// asked about files that changed since, in one call: a program that starts often must not wait for it.
func (s *Secrets) unheld(ctx context.Context, files []hidden, open map[string]bool) (out []hidden) {
	if len(files) == 0 {
		return nil
	}
	if s.repo == nil {
		if repo, err := git.Open(s.Dir); err == nil {
			s.repo = &repo
		}
	}
	staged := int64(0)
	if s.repo != nil {
		if index, err := os.Stat(filepath.Join(s.repo.Top(), ".git", "index")); err == nil {
			staged = index.ModTime().UnixNano()
		}
	}
	now, ask := map[string]state{}, []string{}
	for _, f := range files {
		info, err := os.Lstat(f.path)
		if err != nil {
			continue
		}
		out = append(out, f)
		if info.Mode().IsRegular() && info.Size() <= largestAsked {
			now[f.path] = state{info.Size(), info.ModTime().UnixNano(), staged}
			if now[f.path] != s.states[f.path] && len(ask) < mostAsked {
				ask = append(ask, f.path)
			}
		}
	}
	s.ask(ctx, ask, now)
	return slices.DeleteFunc(out, func(f hidden) bool {
		state, ok := now[f.path]
		held := ok && s.held[f.path] && s.states[f.path] == state
		open[f.folder] = open[f.folder] || held
		return held
	})
}

// ask asks git which of the files it contains. If that fails, nothing is known, so everything stays hidden.
func (s *Secrets) ask(ctx context.Context, paths []string, now map[string]state) {
	if s.repo == nil || len(paths) == 0 {
		return
	}
	held, err := s.repo.Holds(ctx, paths)
	if err != nil {
		return // what is not known stays hidden
	}
	if s.states == nil {
		s.states, s.held = map[string]state{}, map[string]bool{}
	}
	for i, path := range paths {
		s.states[path], s.held[path] = now[path], held[i]
	}
}
