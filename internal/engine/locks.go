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

// ownLocks are the locks that this process holds or tries for, by name: what is locked here is not at work elsewhere.
// The lock file alone cannot tell this process from another one.
type ownLocks struct {
	mu  sync.Mutex
	now map[string]int
	gen map[string]int // changes with now
}

// begin notes that a lock is tried for; what it returns, that it is not held any more.
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

// Elsewhere says whether another process runs the thing of this name.
// If a lock of this name came or went here while the file was looked at, what was seen was ours, and the answer is
// no.
func (c *Core) Elsewhere(name string) bool {
	now, before := c.own.of(name)
	if now > 0 || !c.Held(name) {
		return false
	}
	_, after := c.own.of(name)
	return before == after
}

// Ours says whether this process holds the lock of this name, or tries for it.
func (c *Core) Ours(name string) bool {
	now, _ := c.own.of(name)
	return now > 0
}

// lockPatience is how long a lock that somebody has is tried for: what they do may take a moment only.
const lockPatience = 300 * time.Millisecond

func (c *Core) lockFile(name string) string {
	return filepath.Join(filepath.Dir(c.Store.File()), "locks", name+".lock")
}

// Lock makes sure that one process at a time runs a thing of this name; the others are refused. The lock dies with the
// process.
//
// It tries for a moment and then returns refused. It is not reentrant: a second Lock of the same name in this process
// is refused like any other. unlock must be called once. A store that may only be read refuses with its own reason.
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
				os.Remove(path) // first: who locks the removed file sees that it is not there
				l.Unlock()
				ended()
			}, nil
		}
		l.Unlock()
		if !ok && time.Now().After(end) && c.Held(name) { // else it is a look at whether somebody has it that keeps it from us
			return nil, refused
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Sign writes into a lock that this process holds who it is, for whoever looks at it.
func (c *Core) Sign(name, who string) {
	text := fmt.Sprintf("\n%s (process %d)", who, os.Getpid()) // the first byte is what is locked, where a lock keeps readers out
	os.WriteFile(c.lockFile(name), []byte(text), 0o600)        // who cannot be told is not
}

// Signed is who holds a lock; empty: nobody does, or it is not known.
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

// isAt says whether the locked file is still the one at path: its last owner may have removed it meanwhile.
func isAt(l *flock.Flock, path string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// Held says whether a process runs the thing of this name.
// It is a look at the file system and may be outdated when it returns.
func (c *Core) Held(name string) bool {
	if c.mirror != nil {
		return c.mirror.Busy(name)
	}
	return peer.Held(c.lockFile(name))
}
