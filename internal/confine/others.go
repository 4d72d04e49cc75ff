package confine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/project/folder"
)

// systems are the folders at the top of a Linux that programs and their data are in; homes have rules of their own.
var systems = []string{"bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "lost+found", "nix", "opt", "proc", "root", "run", "sbin", "snap", "sys", "tmp", "usr", "var"}

// disk is where the folders of the system are; empty: this system has them elsewhere.
func (k *Keeper) disk() string {
	if k.top == "" && runtime.GOOS == "linux" {
		return "/"
	}
	return k.top
}

// others are the folders in which people keep what is theirs beside their homes: other projects, data, what services were
// given. Those that are empty already are not among them.
func (k *Keeper) others() (out []string) {
	top := k.disk()
	if top == "" {
		return nil
	}
	var all []string
	for _, name := range []string{"run/user", "run/secrets", "var/www", "var/backups"} {
		all = append(all, filepath.Join(top, name))
	}
	entries, _ := os.ReadDir(top)
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(systems, e.Name()) {
			all = append(all, filepath.Join(top, e.Name()))
		}
	}
	opt, _ := os.ReadDir(filepath.Join(top, "opt"))
	for _, e := range opt { // what was installed there, and what is developed there
		if dir := filepath.Join(top, "opt", e.Name()); e.IsDir() && exists(filepath.Join(dir, ".git")) {
			all = append(all, dir)
		}
	}
	for _, dir := range all {
		if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil && exists(dir) {
			out = append(out, dir)
		}
	}
	return out
}

// otherSecrets are the secrets at the top of the disk, in what was installed in /opt, and in those folders that can be read
// although they lie in what others are: at any depth if a command or a setting names the folder.
func (k *Keeper) otherSecrets(p permission.Policy, named, read []string) (out []string) {
	top := k.disk()
	if top == "" {
		return nil
	}
	others, mine := k.others(), slices.Concat(k.homes(), p.Workspace)
	for _, path := range read {
		if within(path, others) && !within(path, mine) {
			out = append(out, k.Secrets(path).Find(context.Background(), k.Deep && slices.Contains(named, path))...)
		}
	}
	opt := filepath.Join(top, "opt")
	for _, dir := range []string{top, opt} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case folder.Secret(e.Name()):
				out = append(out, path)
			case dir == opt && e.IsDir():
				out = append(out, k.Secrets(path).Find(context.Background(), false)...)
			}
		}
	}
	return out
}

// installation is the folder that a program was installed in with what it needs, if dir, where it lies, looks like that:
// bin beside lib. Empty: it does not, or it is somebody's project.
func installation(dir string) string {
	top := filepath.Dir(dir)
	if base := filepath.Base(dir); base != "bin" && base != "sbin" || exists(filepath.Join(top, ".git")) {
		return ""
	}
	for _, name := range []string{"lib", "lib64", "libexec", "pkg", "share"} {
		if exists(filepath.Join(top, name)) {
			return top
		}
	}
	return ""
}

// within says whether path is one of the folders or lies in one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return below(path, dir) })
}
