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

	"github.com/socrates-cli/socrates/internal/permission"
)

// Change is something that steers tools and was made or changed by a program nobody had approved for it.
type Change struct {
	Path  string
	Aside string // where it is now; empty: it stayed
}

// String is a sentence for a person.
func (c Change) String() string {
	if c.Aside == "" {
		return c.Path + " was changed"
	}
	return c.Path + " was created; it is now at " + c.Aside
}

// Watch looks at what steers tools in the project before programs start and returns what looks again: it moves aside what
// has come, and tells what has changed, unless that is accepted.
func (k *Keeper) Watch(p permission.Policy) (again func(accept bool) []Change) {
	before := k.begin(p)
	return func(accept bool) (out []Change) {
		if accept {
			before = k.begin(p)
			return nil
		}
		k.open(p)
		now := k.look(p)
		for _, path := range order(now) {
			was, there := before[path]
			switch {
			case !there && !slices.ContainsFunc(out, func(c Change) bool { return below(path, c.Path) }):
				if path = made(p, path); exists(path) {
					out = append(out, Change{path, k.aside(p, path)})
				}
			case there && now[path] != was && was != "":
				out = append(out, Change{Path: path})
			}
		}
		before = k.begin(p)
		return out
	}
}

// open makes folders that programs have closed to us readable again: what is in them is looked at.
func (k *Keeper) open(p permission.Policy) {
	for _, dir := range p.Workspace {
		for range 20 { // folders in folders
			was, opened := k.found(context.Background(), dir).closed, false
			for _, path := range k.Secrets(dir).Closed() {
				if info, err := os.Lstat(path); err == nil && info.IsDir() && !slices.Contains(was, path) {
					opened = os.Chmod(path, info.Mode().Perm()|0o500) == nil || opened
				}
			}
			if !opened {
				break
			}
		}
	}
}

// begin looks at what there is before programs can change it: that is what they are kept from.
func (k *Keeper) begin(p permission.Policy) map[string]string {
	for _, dir := range p.Workspace {
		k.first.Store(dir, k.find(context.Background(), dir))
	}
	return k.look(p)
}

func order(found map[string]string) []string {
	var out []string
	for path := range found {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// look describes what steers tools: a file by what would change with it, a folder by its being there. What the sandbox holds
// cannot have been changed by a program and is not compared.
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
			for _, dir := range repositoryOf(dir).dirs() {
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
var repositoryNames = []string{"HEAD", "objects", "refs", "config", "config.worktree", "description", "hooks", "info", "branches", "logs", "packed-refs", "index", "modules", "worktrees",
	"commondir", "gitdir", "shallow", "FETCH_HEAD", "ORIG_HEAD", "COMMIT_EDITMSG"}

// made is what to move aside of something that steers tools and is new: itself, but of a folder that a HEAD has made a
// repository and that holds anything else, that HEAD alone. The rest is the person's, be it the whole project.
func made(p permission.Policy, path string) string {
	if strings.EqualFold(filepath.Base(path), ".git") || !isRepository(path) {
		return path
	}
	entries, err := os.ReadDir(path)
	if err == nil && !slices.Contains(p.Workspace, path) && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(repositoryNames, e.Name()) }) {
		return path
	}
	return filepath.Join(path, "HEAD")
}

// describe is what changes with something that steers tools: with a folder, what is in it. Nobody sets contents back, as
// times can be.
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
			io.CopyN(sum, f, 1<<20)
			f.Close()
		}
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// aside moves something out of the project, where nothing obeys it. Empty: it could not be.
func (k *Keeper) aside(p permission.Policy, path string) string {
	if k.Aside == "" {
		return ""
	}
	name := filepath.Base(path)
	for _, dir := range p.Workspace {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
	}
	to := filepath.Join(k.Aside, time.Now().Format("2006-01-02T15.04.05.000000"), name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return ""
	}
	if os.Rename(path, to) == nil || copyAside(path, to) == nil {
		return to
	}
	for _, dir := range []string{filepath.Dir(path), path} { // which a program made read-only
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			os.Chmod(dir, 0o700)
			defer os.Chmod(dir, info.Mode().Perm())
		}
	}
	if os.RemoveAll(to); os.Rename(path, to) == nil || copyAside(path, to) == nil {
		return to
	}
	os.RemoveAll(to)
	return ""
}

// copyAside moves between disks. Links are not followed.
func copyAside(path, to string) error {
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(at, path)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(at)
			if err == nil {
				err = os.Symlink(link, target)
			}
			return err
		case d.Type().IsRegular():
			text, err := os.ReadFile(at)
			if err == nil {
				err = os.WriteFile(target, text, 0o600)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(path)
}
