package confine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// systems are the folders at the top of a Linux disk that contain programs and their data; homes have their own rules.
// Any other folder there was created by a person or for a service, and is hidden.
var systems = []string{"bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "lost+found", "nix", "opt", "proc", "root",
	"run", "sbin", "snap", "sys", "tmp", "usr", "var"}

// disk is the top of the disk; empty: this system has its folders elsewhere.
func (k *Keeper) disk() string {
	if k.top == "" && runtime.GOOS == "linux" {
		return "/"
	}
	return k.top
}

// others are the folders in which people keep files besides their homes: other projects, data, what services were given. Empty ones are
// left out.
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
	all = append(all, k.opt(filepath.Join(top, "opt"))...)
	for _, dir := range all {
		if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil && exists(dir) {
			out = append(out, dir)
		}
	}
	return out
}

// opt are the repositories in /opt, as of the first scan.
func (k *Keeper) opt(dir string) []string {
	if l, ok := k.links.Load(dir); ok {
		return l.(leads).to
	}
	l, _ := k.links.LoadOrStore(dir, leads{to: developed(dir, 2)})
	return l.(leads).to
}

// developed are the repositories in a folder and its subfolders, among what was installed there. It reads no more than
// 100 entries of each, to stay cheap if /opt is large.
func developed(dir string, depth int) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries[:min(len(entries), 100)] {
		switch at := filepath.Join(dir, e.Name()); {
		case !e.IsDir():
		case exists(filepath.Join(at, ".git")):
			out = append(out, at)
		case depth > 1:
			out = append(out, developed(at, depth-1)...)
		}
	}
	return out
}

// otherSecrets are the secrets at the top of the disk, in what is installed in /opt, and in readable folders among the others: at any
// depth if a command or a setting names the folder.
func (k *Keeper) otherSecrets(p permission.Policy, git bool, named, read []string) (out []string) {
	top := k.disk()
	if top == "" {
		return nil
	}
	others, mine := k.others(), slices.Concat(k.homes(), p.Workspace)
	for _, dir := range p.Workspace {
		if top := k.found(context.Background(), dir).repo.top; top != "" {
			mine = append(mine, top)
		}
	}
	for _, path := range read {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !within(real, others) || within(real, mine) {
			continue
		}
		out = append(out, k.Secrets(real).Find(context.Background(), k.Deep && slices.Contains(named, path))...)
		if config := filepath.Join(real, ".git", "config"); !git && exists(config) { // it may contain a token
			out = append(out, config)
		}
	}
	opt := filepath.Join(top, "opt")
	for _, dir := range []string{top, opt} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case sensitive.Secret(e.Name()):
				out = append(out, path)
			case dir == opt && e.IsDir():
				out = append(out, k.Secrets(path).Find(context.Background(), false)...)
			}
		}
	}
	return out
}

// parts are what toolchains consist of, besides the folder of their programs.
var parts = []string{"bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share", "etc", "conf", "jmods", "jre", "release", "pkg",
	"api", "misc", "VERSION", "go.env", "pyvenv.cfg", "conda-meta", "ssl",
	"plugins", "shims", "versions", "node_modules", "packages", "cache", "legal", "Scripts", "modules", "lsp", "toolchains", "registry"}

// installation returns what a program in a bin folder needs of its neighbours, given that folder or the one above:
// anything else there is somebody's project. It is nil if there is no bin, since nothing then indicates an
// installation.
func installation(top string) (out []string) {
	if base := filepath.Base(top); base == "bin" || base == "sbin" {
		top = filepath.Dir(top)
	}
	if !exists(filepath.Join(top, "bin")) && !exists(filepath.Join(top, "sbin")) {
		return nil
	}
	for _, name := range parts {
		if path := filepath.Join(top, name); exists(path) {
			out = append(out, path)
		}
	}
	if exists(filepath.Join(top, "VERSION")) && exists(filepath.Join(top, "src", "runtime")) { // Go
		out = append(out, filepath.Join(top, "src"), filepath.Join(top, "test"))
	}
	return out
}

// leads has the targets of a folder's links when it was last read.
type leads struct {
	changed time.Time
	to      []string
}

// linked returns the targets of the links directly in a folder of programs, link by link, if they are in others: the folder of programs
// that contains the target, or the target itself. Folders of the system have thousands of links, and few lead there.
func (k *Keeper) linked(dir string) []string {
	if slices.Contains([]string{"/usr/bin", "/bin", "/usr/sbin", "/sbin"}, dir) {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	if l, ok := k.links.Load(dir); ok && l.(leads).changed.Equal(info.ModTime()) {
		return l.(leads).to
	}
	others := k.others()
	l := leads{changed: info.ModTime()}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		for hop := 0; hop < 8 && e.Type()&os.ModeSymlink != 0; hop++ {
			to, err := os.Readlink(at)
			if err != nil {
				break
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			shown := to // only the target, if it is not among programs
			if base := filepath.Base(filepath.Dir(to)); base == "bin" || base == "sbin" || base == "shims" {
				shown = filepath.Dir(to)
			}
			if at = to; within(at, others) && !slices.Contains(l.to, shown) {
				l.to = append(l.to, shown)
			}
		}
	}
	k.links.Store(dir, l)
	return l.to
}

// within reports whether path is one of the folders or in one.
func within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return below(path, dir) })
}
