package code

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/scratch"
)

const (
	waitEvery  = 20 * time.Millisecond // between two tries for a lock
	sharedName = "shared"
	unused     = 24 * time.Hour // after which unused objects of a project are removed
	mostLoose  = 50_000         // loose objects in a project's store before it is rebuilt
	slack      = 256 << 20      // bytes that it may have beyond twice its initial size
)

// project is the object store that the tasks of one project borrow from. Its objects are hard links to the
// repository's, and those of offers. Only the holder of the lock writes.
type project struct {
	id    string // a name that reveals nothing about the folder
	at    string // the store's git dir
	store git.Store
	lock  *flock.Flock
}

// openProject locks the store of a folder and opens it, or makes it.
func openProject(ctx context.Context, dir, top string) (p *project, err error) {
	salt, err := saltOf(dir)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(salt + "\x00" + top))
	p = &project{id: hex.EncodeToString(sum[:10])}
	p.lock, err = locked(ctx, filepath.Join(dir, sharedName, p.id+".lock"))
	if err != nil {
		return nil, err
	}
	n := 1
	if all := generations(dir, p.id); len(all) > 0 {
		n = all[len(all)-1]
	}
	if err = p.open(ctx, dir, n); err != nil {
		return nil, errors.Join(err, p.lock.Close())
	}
	return p, nil
}

// open opens one generation of the project's store.
func (p *project) open(ctx context.Context, dir string, n int) (err error) {
	p.at = filepath.Join(dir, sharedName, fmt.Sprintf("%s-%d.git", p.id, n))
	p.store, err = storeAt(ctx, dir, p.at)
	return err
}

// close releases the lock.
func (p *project) close() { p.lock.Close() }

// locked takes a lock, or fails when ctx ends.
func locked(ctx context.Context, file string) (*flock.Flock, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(file)
	if _, err := lock.TryLockContext(ctx, waitEvery); err != nil {
		return nil, fmt.Errorf("waiting for another process that uses %s: %w", filepath.Base(file), errors.Join(err, lock.Close()))
	}
	return lock, nil
}

// saltOf returns a secret of this hub, so that names of projects do not reveal their folders.
func saltOf(dir string) (string, error) {
	file := filepath.Join(dir, sharedName, "salt")
	raw, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(raw), err
	}
	lock, err := locked(context.Background(), file+".lock")
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if raw, err := os.ReadFile(file); err == nil {
		return string(raw), nil
	}
	salt := rand.Text()
	return salt, private.Replace(file, []byte(salt))
}

// generations returns the numbers of a project's stores, the newest last.
func generations(dir, id string) (all []int) {
	entries, _ := os.ReadDir(filepath.Join(dir, sharedName)) // there may be none yet
	for _, e := range entries {
		if of, n, ok := generation(e.Name()); ok && of == id {
			all = append(all, n)
		}
	}
	for i := 1; i < len(all); i++ {
		for k := i; k > 0 && all[k] < all[k-1]; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
	return all
}

// generation parses the name of a project's store.
func generation(name string) (id string, n int, ok bool) {
	name, ok = strings.CutSuffix(name, ".git")
	id, number, cut := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	return id, n, ok && cut && err == nil
}

// renew makes a new store for the project once its current one has far more than initially: what the person's git
// repacked, and old offers. Tasks that borrow from the old one keep it.
func (p *project) renew(ctx context.Context, dir string) error {
	loose, size, err := weight(ctx, p.store)
	if err != nil {
		return err
	}
	born, err := os.ReadFile(filepath.Join(p.at, bornFile))
	first, numErr := strconv.ParseInt(string(born), 10, 64)
	if err != nil || numErr != nil || loose <= mostLoose && size <= 2*first+slack {
		return nil
	}
	_, n, _ := generation(filepath.Base(p.at))
	return p.open(ctx, dir, n+1)
}

// bornFile contains the size of a store in bytes when the first commit was offered from it.
const bornFile = "born"

// grown records the size of the store, once.
func (p *project) grown(ctx context.Context) error {
	file := filepath.Join(p.at, bornFile)
	if _, err := os.Lstat(file); err == nil {
		now := time.Now()
		return os.Chtimes(p.at, now, now) // mark it as used
	}
	_, size, err := weight(ctx, p.store)
	if err != nil {
		return err
	}
	return write(file, strconv.FormatInt(size, 10))
}

// weight returns the number of loose objects in a store, and its total bytes.
func weight(ctx context.Context, s git.Store) (loose int, size int64, err error) {
	out, err := s.Run(ctx, nil, "count-objects", "-v")
	for row := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(row), ": ")
		n, _ := strconv.ParseInt(value, 10, 64) // a value that is no number is ignored
		switch key {
		case "count":
			loose = int(n)
		case "size", "size-pack":
			size += n << 10
		}
	}
	return loose, size, err
}

// folderSize returns the size of the files below a folder.
func folderSize(dir string) (sum int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// removeUnused removes the stores of projects that no task borrows from: old ones at once, the newest of a project if
// unused for a day.
func removeUnused(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, sharedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	newest := map[string]int{}
	for _, e := range entries {
		if id, n, ok := generation(e.Name()); ok {
			newest[id] = max(newest[id], n)
		}
	}
	for _, e := range entries {
		id, n, ok := generation(e.Name())
		info, infoErr := e.Info()
		if !ok || infoErr != nil || n == newest[id] && time.Since(info.ModTime()) < unused {
			continue
		}
		lock := flock.New(filepath.Join(dir, sharedName, id+".lock"))
		if free, lockErr := lock.TryLock(); lockErr == nil && free {
			if at := filepath.Join(dir, sharedName, e.Name()); ctx.Err() == nil && !lent(dir, at) {
				err = errors.Join(err, scratch.RemoveAll(at))
			}
		}
		err = errors.Join(err, lock.Close())
	}
	return err
}

// lent reports whether a task borrows from a store.
func lent(dir, at string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.git", "objects", "info", "alternates")) // the pattern is constant
	for _, f := range files {
		if raw, err := os.ReadFile(f); err != nil || strings.TrimSpace(string(raw)) == filepath.Join(at, "objects") {
			return true
		}
	}
	return false
}
