package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Offer puts the current files of a folder into the repository of a task and returns their commit. An existing offer
// is kept, so Offer may be repeated after an interruption. If the folder is deeper in a repository, all of that is
// included, as in a seat's copy.
func Offer(ctx context.Context, dir, task, folder string) (commit string, err error) {
	if err := named(task); err != nil {
		return "", err
	}
	if dir, err = made(dir); err != nil {
		return "", err
	}
	if commit, err := offered(ctx, dir, task); err != nil || commit != "" {
		return commit, err
	}
	l, err := list(ctx, folder, dir)
	if err == nil {
		commit, err = l.offer(ctx, dir, task)
	}
	if err != nil {
		return "", fmt.Errorf("giving %s to a worker: %w", folder, err)
	}
	return commit, nil
}

// made creates a folder and returns its path without links.
func made(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return realPath(dir)
}

// Drop removes a task's files from the hub. A task without any is no error.
func Drop(dir, task string) error {
	if err := named(task); err != nil {
		return err
	}
	at := place(dir, task)
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	clearTaking(at)
	gone := filepath.Join(dir, newName+task+"-gone") // a client being served then finds nothing, instead of half of it
	if err := os.Rename(at, gone); err != nil {
		return err
	}
	return errors.Join(scratch.RemoveAll(gone), removeUnused(context.Background(), dir))
}

// newName is the prefix of a repository being made or removed.
const newName = ".new-"

// offered returns the commit that was offered for a task; empty: none.
func offered(ctx context.Context, dir, task string) (string, error) {
	s, err := open(ctx, dir, task)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return line(s.Run(ctx, nil, "rev-parse", "--verify", "--quiet", baseRef+"^{commit}"))
}

// open opens the repository of a task. fs.ErrNotExist, wrapped: it has none.
func open(ctx context.Context, dir, task string) (git.Store, error) {
	if err := named(task); err != nil {
		return git.Store{}, err
	}
	if _, err := os.Stat(filepath.Join(place(dir, task), "HEAD")); err != nil {
		return git.Store{}, fmt.Errorf("the task %s has no files: %w", task, err)
	}
	return storeAt(ctx, dir, place(dir, task))
}

// offer commits what was listed and makes the task's repository, which gets its name once it is complete.
func (l *listing) offer(ctx context.Context, dir, task string) (string, error) {
	p, err := openProject(ctx, dir, l.top)
	if err != nil {
		return "", err
	}
	defer p.close()
	if err := p.renew(ctx, dir); err != nil {
		return "", err
	}
	parent, err := l.parent(ctx, p)
	if err != nil {
		return "", err
	}
	commit, err := l.commit(ctx, p, parent)
	if err != nil {
		return "", err
	}
	if err := p.grown(ctx); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(dir, newName+task+"-*")
	if err != nil {
		return "", err
	}
	defer scratch.RemoveAll(part)
	if err := p.repository(ctx, dir, part, commit); err != nil {
		return "", err
	}
	if err := os.Rename(part, place(dir, task)); err != nil {
		if other, seen := offered(ctx, dir, task); seen == nil && other != "" { // another process was faster
			return other, nil
		}
		return "", err
	}
	return commit, removeUnused(ctx, dir)
}

// repository makes a repository with one branch that borrows the project's objects.
func (p *project) repository(ctx context.Context, dir, at, commit string) error {
	s, err := storeAt(ctx, dir, at)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(at, "objects", "info", "alternates"), filepath.Join(p.at, "objects")+"\n"); err != nil {
		return err
	}
	if raw, err := os.ReadFile(filepath.Join(p.at, "shallow")); err == nil {
		if err := write(filepath.Join(at, "shallow"), string(raw)); err != nil {
			return err
		}
	}
	refs := fmt.Sprintf("create %s %s\ncreate %s %s\n", baseRef, commit, projectRef+p.id, commit)
	if _, err := s.Run(ctx, strings.NewReader(refs), "update-ref", "--stdin"); err != nil {
		return err
	}
	_, err = s.Run(ctx, nil, "symbolic-ref", "HEAD", baseRef)
	return err
}

// parent returns the parent of the offered commit; empty: none. The store then has everything it reaches.
func (l *listing) parent(ctx context.Context, p *project) (string, error) {
	if l.repo == nil {
		return "", nil
	}
	head, err := l.repo.Head(ctx)
	if err != nil || head.Hash == "" {
		return "", err
	}
	os.Remove(filepath.Join(p.at, "shallow"))
	if err := p.store.Borrow(ctx, *l.repo, head.Hash); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		l.lacks("the history: "+err.Error(), nil)
		return "", nil
	}
	if lazy, _ := filepath.Glob(filepath.Join(p.at, "objects", "pack", "*.promisor")); len(lazy) > 0 {
		l.lacks("the history, because this clone is shallow", nil)
		return "", nil
	}
	secrets, err := p.committed(ctx, head.Hash)
	if err != nil {
		return "", err
	}
	var held []string
	if len(secrets) > 0 {
		if held, err = l.repo.Tracked(ctx, head.Hash); err != nil {
			return "", err
		}
	}
	for _, name := range secrets {
		if !strings.Contains(name, "/") || !slices.Contains(held, name) {
			l.lacks("the history, since "+name+" was committed to it", nil)
			return "", nil
		}
	}
	return head.Hash, nil
}

// commit commits the listed files.
func (l *listing) commit(ctx context.Context, p *project, parent string) (string, error) {
	at := p.store.At(l.top).Indexed(filepath.Join(p.at, "index")).With("core.bigFileThreshold", bigFile)
	os.Remove(filepath.Join(p.at, "index.lock")) // left by a killed process: we hold the project's lock
	tree, err := l.tree(ctx, at)
	if err != nil { // the index may be damaged
		os.Remove(filepath.Join(p.at, "index"))
		if tree, err = l.tree(ctx, at); err != nil {
			return "", err
		}
	}
	l.given.Head = parent
	text, err := l.given.text()
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	who := p.store.With("user.name", "Socrates").With("user.email", "socrates@localhost").With("commit.gpgSign", "false")
	return line(who.Run(ctx, strings.NewReader(text), args...))
}

// bigFile is the size from which on git stores a file without searching for similar ones, so that it is never in
// memory as a whole.
const bigFile = "4m"

// atOnce is how many files one git process adds.
const atOnce = 5_000

// tree makes the index contain exactly the listed files, and writes it. Files unchanged since the last offer are not
// read.
func (l *listing) tree(ctx context.Context, at git.Store) (string, error) {
	held, err := at.List(ctx, nil, "ls-files", "-z", "--cached")
	if err != nil {
		return "", err
	}
	held = slices.DeleteFunc(held, func(name string) bool {
		_, stays := slices.BinarySearch(l.names, name)
		return stays
	})
	if len(held) > 0 {
		if _, err := at.List(ctx, held, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	for names := range slices.Chunk(l.names, atOnce) {
		if _, err := at.List(ctx, names, "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	return line(at.Run(ctx, bytes.NewReader(nil), "write-tree"))
}
