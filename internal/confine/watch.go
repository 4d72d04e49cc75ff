package confine

import (
	"fmt"
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
	before := k.look(p)
	return func(accept bool) (out []Change) {
		now := k.look(p)
		if accept {
			before = now
			return nil
		}
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
		before = k.look(p)
		return out
	}
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
		for n, path := range k.Secrets(dir).Steering() {
			if out[path] = ""; !k.Deep || n >= mostHeld {
				out[path] = describe(path)
			}
			if isRepository(path) {
				addObeyed(out, path)
			}
		}
		if i == 0 {
			for _, dir := range repositoryOf(dir).dirs() {
				addObeyed(out, dir)
			}
		}
	}
	return out
}

func addObeyed(out map[string]string, dir string) {
	for _, path := range obeyed(dir) {
		if exists(path) {
			out[path] = ""
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

func describe(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return ""
	}
	to, _ := os.Readlink(path)
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime(), to)
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
