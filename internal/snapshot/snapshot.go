// Package snapshot saves the files of a folder in a git dir outside the folder, and restores them byte for byte. The
// folder need not be a repository; if it is one, its index, stash, refs, hooks, filters and settings are neither used
// nor changed; only its ignore rules are respected.
//
// A [Keeper] manages the snapshots of one folder. [Keeper.Take] makes one, [Keeper.Diff] and [Keeper.Patch] compare
// two, [Keeper.Restore] reverts changes, [Keeper.Prune] drops what nobody needs. A snapshot is a git tree, so equal
// files are stored once, and taking another one costs only what has changed. It contains the folder's files except
// ignored ones and those beyond its size limits; each Snapshot lists what it lacks.
//
// On disk there is a private folder for each folder, named by a hash of its path: git's objects, an index of the
// recorded files, notes of which snapshots were taken recently and what they lack, the permissions of files not
// everybody may read, and a lock. A snapshot is on disk when Take returns. Every operation holds the lock from
// beginning to end and works on its own index, which replaces the old one at the end, so a process that is killed
// leaves the index as it was. A damaged index is rebuilt from the files.
//
// Restore never loses anything: it takes a snapshot first, writes each file under a temporary name and renames it, and
// touches nothing that no snapshot contains. What it cannot do it leaves and reports; an interrupted restore can be
// called again.
//
// This package does not know what changed the files. A caller that took snapshots before and after a step ([Step]) can
// revert that step and keep the work of others.
package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/pattern"
)

// The limits of a snapshot. The rest is left out and named.
const (
	LargestFile = 10 << 20
	MostBytes   = 1 << 30
	MostFiles   = 200_000
)

// ErrUnknown means that this folder has no such snapshot.
var ErrUnknown = errors.New("no such snapshot of this folder")

// Keeper manages the snapshots of one folder. Several goroutines and processes may use it at once: each waits its turn.
// Open makes one. It need not be closed.
type Keeper struct {
	store  git.Store
	home   string   // the git dir, with our own files in it
	beyond []string // pathspecs that exclude our own records
	most   room
	last   atomic.Pointer[written]
}

// written is the tree of an index file as this process wrote it: for the same file git need not write it again. Prune keeps the tree of
// the index.
type written struct {
	index os.FileInfo
	tree  string
}

// of reports whether an index file is that one, unchanged.
func (w *written) of(index os.FileInfo) bool {
	return w != nil && index != nil && os.SameFile(w.index, index) && w.index.ModTime().Equal(index.ModTime()) &&
		w.index.Size() == index.Size()
}

// room has the limits of a snapshot. Tests make them smaller.
type room struct {
	files int
	bytes int64
}

// Snapshot is the state of the files at one moment. Left lists what is not in it and why, as "name: reason". A file
// that was once saved stays in later snapshots until it is deleted, even if it is ignored later, as in git. Permissions
// are recorded as in git: executable or not. Of ignored names, and of those beyond the limits, Left lists the first
// hundred each. Pipes, sockets, devices and empty folders are not saved.
type Snapshot struct {
	Tree string // hash of git's tree
	Left []string
	Head git.Head // of the folder's repository; empty: there is none, or it cannot be read
}

// Open opens the snapshots of dir, which are in a folder of their own below store, and creates that folder if needed.
func Open(ctx context.Context, dir, store string) (*Keeper, error) {
	k, err := open(ctx, dir, store)
	if err != nil {
		return nil, fmt.Errorf("opening the snapshots of %s: %w", dir, err)
	}
	return k, nil
}

func open(ctx context.Context, dir, store string) (*Keeper, error) {
	if err := os.MkdirAll(store, 0o700); err != nil {
		return nil, err
	}
	dir, err := absolute(dir)
	if err != nil {
		return nil, err
	}
	if store, err = absolute(store); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(dir))
	k := &Keeper{home: filepath.Join(store, hex.EncodeToString(sum[:16])), most: room{MostFiles, MostBytes}}
	if err := os.MkdirAll(filepath.Join(k.home, takenDir), 0o700); err != nil {
		return nil, err
	}
	// Our own records in the folder, such as the data home in somebody's home, are not part of a project.
	for _, ours := range []string{filepath.Dir(store), store} {
		if rel, err := filepath.Rel(dir, ours); err == nil && rel != "." && filepath.IsLocal(rel) {
			k.beyond = []string{"--", ".", ":(exclude,literal)" + filepath.ToSlash(rel)}
			break
		}
	}
	unlock, err := k.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if k.store, err = git.OpenStore(ctx, dir, k.home); err != nil {
		return nil, err
	}
	return k, k.anchor()
}

func absolute(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// anchor records, for people, which folder this is about, and where its entries begin in the index: an index from
// before a repository was created around the folder is of no use.
func (k *Keeper) anchor() error {
	name := filepath.Join(k.home, "folder")
	want := k.store.Dir() + "\n" + k.store.Prefix() + "\n"
	if is, err := os.ReadFile(name); err == nil && string(is) == want {
		return nil
	}
	// Its names begin elsewhere, so it would say that every file is gone.
	if err := os.Remove(k.index()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, []byte(want), 0o600)
}

func (k *Keeper) index() string { return filepath.Join(k.home, "index") }

// lock locks the git dir against all other processes and goroutines. The lock is released when the process dies.
func (k *Keeper) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(k.home, "lock"))
	if ok, err := l.TryLockContext(ctx, 10*time.Millisecond); !ok {
		return nil, fmt.Errorf("lock the snapshots in %s: %w", k.home, err)
	}
	return func() { l.Close() }, nil
}

// Trees have SHA-1 names: our own git dir is such a repository, whatever the folder's is.
var hash = pattern.Of(`^[0-9a-f]{40}$`)

// known returns an error if one of trees is not an existing snapshot: ErrUnknown with the first one.
func (k *Keeper) known(ctx context.Context, trees ...string) error {
	for _, tree := range trees {
		if !hash().MatchString(tree) {
			return fmt.Errorf("%q: %w", tree, ErrUnknown)
		}
	}
	there, err := k.there(ctx, trees)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		if !there[tree] {
			return fmt.Errorf("%s: %w", tree, ErrUnknown)
		}
	}
	return nil
}

// there returns which of trees exist.
func (k *Keeper) there(ctx context.Context, trees []string) (map[string]bool, error) {
	in := strings.NewReader(strings.Join(trees, "\n") + "\n")
	out, err := k.store.Run(ctx, in, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	there := map[string]bool{}
	for row := range strings.Lines(string(out)) {
		if tree, kind, _ := strings.Cut(strings.TrimSpace(row), " "); kind == "tree" {
			there[tree] = true
		}
	}
	return there, err
}
