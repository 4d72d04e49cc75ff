// Package snapshot keeps what the files of a folder were, in a git dir outside the folder, and brings them back byte
// for byte. The folder need not be a repository; if it is one, its index, stash, refs, hooks, filters and settings are
// neither used nor changed, only what it ignores is left alone.
//
// A [Keeper] keeps the snapshots of one folder. [Keeper.Take] makes one, [Keeper.Diff] and [Keeper.Patch] compare
// two, [Keeper.Restore] takes changes back, [Keeper.Prune] drops what nobody needs. A snapshot is a tree of git, so
// files that are the same are kept once, and taking one again costs what has changed since. It holds what lay there,
// ignored files and what is larger than its bounds left out; each Snapshot says what it lacks.
//
// On the disk there is a folder for each folder, named by a hash of its path: git's objects, an index of what is
// held, the notes of which snapshots were taken lately and what they lack, the permissions of files not everybody may
// read, and a lock. All of it is private to the user. A snapshot is on disk when Take returns. Every piece of work
// has the lock from its beginning to its end and works in an index of its own that takes the place of the old one at
// the end, so a process that is killed leaves the index as it was. A damaged index is made again from the files.
//
// Restore never loses anything: it takes a snapshot first, writes files beside their places and renames them, and
// touches nothing that no snapshot contains. What it cannot do it leaves and says; one that was broken off can be called
// again.
//
// Bringing files back knows nothing of what changed them. Whoever took snapshots before and after a step ([Step]) can
// have that step taken back and the work of others kept.
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

// What a snapshot holds at most. The rest is left out and named.
const (
	LargestFile = 10 << 20
	MostBytes   = 1 << 30
	MostFiles   = 200_000
)

// ErrUnknown: there is no such snapshot of this folder.
var ErrUnknown = errors.New("no such snapshot of this folder")

// Keeper keeps snapshots of one folder. It may be used by several goroutines and processes at once: each waits its turn.
// Open makes one. It need not be closed.
type Keeper struct {
	store  git.Store
	home   string   // the git dir, with our own files in it
	beyond []string // pathspecs that leave out where our own records lie
	most   room
	last   atomic.Pointer[written]
}

// written is the tree of an index file as it was when this process wrote it: of the same file git need not write it again. Prune keeps
// the tree of the index.
type written struct {
	index os.FileInfo
	tree  string
}

// of says whether an index file is that one, unchanged.
func (w *written) of(index os.FileInfo) bool {
	return w != nil && index != nil && os.SameFile(w.index, index) && w.index.ModTime().Equal(index.ModTime()) &&
		w.index.Size() == index.Size()
}

// room is what a snapshot may hold.
// Tests make it smaller.
type room struct {
	files int
	bytes int64
}

// Snapshot is the state of the files at one moment. Left says what is not in it and why, as "name: reason". What was
// once kept stays kept until it is gone, even if it is ignored later, as in git. Permissions are kept as git does:
// executable or not. Of ignored names, and of those for which there is no room, Left tells the first hundred. Pipes, sockets, devices
// and empty folders are not kept.
type Snapshot struct {
	Tree string // hash of git's tree
	Left []string
	Head git.Head // where the repository of the folder stands; empty: there is none, or it cannot tell
}

// Open opens the snapshots of dir, which lie in a folder of their own below store, and makes that folder if need be.
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
	// Records of ours that lie in the folder, such as the data home in somebody's home, are no part of a project.
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

// anchor notes for people which folder this is about, and where its entries begin in the index: an index from before
// a repository was made around the folder is of no use.
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

// lock makes this the only one that works with the git dir, in any process. It dies with the process.
func (k *Keeper) lock(ctx context.Context) (unlock func(), err error) {
	l := flock.New(filepath.Join(k.home, "lock"))
	if ok, err := l.TryLockContext(ctx, 10*time.Millisecond); !ok {
		return nil, fmt.Errorf("lock the snapshots in %s: %w", k.home, err)
	}
	return func() { l.Close() }, nil
}

// Trees are named as repositories with SHA-1 name them: our own git dir is one, whatever the folder's is.
var hash = pattern.Of(`^[0-9a-f]{40}$`)

// known makes sure that each of trees is a snapshot that is still there.
// Otherwise the error is ErrUnknown with the first that is not.
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

// there says which of trees exist.
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
