package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Commit is one line of history. It names no author: who wrote something is no argument.
type Commit struct {
	Hash    string `json:"hash"`
	Date    string `json:"date"` // as 2006-01-02
	Subject string `json:"subject"`
}

// Log returns the newest commits of rev, newest first, at most limit. An empty rev is HEAD; a path other than ""
// selects commits that touch it. rev may be a full hash, which is used as it is, or anything Resolve accepts.
func (r Repo) Log(ctx context.Context, rev, name string, limit int) ([]Commit, error) {
	if rev == "" {
		rev = "HEAD"
	}
	hash, err := rev, error(nil)
	if len(rev) < 40 || strings.Trim(rev, "0123456789abcdef") != "" {
		if hash, err = r.Resolve(ctx, rev); err != nil {
			return nil, err
		}
	}
	paths, err := r.pathspec(name)
	if err != nil {
		return nil, err
	}
	return r.log(ctx, limit, append([]string{hash, "--"}, paths...)...)
}

// Since returns the newest commits in the history of HEAD that are not in that of the commit old, newest first, at most limit.
func (r Repo) Since(ctx context.Context, old string, limit int) ([]Commit, error) {
	hash, err := r.Resolve(ctx, old)
	if err != nil {
		return nil, err
	}
	return r.log(ctx, limit, "HEAD", "^"+hash, "--")
}

// log lists commits, the newest first. Signatures and mail maps are not used: they can start programs or name people.
func (r Repo) log(ctx context.Context, limit int, what ...string) ([]Commit, error) {
	rows, err := r.list(ctx, append([]string{"log", "-z", "--no-show-signature", "--no-mailmap", "--format=%H%x1f%cs%x1f%s",
		"--max-count=" + strconv.Itoa(limit)}, what...)...)
	if err != nil {
		return nil, err
	}
	commits := make([]Commit, 0, len(rows))
	for _, row := range rows {
		if f := strings.SplitN(row, "\x1f", 3); len(f) == 3 {
			commits = append(commits, Commit{f[0], f[1], f[2]})
		}
	}
	return commits, nil
}

// Query selects a difference. The zero value is the difference between index and work tree with nothing hidden and no
// bytes returned: Size must be set.
type Query struct {
	From, To string // revisions; both empty: index against work tree; no To: From against work tree
	Staged   bool   // of Diff: From, or else the newest commit, against the index; To is ignored
	Path     string // file or folder; empty: everything
	Stat     bool   // counts per file instead of lines
	// Hide reports whether a file may not be shown, by its path from the top of the repository. nil: all may be shown.
	Hide func(name string) bool
	Size int // most bytes to return
}

// Text is git's output for a person. Hidden names the files that Query.Hide left out; Cut: Size was reached.
type Text struct {
	Body   string
	Hidden []string
	Cut    bool
}

var diffFlags = []string{"--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--ignore-submodules=all", "--relative"}

// Diff returns the difference that q selects as a patch.
func (r Repo) Diff(ctx context.Context, q Query) (Text, error) {
	command := append([]string{"diff"}, diffFlags...)
	if q.Staged {
		command, q.To = append(command, "--cached"), ""
	}
	for _, rev := range []string{q.From, q.To} {
		if rev == "" {
			continue
		}
		hash, err := r.Resolve(ctx, rev)
		if err != nil {
			return Text{}, err
		}
		command = append(command, hash)
	}
	return r.patch(ctx, command, q)
}

// Show returns the commit q.From: hash, date, message and the patch against its first parent, or against nothing if it
// has no parent. Other revisions in q are ignored.
func (r Repo) Show(ctx context.Context, q Query) (Text, error) {
	hash, err := r.Resolve(ctx, q.From)
	if err != nil {
		return Text{}, err
	}
	header, cut, err := r.run(ctx, q.Size, nil, "show", "--no-patch", "--no-show-signature", "--no-notes",
		"--format=commit %H%ndate %cs%n%n%w(0,4,4)%B", hash)
	if err != nil || cut {
		return Text{Body: string(header), Cut: cut}, err
	}
	command := append([]string{"show", "--format=", "--no-show-signature", "--diff-merges=first-parent", hash}, diffFlags...)
	q.Size -= len(header)
	t, err := r.patch(ctx, command, q)
	t.Body = string(header) + t.Body
	return t, err
}

// patch runs command twice: for the names, to know what to hide, and for the text. Excluding names before the text is
// made keeps the content of secret files out of it.
func (r Repo) patch(ctx context.Context, command []string, q Query) (Text, error) {
	paths, err := r.pathspec(q.Path)
	if err != nil {
		return Text{}, err
	}
	off, err := filtersOff(ctx, r)
	if err != nil {
		return Text{}, err
	}
	var t Text
	if q.Hide != nil {
		out, cut, err := r.run(ctx, listSize, off, slices.Concat(command, []string{"--name-only", "-z", "--"}, paths)...)
		if err != nil || cut {
			return Text{}, fmt.Errorf("names of the changed files: %w", orCut(err))
		}
		for _, name := range fields(out) {
			if q.Hide(r.prefix + name) {
				t.Hidden = append(t.Hidden, name)
			}
		}
	}
	if len(t.Hidden) > 0 && len(paths) == 0 {
		paths = []string{"."}
	}
	for _, name := range t.Hidden {
		paths = append(paths, ":(exclude,literal)"+name)
	}
	if q.Stat {
		command = append(command, "--stat=200")
	}
	out, cut, err := r.run(ctx, q.Size, off, slices.Concat(command, []string{"--"}, paths)...)
	t.Body, t.Cut = string(out), cut
	return t, err
}

// orCut returns err or, if there is none, an error that there was more output than is read.
func orCut(err error) error {
	if err == nil {
		return fmt.Errorf("more than %d MB", listSize>>20)
	}
	return err
}

// Blob returns the file name in the commit rev, at most size bytes of it; cut: it is longer. For a folder it returns the names in it.
func (r Repo) Blob(ctx context.Context, rev, name string, size int) (body []byte, cut bool, err error) {
	hash, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, false, err
	}
	if !filepath.IsLocal(name) {
		return nil, false, fmt.Errorf("%q is not a path in the project", name)
	}
	inside := path.Join(r.prefix, filepath.ToSlash(name))
	if inside == "." {
		inside = ""
	}
	object := hash + ":" + inside
	kind, err := r.line(ctx, "cat-file", "-t", object)
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s has no %s: %w", rev, name, err)
	case kind == "tree":
		return r.run(ctx, size, nil, "ls-tree", "--full-tree", "--name-only", object)
	}
	return r.run(ctx, size, nil, "cat-file", "blob", object)
}

// pathspec returns the arguments after "--": no pattern syntax, nothing above the folder.
func (r Repo) pathspec(name string) ([]string, error) {
	switch {
	case name == "" && r.prefix == "":
		return nil, nil
	case name == "":
		name = "."
	case !filepath.IsLocal(name):
		return nil, fmt.Errorf("%q is not a path in the project", name)
	}
	return []string{":(literal)" + filepath.ToSlash(name)}, nil
}

// Holding returns the paths below the repository's folder at which a commit has one of some objects, with its id; the
// path of a folder ends in a slash. A folder is named by its tree, so one that was committed completely is found as one
// path.
func (r Repo) Holding(ctx context.Context, commit string, ids map[string]bool) (map[string]string, error) {
	rows, err := r.list(ctx, "ls-tree", "-r", "-t", "-z", commit)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, row := range rows {
		info, name, _ := strings.Cut(row, "\t")
		f := strings.Fields(info) // mode, type, id
		if len(f) != 3 || !ids[f[2]] {
			continue
		}
		if f[1] == "tree" {
			name += "/"
		}
		names[name] = f[2]
	}
	return names, nil
}

// Objects returns the ids of what a commit has at paths from the folder: a file's id is of its content, a folder's of everything below it.
// Missing paths are left out. An empty commit has nothing.
func (r Repo) Objects(ctx context.Context, commit string, names []string) (map[string]string, error) {
	ids := map[string]string{}
	if commit == "" || len(names) == 0 {
		return ids, nil
	}
	var in strings.Builder
	for _, name := range names {
		if strings.ContainsAny(name, "\n") {
			return nil, fmt.Errorf("%q has a line break", name)
		}
		fmt.Fprintf(&in, "%s:./%s\n", commit, name)
	}
	out, cut, err := r.feed(ctx, strings.NewReader(in.String()), listSize, r.environment(nil), "cat-file", "--batch-check=%(objectname)")
	if err != nil || cut {
		return nil, orCut(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(names) {
		return nil, fmt.Errorf("git knows %d of %d paths", len(lines), len(names))
	}
	for i, name := range names {
		if !strings.HasSuffix(lines[i], " missing") {
			ids[name] = lines[i]
		}
	}
	return ids, nil
}

// Holds reports for each of the files, given by absolute paths, whether the repository has an object with exactly its content.
func (r Repo) Holds(ctx context.Context, paths []string) ([]bool, error) {
	if slices.ContainsFunc(paths, func(p string) bool { return strings.ContainsAny(p, "\r\n\"") }) {
		return nil, errors.New("a name contains a line break or a quote")
	}
	lines := func(list []string) io.Reader { return strings.NewReader(strings.Join(list, "\n") + "\n") }
	hashes, cut, err := r.feed(ctx, lines(paths), listSize, r.environment(nil), "hash-object", "--no-filters", "--stdin-paths")
	if err != nil || cut {
		return nil, orCut(err)
	}
	there, cut, err := r.feed(ctx, strings.NewReader(string(hashes)), listSize, r.environment(nil), "cat-file",
		"--batch-check=%(objecttype)")
	if err != nil || cut {
		return nil, orCut(err)
	}
	types := strings.Split(strings.TrimSuffix(string(there), "\n"), "\n")
	if len(types) != len(paths) {
		return nil, fmt.Errorf("git knows %d of %d files", len(types), len(paths))
	}
	held := make([]bool, len(paths))
	for i, kind := range types {
		held[i] = kind == "blob"
	}
	return held, nil
}
