package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/peer"
)

// ownLocks are the locks that this process holds or tries to get, by name: what is locked here is not running
// elsewhere. The lock file alone cannot tell this process from another one.
type ownLocks struct {
	mu  sync.Mutex
	now map[string]int
	gen map[string]int // changes with now
}

// begin records that a lock is being tried for; end records that it is no longer held.
func (o *ownLocks) begin(name string) (end func()) {
	add := func(n int) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.now == nil {
			o.now, o.gen = map[string]int{}, map[string]int{}
		}
		o.now[name] += n
		o.gen[name]++
	}
	add(1)
	return func() { add(-1) }
}

func (o *ownLocks) of(name string) (now, gen int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now[name], o.gen[name]
}

// Elsewhere reports whether another process runs the thing of this name. If a lock of this name was taken or released
// here while the file was checked, the check saw our own lock, and the answer is no.
func (c *Core) Elsewhere(name string) bool {
	now, before := c.own.of(name)
	if now > 0 || !c.Held(name) {
		return false
	}
	_, after := c.own.of(name)
	return before == after
}

// Ours reports whether this process holds the lock of this name, or tries to get it.
func (c *Core) Ours(name string) bool {
	now, _ := c.own.of(name)
	return now > 0
}

// lockPatience is how long to try for a lock that is held: its holder may need it for a moment only.
const lockPatience = 300 * time.Millisecond

func (c *Core) lockFile(name string) string {
	return filepath.Join(filepath.Dir(c.Store.File()), "locks", name+".lock")
}

// Lock makes sure that only one process at a time runs the thing of this name; others are refused. The lock is released
// when the process dies.
//
// Lock tries for a moment and then returns refused. It is not reentrant: a second Lock of the same name in this process
// is refused like any other. unlock must be called once. A read-only store refuses with its own reason.
func (c *Core) Lock(ctx context.Context, name string, refused *Refusal) (unlock func(), err error) {
	ended := c.own.begin(name)
	defer func() {
		if err != nil {
			ended()
		}
	}()
	if err := cmp.Or(c.Store.Writable(), c.notHere()); err != nil {
		return nil, err
	}
	path := c.lockFile(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	for end := time.Now().Add(lockPatience); ; {
		l := flock.New(path)
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		if ok && isAt(l, path) {
			return func() {
				os.Remove(path) // before unlocking: whoever locks the removed file sees that it is gone
				l.Unlock()
				ended()
			}, nil
		}
		l.Unlock()
		if !ok && time.Now().After(end) && c.Held(name) { // otherwise only a check of the lock by another process is in the way
			return nil, refused
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Sign writes the holder of a lock, which must be this process, into the lock file.
func (c *Core) Sign(name, who string) {
	text := fmt.Sprintf("\n%s (process %d)", who, os.Getpid()) // the first byte is what is locked, on systems where a lock blocks readers
	os.WriteFile(c.lockFile(name), []byte(text), 0o600)        // without it the holder is unknown, no more
}

// Signed returns the holder of a lock; empty: there is none, or it is not known.
func (c *Core) Signed(name string) string {
	if c.mirror != nil || !c.Held(name) {
		return ""
	}
	f, err := os.Open(c.lockFile(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	who := make([]byte, 200)
	n, _ := f.ReadAt(who, 1)
	return string(who[:n])
}

// isAt reports whether the locked file is still the one at path: its last owner may have removed it in the meantime.
func isAt(l *flock.Flock, path string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// Held reports whether a process runs the thing of this name. It checks the file system and may be outdated when it returns.
func (c *Core) Held(name string) bool {
	if c.mirror != nil {
		return c.mirror.Busy(name)
	}
	return peer.Held(c.lockFile(name))
}
