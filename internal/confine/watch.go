package confine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
)

// Change is a steering file that a program made or changed without approval. At most one of its unexported flags is set.
type Change struct {
	Path  string
	Aside string // where it is now; empty: it stayed

	unseen  bool // a process was killed before it could check
	gone    bool // it no longer exists
	linked  bool // it is elsewhere, and a link leads there
	brought bool // git has it from a commit that was made in the meantime
}

// String is a sentence for a person.
func (c Change) String() string {
	if c.unseen {
		return c.Path + " appeared after socrates was killed while a program ran"
	}
	if c.brought {
		return c.Path + " came with a new commit and was kept"
	}
	switch {
	case c.gone:
		return c.Path + " was removed"
	case c.linked:
		return c.Path + " appeared through a link and was kept"
	case c.Aside == "":
		return c.Path + " was changed"
	}
	return c.Path + " was created; it is now at " + c.Aside
}

// Watch scans the steering files of the project before programs start and returns a function that scans them again: it
// moves new ones aside, and reports changed ones, unless they are accepted.
//
// again may be called repeatedly; each call reports what is new since the last one. With accept (a person approved what
// the programs did) the current state becomes the one to compare with, and nothing is moved. Watch and again are not
// safe for concurrent use on one project; the programs they watch may run meanwhile.
func (k *Keeper) Watch(p permission.Policy) (again func(accept bool) []Change) {
	before, calls := k.begin(p)
	left := k.left(p)
	return func(accept bool) (out []Change) {
		k.unnote(p)
		if accept {
			before, calls = k.begin(p)
			return nil
		}
		out, left = left, nil
		k.open(p)
		now := k.look(p)
		out = k.compared(p, before, now, out)
		for i := range p.Workspace {
			out = append(out, k.unheld.changed(calls[i])...)
			out = k.awaited(p, calls[i].first, out)
		}
		_, calls = k.begin(p)
		for _, path := range order(now) { // later files are new at the next scan
			if slices.ContainsFunc(out, func(c Change) bool { return c.Aside != "" && below(path, c.Path) }) {
				delete(now, path)
			}
		}
		before = now
		return out
	}
}

// compared adds what has appeared between two scans, or has changed where the sandbox does not protect it.
func (k *Keeper) compared(p permission.Policy, before, now map[string]string, out []Change) []Change {
	var fresh []string // what new repositories obey
	for _, path := range order(now) {
		was, there := before[path]
		if !there && isRepository(path) {
			fresh = append(fresh, obeyed(path)...)
		}
		switch {
		case slices.Contains(fresh, path):
		case !there && !told(out, path):
			if path = made(p, path); exists(path) {
				out = append(out, k.came(p, path)...)
			}
		case there && now[path] != was && was != "" && now[path] != "":
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				out = append(out, Change{Path: path})
			} else {
				out = append(out, k.unheld.told(path)...)
			}
		}
	}
	return out
}

// awaited adds new files that git would obey. One behind a link is only reported: the link may be the person's.
func (k *Keeper) awaited(p permission.Policy, first *found, out []Change) []Change {
	for _, path := range first.names.awaited {
		if !exists(path) || told(out, path) {
			continue
		}
		if dir, rel := k.projectOf(p, path); rel != "" && !inside(dir, rel) {
			out = append(out, Change{Path: path, linked: true})
			continue
		}
		out = append(out, k.came(p, path)...)
	}
	return out
}

// told reports whether a change at a path, or above it, is in the list already.
func told(all []Change, path string) bool {
	return slices.ContainsFunc(all, func(c Change) bool { return below(path, c.Path) })
}

// filesBelow are the files at or below a path.
func filesBelow(path string) (out []string) {
	filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, at)
		}
		return nil
	})
	return out
}

// open makes folders that programs have closed to us readable again, so that they are scanned.
func (k *Keeper) open(p permission.Policy) {
	for _, dir := range p.Workspace {
		for range 20 { // nested folders
			was, opened := k.found(context.Background(), dir).closed, false
			for _, path := range k.Secrets(dir).Closed() {
				if !slices.Contains(was, path) {
					opened = reopen(dir, path) == nil || opened
				}
			}
			if !opened {
				break
			}
		}
	}
}

// reopen makes a folder of a project readable to us.
func reopen(dir, path string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	info, err := root.Lstat(rel)
	if err == nil && !info.IsDir() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return err
	}
	return root.Chmod(rel, info.Mode().Perm()|0o500)
}

// begin records the state before programs can change it: that is what is protected from them.
func (k *Keeper) begin(p permission.Policy) (before map[string]string, calls []*unheld) {
	for _, dir := range p.Workspace {
		first := k.find(context.Background(), dir)
		k.first.Store(dir, first)
		calls = append(calls, k.unheld.begin(dir, first))
	}
	found := k.look(p)
	for _, dir := range p.Workspace {
		k.before.Store(dir, order(found))
	}
	return found, calls
}

// order sorts the paths, so that a folder comes before what it contains.
func order(found map[string]string) []string {
	var out []string
	for path := range found {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// look describes the steering files: a file by what would change with it, a folder by its existence. What the sandbox protects cannot have
// been changed by a program and is not compared.
func (k *Keeper) look(p permission.Policy) map[string]string {
	out := map[string]string{}
	for i, dir := range p.Workspace {
		held := map[string]bool{}
		for _, path := range k.found(context.Background(), dir).held() {
			held[path] = k.Deep
		}
		for _, path := range k.Secrets(dir).Steering() {
			if out[path] = ""; !held[path] && !isRepository(path) {
				out[path] = describe(path)
			}
			if isRepository(path) {
				k.addObeyed(out, path)
			}
		}
		if i == 0 {
			for _, dir := range k.found(context.Background(), dir).repo.dirs() {
				k.addObeyed(out, dir)
			}
		}
	}
	return out
}

func (k *Keeper) addObeyed(out map[string]string, dir string) {
	for _, path := range obeyed(dir) {
		if !exists(path) {
			continue
		}
		if out[path] = ""; !k.Deep {
			out[path] = describe(path)
		}
	}
}

// repositoryNames are what git puts into a repository without a work tree.
var repositoryNames = []string{"HEAD", "objects", "refs", "config", "config.worktree", "description", "hooks", "info", "branches", "logs",
	"packed-refs", "index", "modules", "worktrees",
	"commondir", "gitdir", "shallow", "FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG"}

// made returns what to move aside of a new steering file or folder: itself, except for a folder that a HEAD has made a
// repository and that contains other files, where it is only that HEAD. The rest is the person's, and may be the whole
// project.
func made(p permission.Policy, path string) string {
	// This includes what git obeys in a .git.
	if strings.EqualFold(filepath.Base(path), ".git") || !isRepository(path) || !exists(filepath.Join(path, "HEAD")) {
		return path
	}
	entries, err := os.ReadDir(path)
	if err == nil && !slices.Contains(p.Workspace, path) && !slices.ContainsFunc(entries,
		func(e fs.DirEntry) bool { return !slices.Contains(repositoryNames, e.Name()) }) {
		return path
	}
	return filepath.Join(path, "HEAD")
}

// describe is a text that changes with a steering file or folder; for a folder, with its content. Contents are hashed
// and times are not, since a program can set times back. For a large folder the first 2,000 entries count.
func describe(path string) string {
	sum, most := sha256.New(), 2000
	filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if most--; err != nil || most < 0 {
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		to, _ := os.Readlink(at)
		fmt.Fprintln(sum, strings.TrimPrefix(at, path), info.Mode(), to)
		if !info.Mode().IsRegular() {
			return nil
		}
		fmt.Fprintln(sum, info.Size())
		if f, err := os.Open(at); err == nil {
			io.Copy(sum, f)
			f.Close()
		}
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// came returns what to report about something new that steers tools, which is moved aside. What git brought from a commit that existed
// before is the person's own; from a new commit it is reported and stays, so that it is not committed as removed. Of a folder, what git
// has stays and the rest is moved.
func (k *Keeper) came(p permission.Policy, path string) (out []Change) {
	dir, rel := k.projectOf(p, path)
	if rel != "" && !inside(dir, rel) { // a folder in the path has become a link
		return nil
	}
	if rel == "" || isRepository(path) {
		return []Change{{Path: path, Aside: k.aside(p, path)}}
	}
	all := filesBelow(path)
	if len(all) > mostCompared {
		return []Change{{Path: path, Aside: k.aside(p, path)}}
	}
	arrivals, brought := k.unheld.arrivals(all...), false
	var alien []string
	for _, at := range all {
		if brought = brought || arrivals[at] == git.Meanwhile; arrivals[at] == git.Nowhere && !k.unheld.knows(at) {
			alien = append(alien, at)
		}
	}
	switch {
	case len(alien) == len(all):
		return []Change{{Path: path, Aside: k.aside(p, path)}}
	case brought:
		out = append(out, Change{Path: path, brought: true})
	}
	for _, at := range alien {
		out = append(out, Change{Path: at, Aside: k.aside(p, at)})
	}
	return out
}

// inside reports whether something is in a folder, and no link leads out of it.
func inside(dir, rel string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(rel)
	return err == nil
}

// projectOf is the folder of the workspace, or of its repository, that contains a path, and the path relative to it; empty: none does.
func (k *Keeper) projectOf(p permission.Policy, path string) (dir, rel string) {
	for _, dir := range p.Workspace {
		for _, in := range append([]string{dir}, k.found(context.Background(), dir).repo.dirs()...) {
			if rel, err := filepath.Rel(in, path); err == nil && filepath.IsLocal(rel) && rel != "." {
				return in, rel
			}
		}
	}
	return "", ""
}

// aside moves something out of the project, where nothing obeys it. It returns an empty string if that failed. Programs may still be
// running and replace folders by links: every name is looked up from the project's top, and none leads out of it.
func (k *Keeper) aside(p permission.Policy, path string) string {
	dir, rel := k.projectOf(p, path)
	if k.Aside == "" || rel == "" {
		return ""
	}
	to := filepath.Join(k.Aside, time.Now().Format("2006-01-02T15.04.05.000000"), rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return ""
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	if move(root, rel, to) {
		return to
	}
	for _, name := range []string{filepath.Dir(rel), rel} { // a program may have made them read-only
		if info, err := root.Lstat(name); err == nil && info.IsDir() {
			root.Chmod(name, 0o700)
			defer root.Chmod(name, info.Mode().Perm())
		}
	}
	if move(root, rel, to) || exists(to) {
		return to
	}
	return ""
}

// move moves what is below a root to another place. If it could only be copied, and not removed, it also stays there, perhaps in part.
func move(root *os.Root, name, to string) (moved bool) {
	parent, err := root.OpenRoot(filepath.Dir(name))
	if err != nil {
		return false
	}
	defer parent.Close()
	base := filepath.Base(name)
	if rename(parent, base, to) == nil {
		return true
	}
	if exists(to) { // it was copied before
		return parent.RemoveAll(base) == nil
	}
	if copyOut(parent, base, to) != nil {
		os.RemoveAll(to)
		return false
	}
	return parent.RemoveAll(base) == nil
}

// copyOut copies to another disk. Links are not followed.
func copyOut(root *os.Root, name, to string) error {
	return fs.WalkDir(root.FS(), name, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(filepath.FromSlash(at), name))
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := root.Readlink(at)
			if err == nil {
				err = os.Symlink(link, target)
			}
			return err
		case d.Type().IsRegular():
			text, err := root.ReadFile(at)
			if err == nil {
				err = os.WriteFile(target, text, 0o600)
			}
			return err
		}
		return nil
	})
}
