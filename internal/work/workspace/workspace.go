// Package workspace holds the files of a run: an object store of its own, a clone for each task that borrows from it,
// and clean clones in which checks run. The project's repository is only read.
//
// The folder of a run has a bare store (store.git), a clone per attempt (tasks/), clean clones for checks (proof/),
// our indexes (index/), folders to be reused (spare/), what clones get besides the files of a commit (seed/, see
// Setup) and an empty folder, from which git runs where it needs no files. Clones share the store's objects and hold
// nothing that is needed: every commit a run names is kept by a ref of the store (Point), so a clone can be dropped
// at any time.
//
// Nothing that an agent leaves in its clone controls us: files are taken by our own index, with no hooks, filters or
// settings of the clone (internal/git), a repository inside is noticed, links are never followed, and sizes are
// limited (Bound, TooLarge).
//
// A Space may be used by several goroutines, each with a clone of its own name; RemoveProofs and Unlock require that
// nobody works. Only FastForward, Apply, Branch, Keep and Withdraw write to the project, when a person accepts.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/project/litter"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Space is the folder of one run. It holds no open files and needs no closing.
type Space struct {
	dir    string
	store  git.Store
	author [2]string // name and address of who commits

	cleaned atomic.Int64 // number of clean clones made
}

// Base is what a run begins with. Commit and Head are the same unless uncommitted work was included.
type Base struct {
	Commit string // the first commit of tasks
	Head   string // the commit checked out in the project
	Branch string // its branch; empty: none
	Author [2]string
	Lacks  []string // what the project's folder has and a workspace lacks, in sentences
}

// nobody is the author if git does not know the person.
var nobody = [2]string{"Socrates", "socrates@localhost"}

// Make makes the folder of a run on a project. With changes, uncommitted work becomes the commit the run begins with.
// An existing folder is opened; its contents stay. The project is read and not changed, also with changes.
func Make(ctx context.Context, project, dir string, changes bool) (*Space, Base, error) {
	repo, err := git.Open(project)
	if errors.Is(err, git.ErrNone) {
		return nil, Base{}, fmt.Errorf("%s is not in a git repository with a work tree", project)
	}
	if err != nil {
		return nil, Base{}, err
	}
	head, err := repo.Head(ctx)
	if err == nil && head.Hash == "" {
		err = errors.New("the repository has no commit yet")
	}
	if err != nil {
		return nil, Base{}, err
	}
	b := Base{Commit: head.Hash, Head: head.Hash, Branch: head.Branch, Author: nobody}
	s, err := Open(ctx, dir, b.Author)
	if err != nil {
		return nil, b, err
	}
	if name, email := s.store.Person(ctx, repo); name != "" && email != "" {
		b.Author = [2]string{name, email}
		s.author = b.Author
	}
	if err := s.store.Borrow(ctx, repo, head.Hash); err != nil {
		return s, b, err
	}
	if _, err := s.Tree(ctx, b.Commit); err != nil {
		return s, b, err
	}
	if b.Lacks, err = lacks(ctx, repo, changes); err == nil && changes {
		b.Commit, err = takeIn(ctx, s, repo, head.Hash)
	}
	return s, b, err
}

// Open opens the folder of a run, and makes its store if there is none. author is a name and an address; both must be
// set, since commits need them.
func Open(ctx context.Context, dir string, author [2]string) (*Space, error) {
	empty := filepath.Join(dir, "empty")
	for _, name := range []string{empty, filepath.Join(dir, "tasks"), filepath.Join(dir, "index"), filepath.Join(dir, "proof")} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return nil, err
		}
	}
	store, err := git.OpenStore(ctx, empty, filepath.Join(dir, "store.git"))
	if err != nil {
		return nil, err
	}
	s := &Space{dir: dir, store: store.At(empty), author: author}
	if out, err := s.store.Run(ctx, nil, "merge-tree", "-h"); err != nil && !strings.Contains(string(out)+err.Error(), "write-tree") {
		return nil, errors.New("git is older than 2.38, which cannot merge without a work tree; update git")
	}
	return s, nil
}

// takeIn commits the uncommitted work of the project, without caches and what the project or the person ignores.
func takeIn(ctx context.Context, s *Space, repo git.Repo, head string) (string, error) {
	own := filepath.Join(s.dir, "store.git")
	at, err := git.OpenStore(ctx, repo.Top(), own)
	if err != nil {
		return "", err
	}
	rules, err := repo.Rules(ctx)
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.dir, "index", "project"+excludeEnd)
	if err := os.WriteFile(file, []byte(rules+cacheRules(repo.Top())), 0o600); err != nil {
		return "", err
	}
	at = at.Indexed(filepath.Join(s.dir, "index", "project")).With("core.excludesFile", file)
	if _, err := at.Run(ctx, nil, "read-tree", head); err != nil {
		return "", err
	}
	if _, err := at.Run(ctx, nil, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := line(at.Run(ctx, nil, "write-tree"))
	if was, terr := s.Tree(ctx, head); err != nil || terr != nil || was == tree {
		return head, errors.Join(err, terr)
	}
	return s.Commit(ctx, tree, "Uncommitted work of the project", head)
}

// lacks lists what a workspace will not have.
func lacks(ctx context.Context, repo git.Repo, changes bool) (out []string, err error) {
	changed, err := repo.Status(ctx, "")
	if err != nil {
		return nil, err
	}
	modules := false
	changed = slices.DeleteFunc(changed, func(f git.FileStatus) bool {
		in := f.State == "??" && slices.ContainsFunc(strings.Split(f.Name, "/"), func(part string) bool {
			return slices.Contains(litter.Folders, part)
		})
		modules = modules || in && strings.HasPrefix(f.Name, "node_modules/")
		return in
	})
	if n := len(changed); n > 0 && !changes {
		out = append(out, fmt.Sprintf("uncommitted changes in %s", count(n, "file")))
	}
	if _, err := os.Lstat(filepath.Join(repo.Top(), ".gitmodules")); err == nil {
		out = append(out, "the content of submodules")
	}
	if modules {
		out = append(out, "node_modules, which is not committed")
	}
	for _, name := range []string{"node_modules", ".venv", "venv", "vendor", ".env"} {
		ignored, err := repo.Ignored(ctx, []string{name})
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(filepath.Join(repo.Top(), name)); err == nil && len(ignored) > 0 {
			out = append(out, name+", which git ignores")
		}
	}
	return out, nil
}

// count formats a number with its noun.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// line returns git's output as one line.
func line(out []byte, err error) (string, error) { return strings.TrimSpace(string(out)), err }

// Dir is the run's folder.
func (s *Space) Dir() string { return s.dir }

// Place returns the folder of a clone.
func (s *Space) Place(name string) string { return filepath.Join(s.dir, "tasks", name) }

// Clone makes a clone at a commit, or finds the existing one: work in it stays. An incomplete one is made again. The
// mark beside the index is written last, so a clone without it is incomplete.
func (s *Space) Clone(ctx context.Context, name, commit string) (string, error) {
	dir, index := s.Place(name), filepath.Join(s.dir, "index", name)
	made := index + ".made"
	if info, err := os.Lstat(dir); err == nil {
		if !info.IsDir() {
			return "", fmt.Errorf("%s is not the folder that was made for a task", dir)
		}
		if _, err := os.Lstat(made); err == nil {
			return dir, nil
		}
	}
	if err := s.fresh(ctx, dir, index, commit); err != nil {
		return "", err
	}
	return dir, os.WriteFile(made, []byte(commit+"\n"), 0o600)
}

// fresh empties a folder of ours and fills it with a commit. Links in it are removed and not followed.
func (s *Space) fresh(ctx context.Context, dir, index, commit string) error {
	if err := scratch.RemoveAll(dir); err != nil {
		return err
	}
	os.Remove(index)
	found, err := sparesOf(s).again(ctx, dir, index, commit)
	if err != nil {
		return err
	}
	if !found {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := s.store.Checkout(ctx, dir, index, commit); err != nil {
			return err
		}
	}
	if err := sow(filepath.Join(s.dir, seed), dir); err != nil {
		return err
	}
	return s.store.Attach(ctx, dir, index, commit)
}

// Clean is a clean clone in which a check runs.
type Clean struct {
	Dir    string
	Caches string // the run's, for programs
	Layer  string // an empty folder that receives changes to those; empty: they may be changed
	// Built is a folder for what is written by programs which run none of the files; it stays for the clone of the
	// same number, because many programs cache builds by folder.
	Built string
	Env   []string // variables for programs there

	retire func() error // releases its folder
}

// End releases the clone.
func (c Clean) End() error {
	return errors.Join(c.retire(), scratch.RemoveAll(c.Dir+layerEnd))
}

// Suffixes of a clean clone's other folders.
const (
	layerEnd = ".layer"
	builtEnd = ".built"
)

// Clean makes a clean clone for checks. Several can be used at once under different numbers; keeps means that
// programs' caches stay. The number is in its path: programs cache builds by folder, so the same few folders are
// reused.
func (s *Space) Clean(ctx context.Context, n int, commit string, keeps bool) (Clean, error) {
	name := fmt.Sprint(n)
	index := filepath.Join(s.dir, "index", "proof-"+name)
	c := Clean{Dir: filepath.Join(s.dir, "proof", name), Caches: filepath.Join(s.dir, "caches")}
	c.retire = func() error { return sparesOf(s).retire(c.Dir, index) }
	err := errors.Join(scratch.RemoveAll(c.Dir+layerEnd), os.MkdirAll(c.Caches, 0o700))
	if err == nil && !keeps {
		c.Layer, c.Built = c.Dir+layerEnd, c.Dir+builtEnd
		err = errors.Join(os.Mkdir(c.Layer, 0o700), os.MkdirAll(c.Built, 0o700))
		if s.cleaned.Add(1)%looksAfter == 0 {
			err = errors.Join(err, trim(c.Built, mostBuilt))
		}
	}
	if err != nil {
		return c, err
	}
	return c, s.fresh(ctx, c.Dir, index, commit)
}

// Drop removes a task's clone; its commits stay in the store.
func (s *Space) Drop(name string) error {
	index := filepath.Join(s.dir, "index", name)
	for _, end := range []string{".made", setEnd, portsEnd, takenEnd, excludeEnd} {
		os.Remove(index + end)
	}
	if _, err := os.Lstat(s.Place(name)); err != nil {
		os.Remove(index)
		return nil
	}
	return sparesOf(s).retire(s.Place(name), index)
}

// Release drops the clone of a name if its files are those of a commit and nobody works in it. One that was changed
// since that commit is kept.
func (s *Space) Release(ctx context.Context, name, base, commit string) error {
	if _, err := os.Lstat(s.Place(name)); err != nil {
		return nil
	}
	if inUse(s.Place(name)) {
		return nil
	}
	is, err := treeOf(ctx, s, name, base)
	if _, large := errors.AsType[*TooLarge](err); large {
		return nil
	}
	if err != nil {
		return err
	}
	if was, err := s.Tree(ctx, commit); err != nil || is != was {
		return err
	}
	return s.Drop(name)
}

// RemoveProofs removes what checks left behind, and the folders kept for reuse. Nobody may work there.
func (s *Space) RemoveProofs() error {
	left, err := os.ReadDir(filepath.Join(s.dir, "proof"))
	for _, entry := range left {
		err = errors.Join(err, scratch.RemoveAll(filepath.Join(s.dir, "proof", entry.Name())))
	}
	return errors.Join(err, scratch.RemoveAll(sparesOf(s).dir))
}

// Unlock removes the locks that a killed git left in the run's folder. Nobody may work there. Such a lock would make
// every later call fail. Folders of agents and programs, whose files may be unreadable, and objects are skipped: they contain no locks of
// ours.
func (s *Space) Unlock() error {
	theirs := []string{"tasks", "proof", "caches", seed}
	return filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case filepath.Dir(path) == s.dir && slices.Contains(theirs, filepath.Base(path)),
			d != nil && d.IsDir() && d.Name() == "objects":
			return filepath.SkipDir
		case err != nil:
			return err
		case d.Type().IsRegular() && strings.HasSuffix(path, ".lock"):
			return os.Remove(path)
		}
		return nil
	})
}
