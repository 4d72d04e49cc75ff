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

// What a folder may have to be offered.
const (
	mostFiles = 200_000
	mostBytes = 4 << 30
	mostTold  = 50 // sentences in Lacks

	mostFolders = 10_000 // without files
)

// listing is what of a folder goes to a worker.
type listing struct {
	top   string
	repo  *git.Repo // nil: the folder lies in none
	names []string  // from the top, with slashes, sorted
	given Given

	root *os.Root
	hub  string // our own folder, if it lies there; empty: elsewhere
	lfs  bool   // its attributes name Git LFS

	left     []string // secrets, by their names
	pointers []string // files whose content Git LFS has not brought
	bytes    int64
}

// list looks at what of a folder goes to a worker.
// But nothing of hub, our own folder, goes.
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

// realPath is the path of a folder without links.
func realPath(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// within finds the repository that the folder is part of. One that ignores the folder has nothing to do with it.
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
	if raw, err := os.ReadFile(filepath.Join(l.top, ".git", "info", "exclude")); err == nil && len(raw) <= 64<<10 {
		l.given.Ignore = raw
	}
	return nil
}

// tracked adds what git calls the files of a repository, and those of repositories in it. under is where it lies, with a closing slash.
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

// hollow finds the folders of a repository's work tree that have nothing in them, which git does not know, as far as it is looked: not
// into folders without a file of the project, since those may be what is built.
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

// folders are those in a folder, but for git's and secrets.
func (l *listing) folders(dir string) (names []string) {
	entries, _ := l.entries(dir) // what cannot be read has no folders for us
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() && e.Name() != ".git" && !sensitive.Secret(name) && !l.ours(name) {
			names = append(names, name)
		}
	}
	return names
}

// empty notes a folder if there are only folders in it, and so on, and the last ones have nothing in them.
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

// entries are what is in a folder.
func (l *listing) entries(dir string) ([]fs.DirEntry, error) {
	at, err := l.root.Open(filepath.FromSlash(path.Join(".", dir)))
	if err != nil {
		return nil, err
	}
	entries, err := at.ReadDir(-1)
	return entries, errors.Join(err, at.Close())
}

// held adds those files with the names of secrets that the repository has letter by letter in the commit that is checked out: programs
// have them from git anyway, and tests need their keys. What lies at the top never goes.
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

// unchanged says which files are as the commit that is checked out has them.
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

// add adds one name as it is on the disk. A folder that git names is a repository of its own.
func (l *listing) add(ctx context.Context, name string) error {
	if l.ours(name) {
		return nil
	}
	info, err := l.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil // it went, or lies behind a link
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

// longestPointer is more than a pointer of Git LFS has, and pointerHead is how one begins.
const (
	longestPointer = 300
	pointerHead    = "version https://git-lfs.github.com/spec/"
)

// points says whether a file stands for one that Git LFS has not brought. It is read only where the project uses that.
func (l *listing) points(name string) bool {
	if path.Base(name) == ".gitattributes" { // which git names before most others
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

// ours says whether a name is in our own folder, or what a take has there for a moment.
func (l *listing) ours(name string) bool {
	return l.hub != "" && (name == l.hub || strings.HasPrefix(name, l.hub+"/")) || strings.HasPrefix(name, stageName)
}

// straight says whether no link lies on the way to a name.
func (l *listing) straight(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := l.root.Lstat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// inner adds the files of a repository inside, without its history.
func (l *listing) inner(ctx context.Context, name string) error {
	repo, err := git.Open(filepath.Join(l.top, filepath.FromSlash(name)))
	if err != nil || repo.Top() == l.top {
		l.lacks("the files of "+name+", a submodule that is not checked out", nil)
		return nil
	}
	l.lacks("the history of "+name+", a separate repository", nil)
	return l.tracked(ctx, repo, name+"/")
}

// below adds the files of a plain folder, but for git's own and secrets.
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

// lacks notes what does not go. Of long lists the first names are said, and how many more there are.
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
