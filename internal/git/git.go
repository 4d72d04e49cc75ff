// Package git runs the git program without letting a repository run anything: no hook, filter, pager, helper or
// transport it names is ever started, and only Commit writes to the repository. A Store is written: it is our own.
//
// A repository is not trusted: it may be a clone of anything, and its settings can name programs for almost every
// command of git. So each call gets an environment built from nothing (environment), settings that take precedence over
// the repository's (overrides), and no transport; programs that cannot be disabled that way, such as filters, are
// looked up and disabled (filtersOff) or refused (unfiltered). git itself is never taken from the repository. Tests run
// every command here against a repository that names a program wherever it can.
//
// The parts:
//
//   - Repo reads: Head, Files, Log, Diff, Show, Blame, Blob, Status, Ignored. Commit is its only call that writes.
//   - Copy is a folder a seat works in, created quickly, with its own .git; Changes says what was changed in it,
//     whoever tries to hide that. View shows a folder that is too large to copy.
//   - Store is a git dir of ours for somebody's folder: snapshots and runs of plans store files in it, and bring commits
//     into a repository (Deliver, FastForward, Apply, MakeBranch) when a person approves.
//   - Fingerprint and Scan detect what changed in a folder between two moments.
//   - Tips and Brought say when content reached a repository, so that what an agent fetched can be told from what
//     was there before.
//
// Names are those of the file system with slashes, never quoted by git (every list is split at NUL). Hashes are full.
// An error message of git is an *Error with its first line. A cancelled context ends git and everything it started; no
// call takes longer than two minutes, except those with Store.WithOthers.
//
// Repo, Store and View are values or safe for concurrent use; a Copy belongs to one seat.
package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Errors of Open and the reading calls, besides git's own messages.
var (
	ErrNone     = errors.New("not a git repository")
	ErrNoGit    = errors.New("the git program is not installed")
	ErrOld      = errors.New("git is older than 2.31")
	ErrRevision = errors.New("no such commit")
)

// Repo is one work tree, opened at a folder in it. Paths given and returned are relative to that folder, with slashes,
// and nothing above it is shown. The zero value is not usable; call Open. A Repo opens no file and needs no closing. If
// the repository is moved or deleted, later calls fail.
type Repo struct {
	program string // absolute path of git
	dir     string // where the paths start
	top     string // the work tree
	prefix  string // dir within top, with a closing slash; empty: the same
	own     string // the git dir of a Store; empty: .git in top
	index   string // the index to use instead of the git dir's; empty: none
	others  bool   // the other end is another machine: see Store.WithOthers
}

// Open finds the repository of dir by walking up to the first .git. The error wraps ErrNone, ErrNoGit or ErrOld, or
// says why dir cannot be read. A bare repository does not count.
func Open(dir string) (Repo, error) {
	dir, err := real(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("opening the repository: %w", err)
	}
	top, ok := above(dir)
	if !ok {
		return Repo{}, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	program, err := find(top)
	if err != nil {
		return Repo{}, err
	}
	r := Repo{program: program, dir: dir, top: top}
	if rel, err := filepath.Rel(top, dir); err == nil && rel != "." {
		r.prefix = filepath.ToSlash(rel) + "/"
	}
	return r, r.sound()
}

// sound asks git whether r is a repository, and with the same call whether git is usable: a version before 2.31 does
// not read settings from the environment, so it cannot be made safe, and it prints the unknown option back.
func (r Repo) sound() error {
	out, err := r.line(context.Background(), "rev-parse", "--path-format=absolute", "--git-dir")
	switch e, own := errors.AsType[*Error](err); {
	case own && e.Code == 128:
		return fmt.Errorf("%s: %w (%w)", r.dir, ErrNone, err)
	case own:
		return fmt.Errorf("%w: %s failed", ErrNoGit, r.program)
	case err == nil && strings.HasPrefix(out, "--"):
		return fmt.Errorf("%w: %s", ErrOld, r.program)
	}
	return err
}

// Top is the work tree of dir, or dir itself if it is in none. It does not use git, which need not be installed.
func Top(dir string) (string, error) {
	dir, err := real(dir)
	if err != nil {
		return "", err
	}
	if top, ok := above(dir); ok {
		return top, nil
	}
	return dir, nil
}

// real is the absolute path of dir without links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// above returns the first folder at or above dir with a .git that is a file or has a HEAD. It does not ask git, because
// git would follow core.worktree and accept an embedded bare repository. As for git, a folder .git without a HEAD is
// not a repository.
func above(dir string) (string, bool) {
	for {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil && info.Mode().IsRegular() {
			return dir, true
		}
		if err == nil && info.IsDir() {
			if _, err := os.Lstat(filepath.Join(dir, ".git", "HEAD")); err == nil {
				return dir, true
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

// Top is the work tree's folder, absolute and without links.
func (r Repo) Top() string { return r.top }

// Head is what a repository has checked out.
type Head struct {
	Branch string // empty: detached
	Hash   string // empty: no commit yet
}

// Short is the first twelve digits of the hash.
func (h Head) Short() string { return h.Hash[:min(12, len(h.Hash))] }

// Head returns the branch and the commit that are checked out.
func (r Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := plainHead(cmp.Or(r.own, filepath.Join(r.top, ".git"))); ok {
		return h, nil
	}
	both, err := r.line(ctx, "rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
	if names := strings.Fields(both); err == nil && len(names) == 2 {
		branch := strings.TrimPrefix(names[1], "refs/heads/")
		if branch == "HEAD" {
			branch = ""
		}
		return Head{branch, names[0]}, nil
	}
	// There is no commit yet, or something else is also called HEAD.
	branch, err := r.line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil && !quiet(err) {
		return Head{}, err
	}
	hash, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && !quiet(err) {
		return Head{}, err
	}
	return Head{branch, hash}, nil
}

// Resolve returns the full hash of the commit that a revision names. The error wraps ErrRevision if there is none, or
// if rev is more than a name followed by ^, ~ and @{}. What is refused here never reaches git: a revision comes from a
// model or a page, and git's revision syntax can search messages and name files.
func (r Repo) Resolve(ctx context.Context, rev string) (string, error) {
	strange := func(c rune) bool {
		return unicode.IsControl(c) || unicode.IsSpace(c) || strings.ContainsRune(`:\?*[`, c)
	}
	if rev == "" || len(rev) > 250 || rev[0] == '-' || strings.ContainsFunc(rev, strange) ||
		strings.Contains(rev, "..") || strings.Contains(rev, "{/") {
		return "", fmt.Errorf("%q: %w", rev, ErrRevision)
	}
	hash, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if quiet(err) {
		return "", fmt.Errorf("%q: %w", rev, ErrRevision)
	}
	return hash, err
}

// Files returns what a person would call the files of the project: tracked ones, and untracked ones that neither the
// project nor the person ignores, in git's order. Some may no longer exist on disk; a name that ends in a slash is a
// nested repository.
func (r Repo) Files(ctx context.Context) ([]string, error) {
	own, err := excluding(ctx, r)
	if err != nil {
		return nil, err
	}
	return listWith(ctx, r, own, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
}
