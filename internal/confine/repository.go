package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// repository says where git stores what belongs to a folder. All paths are without links; the zero value is no repository.
type repository struct {
	top    string // of the work tree; empty: there is none
	dir    string // its .git, or the target of a file of that name
	common string // shared by several work trees; differs from dir only in linked work trees
}

// MainOf is the folder that identifies a repository for all its work trees: its main work tree, or the repository itself if that has none,
// such as a submodule's. top is one of the work trees, or a folder without one, which is returned unchanged.
func MainOf(top string) string {
	switch r := repositoryOf(top); {
	case r.common == "" || r.top != top:
		return top
	case filepath.Base(r.common) == ".git":
		return filepath.Dir(r.common)
	default:
		return r.common
	}
}

// repositoryOf finds the repository as git does, without running git. It is called for folders that an agent can write,
// so running git there would already obey them. If a .git names a repository that does not name this work tree in turn,
// only top is set: see belongs.
func repositoryOf(dir string) (r repository) {
	for at := dir; ; at = filepath.Dir(at) {
		name := filepath.Join(at, ".git")
		info, err := os.Lstat(name)
		switch {
		case err == nil && info.IsDir():
			return repository{at, name, name}
		case err == nil && info.Mode().IsRegular():
			r = repository{top: at, dir: linked(name, "gitdir: ")}
			r.common = linked(filepath.Join(r.dir, "commondir"), "")
			if r.common == "" {
				r.common = r.dir
			}
			if !r.belongs() {
				return repository{top: at}
			}
			return r
		}
		if filepath.Dir(at) == at {
			return repository{}
		}
	}
}

var worktreeSetting = pattern.Of(`(?mi)^[ \t]*(?:\[[^\]]*\][ \t]*)?worktree[ \t]*=[ \t]*"?([^"\r\n#;]+)`)

// belongs reports whether the target of the file .git is this work tree's own: whoever writes that file could name any repository. A
// linked work tree's repository says so itself, and is where its repository keeps them; any other, such as a submodule's, names its work
// tree (core.worktree).
func (r repository) belongs() bool {
	if !exists(filepath.Join(r.dir, "HEAD")) {
		return false
	}
	if r.common != r.dir {
		back := linked(filepath.Join(r.dir, "gitdir"), "")
		real, err := filepath.EvalSymlinks(filepath.Join(r.top, ".git"))
		return err == nil && back == real && filepath.Dir(r.dir) == filepath.Join(r.common, "worktrees")
	}
	settings, _ := os.ReadFile(filepath.Join(r.dir, "config"))
	if named := worktreeSetting().FindSubmatch(settings); named != nil {
		at := filepath.FromSlash(strings.TrimSpace(string(named[1])))
		if !filepath.IsAbs(at) {
			at = filepath.Join(r.dir, at)
		}
		real, err := filepath.EvalSymlinks(at)
		top, failed := filepath.EvalSymlinks(r.top)
		return err == nil && failed == nil && real == top
	}
	return false
}

// linked reads a file of git's that names a folder, on its first line after a prefix; empty if it cannot be read or followed.
func linked(file, prefix string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	name, ok := strings.CutPrefix(strings.TrimRight(line, "\r"), prefix)
	if !ok || name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(file), name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	return real
}

// dirs are the folders that git writes for the repository.
func (r repository) dirs() []string {
	all := slices.DeleteFunc([]string{r.dir, r.common}, func(dir string) bool { return dir == "" })
	return slices.Compact(all)
}

// borrowed are the object folders that it uses from other repositories (objects/info/alternates), and those that these
// use. They must be readable or git fails. A name is only followed if its target looks like the objects of a
// repository.
func (r repository) borrowed() (out []string) {
	if r.common == "" {
		return nil
	}
	queue := []string{filepath.Join(r.common, "objects")}
	for n := 0; n < len(queue) && n < 6; n++ { // git follows five
		text, _ := os.ReadFile(filepath.Join(queue[n], "info", "alternates"))
		for line := range strings.Lines(string(text)) {
			path := strings.TrimRight(line, "\r\n")
			if !filepath.IsAbs(path) {
				path = filepath.Join(queue[n], path)
			}
			real, err := filepath.EvalSymlinks(path)
			if err == nil && filepath.Base(real) == "objects" && exists(filepath.Join(filepath.Dir(real), "HEAD")) &&
				!slices.Contains(queue, real) {
				queue = append(queue, real)
			}
		}
	}
	return queue[1:]
}

// obeyed is what makes git run programs or look elsewhere in one of the repository's folders. The entry of this repository's own work tree
// stays writable for git.
func (r repository) obeyed(dir string) []string {
	all := obeyed(dir)
	trees := filepath.Join(dir, "worktrees")
	if r.dir == r.common || dir != r.common || filepath.Dir(r.dir) != trees {
		return all
	}
	all = slices.DeleteFunc(all, func(path string) bool { return path == trees })
	entries, _ := os.ReadDir(trees)
	for _, e := range entries {
		if other := filepath.Join(trees, e.Name()); other != r.dir {
			all = append(all, other)
		}
	}
	return all
}

// obeyed is the same for a single folder of git's: hooks, settings, and what else sensitive.GitObeyed names.
func obeyed(dir string) (out []string) {
	for _, name := range sensitive.GitObeyed {
		out = append(out, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return out
}

// signIn matches a password or a token in a repository's settings: in an address, or sent along with every request.
var signIn = pattern.Of(`(?im)https?://[^/\s@"]+@|^[ \t]*(?:extraheader|password|token|oauth\w*|cookiefile)[ \t]*=`)

// signIns are the settings of repositories that contain one. Programs need the rest of a repository, but not these.
func signIns(steering []string, repo repository) (out []string) {
	dirs := repo.dirs()
	for _, path := range steering {
		if isRepository(path) && !slices.Contains(dirs, path) {
			dirs = append(dirs, path)
		}
	}
	for _, dir := range dirs {
		for _, name := range []string{"config", "config.worktree"} {
			at := filepath.Join(dir, name)
			if text, err := os.ReadFile(at); err == nil && signIn().Match(text) {
				out = append(out, at)
			}
		}
	}
	return out
}

// isRepository reports whether something that steers tools is git's: a .git of any kind, or a repository without a work tree.
func isRepository(path string) bool {
	return strings.EqualFold(filepath.Base(path), ".git") || !sensitive.SteersIn(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}

// isGit reports whether a program is git itself, and not something of that name that an agent may have made.
func (k *Keeper) isGit(cmd *exec.Cmd, p permission.Policy) bool {
	if name := strings.TrimSuffix(filepath.Base(cmd.Path), ".exe"); name != "git" &&
		!(runtime.GOOS == "windows" && strings.EqualFold(name, "git")) {
		return false
	}
	real, err := filepath.EvalSymlinks(cmd.Path)
	return err == nil && !slices.ContainsFunc(slices.Concat(p.Workspace, p.Temp, []string{k.Caches, scratch.Root()}),
		func(dir string) bool {
			return dir != "" && (below(real, dir) || below(cmd.Path, dir))
		})
}
