package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Changes names what was changed in the copy since it was made, sorted, by path from the top of the work tree: files by
// content and mode, what is staged, and git's settings, hooks and refs. Ignored files do not count, but the files that
// ignore them do. Nobody can hide a change with git's own means. An untouched file costs one stat and is not read. The
// owner of a file can set its times, except the time of its last change (ctime): a file whose ctime is before the copy
// was sealed is as we made it and is not read. On a system without such a time, every file is read.
func (c *Copy) Changes(ctx context.Context) ([]string, error) {
	top, err := openFolder(c.top)
	if err != nil {
		return nil, err
	}
	defer top.close()
	d := &differ{c: c, named: map[string]bool{}}
	if err := d.below(ctx, top, "", false); err != nil {
		return nil, err
	}
	if d.seen < len(c.made) { // some are missing
		for name := range c.made {
			if !d.there(top, name) {
				d.named[name] = true
			}
		}
	}
	if err := d.strangers(ctx); err != nil {
		return nil, err
	}
	maps.DeleteFunc(d.named, func(name string, _ bool) bool { return !counts(name) })
	if d.index {
		if err := d.staged(ctx); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(d.named)), nil
}

// differ is one comparison of a copy with its original state.
type differ struct {
	c     *Copy
	seen  int             // how many of the files that were made still exist
	named map[string]bool // what changed
	fresh []string        // files that were not made
	index bool            // git's index was written
}

// below compares the content of a folder. moved: the folder replaced the one that was made.
func (d *differ) below(ctx context.Context, at folder, under string, moved bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := at.names()
	if err != nil {
		return err
	}
	for _, base := range names {
		name := base
		if under != "" {
			name = under + "/" + base
		}
		is, err := at.look(base)
		if err != nil {
			continue // it vanished in the meantime; if we made it, it is missed later
		}
		if is.kind != kindDir {
			d.file(at, base, name, is, moved)
			continue
		}
		if !counts(name + "/") {
			continue
		}
		was, made := d.c.dirs[name]
		inner, err := at.open(base)
		if err == nil {
			err = d.below(ctx, inner, name, moved || made && was != is.inode)
			inner.close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			d.named[name] = true // it was open to us when we made it
		}
	}
	return nil
}

// file compares one file with what was made. One whose last change is before the copy was complete is as we made it:
// nobody can set that time. Others are read.
func (d *differ) file(at folder, base, name string, is look, moved bool) {
	was, known := d.c.made[name]
	if !known {
		d.fresh = append(d.fresh, name)
		return
	}
	d.seen++
	if !moved && is.changed != 0 && is.changed < d.c.sealed {
		return
	}
	same := is.kind == was.from.kind && is.size == was.size && (is.kind == kindLink || is.perm == was.perm&d.c.mask)
	switch {
	case name == ".git/index":
		d.index = true
	case !same:
		d.named[name] = true
	case was.summed:
		d.named[name] = !d.holds(at, base, is, was)
	default: // too large to have been read
		d.named[name] = moved || is.modified != was.from.modified || is.changed != d.c.sealed && is.changed != 0
	}
	if !d.named[name] {
		delete(d.named, name)
	}
}

// holds reports whether a file still has its content.
func (d *differ) holds(at folder, base string, is look, was record) bool {
	if is.kind == kindLink {
		to, err := at.readlink(base)
		return err == nil && sumOf([]byte(to)) == was.sum
	}
	body := make([]byte, was.size+1)
	n, err := at.read(base, body, -1)
	return err == nil && sumOf(body[:n]) == was.sum
}

// there reports whether a file that was made exists, whatever its content.
func (d *differ) there(top folder, name string) bool {
	at := newWalk(top, nil)
	defer at.leave(0)
	dir, base := split(name)
	in, err := at.to(dir)
	if err != nil {
		return false
	}
	is, err := in.look(base)
	if err == nil && is.kind != kindDir {
		return true
	}
	d.index = d.index || name == ".git/index"
	return false
}

// strangers judges the files that were not made. In a repository, files that .gitignore covers do not count. git is
// asked without the repository's other ways to ignore, which a seat could write. So a file that only .gitignore hides,
// such as build output, is no change; one that a seat hid by other means is.
func (d *differ) strangers(ctx context.Context) error {
	var asked []string
	for _, name := range d.fresh {
		d.index = d.index || name == ".git/index"
		if d.c.repo.program == "" || slices.Contains(strings.Split(name, "/"), ".git") {
			d.named[name] = true
			continue
		}
		asked = append(asked, name)
	}
	if len(asked) == 0 {
		return nil
	}
	others, err := d.c.repo.list(ctx, "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore")
	if err != nil {
		return err
	}
	shown, repos := map[string]bool{}, []string{}
	for _, name := range others {
		if shown[name] = true; strings.HasSuffix(name, "/") {
			repos = append(repos, name) // a nested repository, as a whole
		}
	}
	tracked, err := d.c.repo.list(ctx, "ls-files", "-z", "--cached") // staged by the seat
	if err != nil {
		return err
	}
	for _, name := range tracked {
		shown[name] = true
	}
	for _, name := range asked {
		if shown[name] || slices.ContainsFunc(repos, func(r string) bool { return strings.HasPrefix(name, r) }) {
			d.named[name] = true
		}
	}
	return nil
}

// staged names what is staged and was not before.
func (d *differ) staged(ctx context.Context) error {
	args := []string{"ls-files", "-z", "--cached"}
	if d.c.head != "" {
		args = []string{"diff-index", "-z", "--cached", "--name-only", "--no-renames", "--ignore-submodules=none", d.c.head}
	}
	names, err := d.c.repo.list(ctx, args...)
	if _, own := errors.AsType[*Error](err); own { // the index cannot be read
		names, err = []string{".git/index"}, nil
	}
	for _, name := range names {
		d.named[name] = true
	}
	return err
}

// counts reports whether a change of name matters. Some of git's own files do not: those that it writes even when it
// only reads, which a seat may do, and objects, which have no effect until something names them. A folder ends in a
// slash.
func counts(name string) bool {
	own, ok := strings.CutPrefix(name, ".git/")
	if !ok {
		return true
	}
	switch own {
	case "index", "COMMIT_EDITMSG", "FETCH_HEAD", "ORIG_HEAD", "gc.log", "gc.pid":
		return false
	}
	if strings.HasPrefix(own, "objects/") {
		return slices.Contains([]string{"objects/", "objects/info/", "objects/info/alternates"}, own)
	}
	return !strings.HasPrefix(own, "logs/") && !strings.HasSuffix(own, ".lock")
}

// knowGit records what git created in the copy as part of what was made.
func (c *Copy) knowGit() error {
	top, err := openFolder(c.top)
	if err != nil {
		return err
	}
	at := newWalk(top, nil)
	defer at.close()
	maps.DeleteFunc(c.made, func(name string, _ record) bool { return strings.HasPrefix(name, ".git/") })
	maps.DeleteFunc(c.dirs, func(name string, _ uint64) bool { return name == ".git" || strings.HasPrefix(name, ".git/") })
	return fs.WalkDir(os.DirFS(c.top), ".git", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, base := split(name)
		in, err := at.to(dir)
		if err != nil {
			return err
		}
		is, err := in.look(base)
		if err == nil && d.IsDir() && !counts(name+"/") {
			return fs.SkipDir
		} else if err == nil && d.IsDir() {
			c.dirs[name] = is.inode
		} else if err == nil && counts(name) {
			body := make([]byte, is.size)
			_, err = in.read(base, body, is.size)
			c.made[name] = record{from: is, size: is.size, perm: is.perm, sum: sumOf(body), summed: true}
		} else if err == nil {
			c.made[name] = record{from: is, size: is.size, perm: is.perm}
		}
		return err
	})
}
