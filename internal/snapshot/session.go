package snapshot

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// session is one operation of a keeper, which holds the lock meanwhile. It works on its own index, which replaces the keeper's when it is
// complete. So a git process that outlives a killed process of ours cannot damage ours.
type session struct {
	*Keeper
	git    git.Store // with the session's index
	own    string    // that index
	folder *os.Root
	unlock func()
}

const ownPrefix = "index."

// begin waits for the lock and removes what killed sessions have left behind.
func (k *Keeper) begin(ctx context.Context) (*session, error) {
	unlock, err := k.lock(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(k.store.Dir())
	if err != nil {
		unlock()
		return nil, err
	}
	left, _ := filepath.Glob(filepath.Join(k.home, ownPrefix+"*"))
	for _, name := range left {
		os.Remove(name)
	}
	own := filepath.Join(k.home, ownPrefix+rand.Text())
	return &session{k, k.store.Indexed(own), own, folder, unlock}, nil
}

// end releases the lock, and drops an index that was not committed.
func (t *session) end() {
	os.Remove(t.own)
	t.folder.Close()
	t.unlock()
}

// fresh starts from the keeper's index. A hard link is enough, because git replaces an index and never changes one.
func (t *session) fresh() error {
	if err := os.Remove(t.own); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Link(t.index(), t.own)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return clone(t.index(), t.own)
}

// clone copies a file on disks without hard links. It also copies the time: git does not trust files as new as the index.
func clone(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// commit replaces the keeper's index by the session's.
func (t *session) commit() error {
	err := os.Rename(t.own, t.index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was ever saved
	}
	return err
}

// held is the content of the index.
func (t *session) held() (index, error) { return readIndex(t.own, t.store.Prefix()) }

// plain reports whether every folder above name is a real folder, not a link; a missing one counts as false. A file
// behind a link is where the link leads and not part of the folder.
func (t *session) plain(name string, seen map[string]bool) bool {
	dir := parent(name)
	if dir == "" {
		return true
	}
	ok, known := seen[dir]
	if !known {
		info, err := t.folder.Lstat(filepath.FromSlash(dir))
		ok = err == nil && info.IsDir() && t.plain(dir, seen)
		seen[dir] = ok
	}
	return ok
}

// parent is the folder of a name with slashes; empty: the name is in the top folder.
func parent(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// Take takes a snapshot of the current files. Concurrent calls may return the same one.
func (k *Keeper) Take(ctx context.Context) (Snapshot, error) {
	t, err := k.begin(ctx)
	if err != nil {
		return Snapshot{}, fmt.Errorf("taking a snapshot: %w", err)
	}
	defer t.end()
	// The repository's head is read concurrently: that takes as long as a small snapshot.
	head := make(chan git.Head, 1)
	go func() { head <- k.store.Head(ctx) }()
	s, err := t.take(ctx, nil, nil)
	s.Head = <-head
	return s, err
}
