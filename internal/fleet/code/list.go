package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/inuse"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// Limits of an offered folder.
const (
	mostFiles = 200_000
	mostBytes = 4 << 30
	mostTold  = 50 // sentences in Lacks

	mostFolders = 10_000 // without files
)

// listing is the part of a folder that goes to a worker.
type listing struct {
	top   string
	repo  *git.Repo // nil: the folder is in none
	names []string  // from the top, with slashes, sorted
	given Given

	root *os.Root
	hub  string // our own folder, if it is inside; empty: elsewhere
	lfs  bool   // its attributes name Git LFS

	left     []string // secrets, by name
	pointers []string // files whose content Git LFS has not downloaded
	bytes    int64
}

// list returns the part of a folder that goes to a worker, without hub, our own folder.
func list(ctx context.Context, folder, hub string) (*listing, error) {
	folder, err := realPath(folder)
	if err != nil {
		return nil, err
	}
	l := &listing{top: folder}
	if err := l.within(ctx, folder); err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(l.top, hub); err == nil && filepath.IsLocal(rel) {
		l.hub = filepath.ToSlash(rel)
	}
	if l.root, err = os.OpenRoot(l.top); err != nil {
		return nil, err
	}
	defer l.root.Close()
	if l.repo == nil {
		err = l.below(ctx, "")
	} else {
		err = l.tracked(ctx, *l.repo, "")
	}
	slices.Sort(l.names)
	l.names = slices.Compact(l.names)
	if n := len(l.left); n > 0 {
		l.lacks("files that may contain secrets", l.left)
	}
	if len(l.pointers) > 0 {
		l.lacks("the content of files that Git LFS keeps elsewhere", l.pointers)
	}
	return l, err
}

// realPath resolves the links of a folder's path.
func realPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// mostRules is how many bytes of ignore rules a worker is given; without them it would commit more, which the person sees.
const mostRules = 64 << 10

// within finds the repository that contains the folder. One that ignores the folder does not count.
func (l *listing) within(ctx context.Context, folder string) error {
	repo, err := git.Open(folder)
	if errors.Is(err, git.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(repo.Top(), folder)
	if err != nil {
		return err
	}
	if repo, err = git.Open(repo.Top()); err != nil {
		return err
	}
	if rel != "." {
		if ignored, err := repo.Ignored(ctx, []string{filepath.ToSlash(rel)}); err != nil || len(ignored) > 0 {
			return err
		}
		l.given.Prefix = []byte(filepath.ToSlash(rel) + "/")
	}
	l.repo, l.top, l.given.Repo = &repo, repo.Top(), true
	rules, err := repo.Rules(ctx)
	if len(rules) <= mostRules {
		l.given.Ignore = []byte(rules)
	}
	return err
}

// tracked adds the files of a repository according to git, and those of nested repositories. under is its place, with
// a closing slash.
func (l *listing) tracked(ctx context.Context, repo git.Repo, under string) error {
	names, err := repo.Files(ctx)
	if err != nil {
		return err
	}
	var secret []string
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if sensitive.Secret(under + strings.TrimSuffix(name, "/")) {
			secret = append(secret, name)
			continue
		}
		if err := l.add(ctx, under+strings.TrimSuffix(name, "/")); err != nil {
			return err
		}
	}
	if under == "" {
		l.hollow()
	}
	return l.held(ctx, repo, under, secret)
}

// hollow finds empty folders in a repository's work tree, which git does not know. It skips folders without a file of
// the project, since those may be build output.
func (l *listing) hollow() {
	known := map[string]bool{".": true}
	for _, name := range l.names {
		for dir := path.Dir(name); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
		}
	}
	looked := 0
	for dir := range known {
		for _, name := range l.folders(dir) {
			if looked++; !known[name] && looked < mostFolders {
				l.empty(name, 0)
			}
		}
	}
	slices.SortFunc(l.given.Empty, bytes.Compare)
}

// folders returns the subfolders of a folder, without git's and secret ones.
func (l *listing) folders(dir string) (names []string) {
	entries, _ := l.entries(dir) // an unreadable folder counts as empty
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() && e.Name() != ".git" && !sensitive.Secret(name) && !l.ours(name) {
			names = append(names, name)
		}
	}
	return names
}

// empty records a folder that contains only folders, down to empty ones.
func (l *listing) empty(dir string, depth int) bool {
	entries, err := l.entries(dir)
	if err != nil || depth > 8 {
		return false
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == ".git" || !l.empty(path.Join(dir, e.Name()), depth+1) {
			return false
		}
	}
	if len(entries) == 0 && len(l.given.Empty) < mostFolders {
		l.given.Empty = append(l.given.Empty, []byte(dir))
	}
	return true
}

// entries returns the entries of a folder.
func (l *listing) entries(dir string) ([]fs.DirEntry, error) {
	at, err := l.root.Open(filepath.FromSlash(path.Join(".", dir)))
	if err != nil {
		return nil, err
	}
	entries, err := at.ReadDir(-1)
	return entries, errors.Join(err, at.Close())
}

// held adds files with names of secrets that are unchanged from the checked-out commit: programs can get them from
// git anyway, and tests need their keys. Those at the top are never added.
func (l *listing) held(ctx context.Context, repo git.Repo, under string, names []string) error {
	var here []string
	for _, name := range names {
		if !strings.Contains(under+name, "/") || strings.ContainsAny(name, "\r\n\"") {
			l.left = append(l.left, under+name)
		} else {
			here = append(here, name)
		}
	}
	if len(here) == 0 {
		return nil
	}
	same, err := unchanged(ctx, repo, here)
	if err != nil {
		return err
	}
	for _, name := range here {
		if !same[name] {
			l.left = append(l.left, under+name)
		} else if err := l.add(ctx, under+name); err != nil {
			return err
		}
	}
	return nil
}

// unchanged returns which files are unchanged from the checked-out commit.
func unchanged(ctx context.Context, repo git.Repo, names []string) (map[string]bool, error) {
	same := map[string]bool{}
	head, err := repo.Head(ctx)
	if err != nil || head.Hash == "" {
		return same, err
	}
	has, err := repo.Tracked(ctx, head.Hash)
	if err != nil {
		return same, err
	}
	in := make(map[string]bool, len(has))
	for _, name := range has {
		in[name] = true
	}
	changed, err := repo.Status(ctx, "")
	if err != nil {
		return same, err
	}
	for _, name := range names {
		same[name] = in[name]
	}
	for _, c := range changed {
		same[c.Name] = false
	}
	return same, nil
}

// add adds one name as it is on disk. A folder that git names is a nested repository.
func (l *listing) add(ctx context.Context, name string) error {
	if l.ours(name) {
		return nil
	}
	info, err := l.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil // it is gone, or behind a link
	case info.IsDir():
		return l.inner(ctx, name)
	case info.Mode()&fs.ModeSymlink != 0:
		if _, err := l.root.Stat(filepath.FromSlash(name)); err != nil { // only the root can tell where a chain of links ends
			l.lacks("the link "+name+", which points outside the folder or nowhere", nil)
			return nil
		}
	case !info.Mode().IsRegular() || inuse.Is(info):
		return nil
	}
	if !l.straight(name) {
		return nil
	}
	if info.Mode().IsRegular() && info.Size() < longestPointer && l.points(name) {
		l.pointers = append(l.pointers, name)
	}
	l.bytes += info.Size()
	if l.names = append(l.names, name); len(l.names) > mostFiles || l.bytes > mostBytes {
		return fmt.Errorf("the folder %s is too large to send to a worker: more than %d files or %d GB", l.top, mostFiles, mostBytes>>30)
	}
	return nil
}

// longestPointer exceeds the length of any Git LFS pointer, and pointerHead is how one begins.
const (
	longestPointer = 300
	pointerHead    = "version https://git-lfs.github.com/spec/"
)

// points reports whether a file is a pointer to content that Git LFS has not downloaded. It is read only if the
// project uses Git LFS.
func (l *listing) points(name string) bool {
	if path.Base(name) == ".gitattributes" { // git lists it before most others
		raw, err := l.root.ReadFile(filepath.FromSlash(name))
		l.lfs = l.lfs || err == nil && bytes.Contains(raw, []byte("filter=lfs"))
		return false
	}
	if !l.lfs {
		return false
	}
	raw, err := l.root.ReadFile(filepath.FromSlash(name))
	return err == nil && bytes.HasPrefix(raw, []byte(pointerHead))
}

// ours reports whether a name is in our own folder, or belongs to a take in progress.
func (l *listing) ours(name string) bool {
	return l.hub != "" && (name == l.hub || strings.HasPrefix(name, l.hub+"/")) || strings.HasPrefix(name, stageName)
}

// straight reports whether the path of a name contains no link.
func (l *listing) straight(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := l.root.Lstat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// inner adds the files of a nested repository, without its history.
func (l *listing) inner(ctx context.Context, name string) error {
	repo, err := git.Open(filepath.Join(l.top, filepath.FromSlash(name)))
	if err != nil || repo.Top() == l.top {
		l.lacks("the files of "+name+", a submodule that is not checked out", nil)
		return nil
	}
	l.lacks("the history of "+name+", a separate repository", nil)
	return l.tracked(ctx, repo, name+"/")
}

// below adds the files of a plain folder, without git's own and secrets.
func (l *listing) below(ctx context.Context, dir string) error {
	entries, err := l.entries(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case e.Name() == ".git" || l.ours(name):
		case sensitive.Secret(name):
			l.left = append(l.left, name)
		case e.IsDir():
			err = l.below(ctx, name)
		default:
			err = l.add(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	if len(entries) == 0 && dir != "" && len(l.given.Empty) < mostFolders {
		l.given.Empty = append(l.given.Empty, []byte(dir))
	}
	return nil
}

// lacks records what is left out. For long lists it gives the first names, and the number of others.
func (l *listing) lacks(what string, names []string) {
	if more := len(names) - 10; more > 1 {
		what += ": " + strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", more)
	} else if len(names) > 0 {
		what += ": " + strings.Join(names, ", ")
	}
	if len(l.given.Lacks) < mostTold {
		l.given.Lacks = append(l.given.Lacks, what)
	}
}
