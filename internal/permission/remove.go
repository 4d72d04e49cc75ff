package permission

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// largestInSnapshot is the maximum size in bytes of a file in a snapshot. It must be the limit of package snapshot.
const largestInSnapshot = 10 << 20

// notInSnapshot reports whether a file is one that snapshots do not contain, apart from what git ignores.
func notInSnapshot(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Size() > largestInSnapshot {
		return err == nil || !errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(path)
	if err == nil {
		f.Close()
	}
	return err != nil
}

// rm deletes. Inside the project, what a snapshot contains can be restored; nothing else can.
func (v analyzer) rm(c command) []risk {
	var files []string
	only, deep, strange := false, false, false
	for _, a := range c.args() {
		switch {
		case !only && a == "--":
			only = true
		case !only && (a == "--recursive" || a == "--force" || a == "--verbose"):
			deep = deep || a == "--recursive"
		case !only && len(a) > 1 && a[0] == '-':
			deep = deep || strings.ContainsAny(a, "rR")
			strange = strange || strings.Trim(a[1:], "fvirR") != ""
		default:
			files = append(files, a)
		}
	}
	var out []risk
	for _, f := range files {
		if deep || strange {
			out = append(out, removeTree(v, f, c.unknownArg || strange)...)
		} else {
			out = append(out, removeFile(v, f)...)
		}
	}
	if len(files) == 0 && (deep || strange) {
		out = append(out, risk{loses, "", "deletes folders recursively"})
	}
	return out
}

// removeFile deletes one file.
func removeFile(v analyzer, arg string) []risk {
	r := v.touch(deletes, arg)
	where, _ := v.policy.region(r.path, true)
	switch {
	case r.kind != deletes || where == never:
	case where == outside || notInSnapshot(r.path):
		return []risk{r, {loses, "", "deletes " + r.path + ", which is not in a snapshot"}}
	case where == inside && v.policy.Ignored != nil:
		ignored, err := v.policy.Ignored([]string{r.path})
		if err != nil || len(ignored) > 0 {
			r.why = "deletes " + arg + ", which git ignores and no snapshot contains"
			return []risk{r, {loses, "", r.why}}
		}
		r.why = "deletes " + arg + " (/undo restores it)"
	}
	return []risk{r}
}

// removeTree deletes everything below a place; unsure: it is not known what else is deleted. A folder whose files are
// all in a snapshot can be restored by /undo, and is treated like other changes; anything else needs approval in every
// mode.
func removeTree(v analyzer, arg string, unsure bool) []risk {
	r := v.touch(deletes, arg)
	if r.kind != deletes {
		return []risk{r, {loses, "", "deletes folders recursively"}}
	}
	named := filepath.Clean(arg)
	if !filepath.IsAbs(arg) {
		named = filepath.Join(v.dir, arg)
	}
	if v.policy.erasesTooMuch(named) {
		return []risk{{forbid, "", "would erase " + named + "; never allowed, in any mode"}}
	}
	where, _ := v.policy.region(r.path, true)
	if where == never || named != r.path { // a link leads there
		return []risk{{loses, "", "deletes " + arg + ", which is a link, or its target"}, r}
	}
	if where != inside {
		return []risk{{loses, "", "deletes " + r.path + " recursively, which is not in a snapshot"}}
	}
	files, lost, ok := v.policy.countBelow(r.path)
	switch {
	case unsure || !ok:
		return []risk{{loses, "", "deletes folders recursively"}}
	case lost > 0:
		return []risk{{loses, "", fmt.Sprintf("deletes %s with %s that no snapshot contains", arg, count(lost))}}
	}
	r.why = fmt.Sprintf("deletes %s with %s (/undo restores them)", arg, count(files))
	switch files {
	case 0:
		r.why = "deletes " + arg + ", which contains no files"
		if _, err := os.Lstat(r.path); errors.Is(err, fs.ErrNotExist) {
			r.why = "deletes " + arg + ", which does not exist"
		}
	case 1:
		r.why = "deletes " + arg + " (/undo restores it)"
	}
	return []risk{r}
}

func count(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// erasesTooMuch reports whether deleting a folder would delete the system, the person's home or the folders around the project.
func (p Policy) erasesTooMuch(path string) bool {
	top := filepath.Dir(path) == path || filepath.Dir(filepath.Dir(path)) == filepath.Dir(path)
	_, home := within([]string{path}, p.Home)
	around := false
	for _, dir := range p.Workspace {
		rel, in := within([]string{path}, dir)
		around = around || in && rel != "."
	}
	return top || home && p.Home != "" || around
}

// countBelow counts the files at and below a place of the project, and those that no snapshot contains: what git ignores or has as its
// own, what is too large or cannot be read, and what steers tools. ok is false if that cannot be determined.
func (p Policy) countBelow(path string) (files, lost int, ok bool) {
	if p.Ignored == nil {
		return 0, 0, false
	}
	var names []string
	seen := 0
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostBelow {
			return errors.Join(err, fs.ErrInvalid)
		}
		rel, _ := within(p.Workspace, at)
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" || protected(rel):
			lost++
			return skip(d)
		case d.IsDir():
		case d.Type()&fs.ModeSymlink == 0 && (!d.Type().IsRegular() || info.Size() > largestInSnapshot || notInSnapshot(at)):
			files, lost = files+1, lost+1
		default:
			files, names = files+1, append(names, at)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, true
	}
	if err != nil {
		return 0, 0, false
	}
	if len(names) > 0 {
		ignored, err := p.Ignored(names)
		if err != nil {
			return 0, 0, false
		}
		lost += len(ignored)
	}
	return files, lost, true
}
