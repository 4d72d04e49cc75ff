package git

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Changes names what was changed in the copy since it was made, sorted, by path from the top of the work tree: files by
// their content and mode, what is staged, and git's settings, hooks and refs. Ignored files do not count, but what says
// so does. Nobody can hide a change by git's own means. An untouched file costs one look and is not read.
func (c *Copy) Changes(ctx context.Context) ([]string, error) {
	top, err := os.OpenRoot(c.top)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	d := &differ{c: c, seen: map[string]bool{}, named: map[string]bool{}}
	if err := d.below(ctx, top, ""); err != nil {
		return nil, err
	}
	for name := range c.made {
		if !d.seen[name] && counts(name) {
			d.named[name] = true
		}
	}
	if err := d.strangers(ctx); err != nil {
		return nil, err
	}
	if _, known := c.made[".git/index"]; d.index || known && !d.seen[".git/index"] {
		if err := d.staged(ctx); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(d.named)), nil
}

// differ is one comparison of a copy with what it was.
type differ struct {
	c     *Copy
	seen  map[string]bool // files that were made and are there
	named map[string]bool // what changed
	fresh []string        // files that were not made
	index bool            // git's index was written
}

func (d *differ) below(ctx context.Context, at *os.Root, under string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := namesIn(at)
	if err != nil {
		return err
	}
	for _, base := range names {
		name := path.Join(under, base)
		info, err := at.Lstat(base)
		if err != nil {
			continue // it went meanwhile; what was made is missed
		}
		if !info.IsDir() {
			d.file(at, base, name, info)
			continue
		}
		if !counts(name + "/") {
			continue
		}
		inner, err := at.OpenRoot(base)
		if err == nil {
			err = d.below(ctx, inner, name)
			inner.Close()
		}
		if ctx.Err() != nil {
			return err
		} else if err != nil {
			d.named[name] = true // it was open to us when we made it
		}
	}
	return nil
}

// file compares one file with what was made.
func (d *differ) file(at *os.Root, base, name string, info fs.FileInfo) {
	was, known := d.c.made[name]
	switch {
	case !known && name == ".git/index":
		d.index = true
	case !known:
		d.fresh = append(d.fresh, name)
	case d.c.untouched(was, stateOf(info)):
		d.seen[name] = true
	case name == ".git/index":
		d.seen[name], d.index = true, true
	default:
		d.seen[name] = true
		is := stateOf(info)
		is.sum, is.summed = was.sum, was.summed
		if same := is.mode == was.mode && is.size == was.size; !same || was.summed && !d.holds(at, base, info, was.sum) || !was.summed && is != was {
			d.named[name] = true
		}
	}
}

// untouched says whether a file with these looks is sure to be the one that was made: nothing about it has changed, and
// any change would have been noticed, because it would have come after the clock had moved on.
func (c *Copy) untouched(was, is state) bool {
	is.sum, is.summed = was.sum, was.summed
	return is == was && is.changed != 0 && is.changed < c.sealed
}

// holds says whether a file still has its content.
func (d *differ) holds(at *os.Root, base string, info fs.FileInfo, sum uint64) bool {
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := at.Readlink(base)
		return err == nil && sumOf([]byte(to)) == sum
	}
	file, err := at.OpenFile(base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	body, err := io.ReadAll(io.LimitReader(file, wholeSize+1))
	return err == nil && sumOf(body) == sum
}

// strangers judges the files that were not made. In a repository those that .gitignore names do not count. git is asked
// without the repository's other ways to ignore, which a seat could write to.
func (d *differ) strangers(ctx context.Context) error {
	var asked []string
	for _, name := range d.fresh {
		if d.c.repo.program == "" || strings.HasPrefix(name, ".git/") || slices.Contains(strings.Split(name, "/"), ".git") {
			d.named[name] = d.named[name] || counts(name)
			continue
		}
		asked = append(asked, name)
	}
	maps.DeleteFunc(d.named, func(_ string, v bool) bool { return !v })
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
			repos = append(repos, name) // a repository within, as a whole
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

// staged names what is staged and was not.
func (d *differ) staged(ctx context.Context) error {
	args := []string{"ls-files", "-z", "--cached"}
	if d.c.head != "" {
		args = []string{"diff-index", "-z", "--cached", "--name-only", "--no-renames", "--ignore-submodules=none", d.c.head}
	}
	names, err := d.c.repo.list(ctx, args...)
	if _, own := errors.AsType[*Error](err); own { // it cannot be read
		names, err = []string{".git/index"}, nil
	}
	for _, name := range names {
		d.named[name] = true
	}
	return err
}

// counts says whether a change of name matters. Of git's own files those do not that it writes when it only looks, nor
// objects, which change nothing until something names them. A folder ends in a slash.
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

// knowGit takes in what git made of the copy, as part of what was made.
func (c *Copy) knowGit() error {
	top, err := os.OpenRoot(c.top)
	if err != nil {
		return err
	}
	defer top.Close()
	return fs.WalkDir(top.FS(), ".git", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := top.Lstat(name)
		if err != nil {
			return err
		}
		s := stateOf(info)
		if info.Size() <= wholeSize {
			body, err := top.ReadFile(name)
			if err != nil {
				return err
			}
			s = s.with(sumOf(body))
		}
		c.made[name] = s
		return nil
	})
}
