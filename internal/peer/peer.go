// Package peer lets processes that share a store see what grows in each other: each writes what grows in it into a
// file beside the store, as long as another one listens. None of this is a record; it is gone when its process is.
//
// [Peers.Listen] says that somebody watches; [Peers.Tell] writes the newest snapshots if so; [Peers.Others] and [Peers.Again]
// read those of other processes. There is no socket and no daemon: a process is known by a lock on a file of its own, so
// that one that was killed is noticed, and its files removed, by whoever looks next.
//
// A file is lines (lines.go): the first has everything that grew when the file was made, each later one what was added
// since. So what it costs to tell and to hear is what is new, not how long the texts are. What cannot be said as an addition
// replaces the file in one step.
//
// Everything here is best effort. A snapshot that is lost costs a moment of live text, never the text itself, which
// is read from the store once it is whole. Texts are cleaned of secrets before they reach the disk.
package peer

import (
	"crypto/rand"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/feed"
	"github.com/socrates-cli/socrates/internal/tree"
)

// What a process has in the folder, by its own name: the lock that says it lives, that it listens, and what grows in it.
const (
	lives   = ".lock"
	listens = ".ear"
	grows   = ".json"
)

// Peers are the processes of one folder. Safe for concurrent use. What fails is left out: then a text is seen once it is whole.
type Peers struct {
	dir   string
	clean func(string) string

	mu   sync.Mutex
	self string // empty: this process is not there
	lock *flock.Flock
	told told // what its file says
	read map[string]*reading
}

// In is the peers that meet in a folder, which need not be there. Texts are cleaned before they are written.
func In(dir string, clean func(string) string) *Peers {
	return &Peers{dir: dir, clean: clean, read: map[string]*reading{}}
}

// Listen has others write what grows in them, until stop is called. One listener a process is enough: they share
// the mark, and the first stop removes it.
func (p *Peers) Listen() (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.enter() {
		return func() {}
	}
	ear := p.path(p.self, listens)
	os.WriteFile(ear, nil, 0o600)
	return func() { os.Remove(ear) }
}

// Others is what grows in other processes now.
func (p *Peers) Others() map[tree.ID]feed.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	there := map[string]bool{}
	for _, name := range p.those(grows) {
		there[name] = true
		if p.read[name] == nil {
			p.read[name] = &reading{}
		}
	}
	for name := range p.read {
		if !there[name] {
			delete(p.read, name)
		}
	}
	return p.again()
}

// Again is what grows now in those processes that Others found last: cheap enough to be asked for each frame of a screen.
func (p *Peers) Again() map[tree.ID]feed.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.again()
}

// again reads the files of the processes that are known. The caller holds mu.
func (p *Peers) again() map[tree.ID]feed.Snapshot {
	out := map[tree.ID]feed.Snapshot{}
	for name, h := range p.read {
		maps.Copy(out, h.again(p.path(name, grows)))
	}
	return out
}

// Tell writes what grows in this process if another one listens. Without one, or if it cannot be written, it is to be told again.
func (p *Peers) Tell(all map[tree.ID]feed.Snapshot) (told bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(all) == 0 || len(p.those(listens)) == 0 {
		p.hush()
		return len(all) == 0
	}
	if !p.enter() {
		return false
	}
	return p.told.tell(all, p.clean, p.path(p.self, grows), p.path(p.self, ".new"))
}

// hush removes what this process has written.
func (p *Peers) hush() {
	if p.told.there {
		os.Remove(p.path(p.self, grows))
		p.told = told{made: p.told.made}
	}
}

// Leave takes away what this process has in the folder.
func (p *Peers) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.self != "" {
		p.hush()
		os.Remove(p.path(p.self, lives))
		p.lock.Unlock()
		p.self = ""
	}
}

// enter makes this process one of those in the folder.
func (p *Peers) enter() bool {
	if p.self != "" {
		return true
	}
	if os.MkdirAll(p.dir, 0o700) != nil {
		return false
	}
	name := strings.ToLower(rand.Text()[:12])
	l := flock.New(p.path(name, lives), flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); !ok || err != nil {
		return false
	}
	p.self, p.lock = name, l
	return true
}

// those are the other processes that have a file of a sort. What was left by one that is dead is taken away.
func (p *Peers) those(sort string) (names []string) {
	all, err := os.ReadDir(p.dir)
	if err != nil {
		return nil
	}
	for _, e := range all {
		name, is := strings.CutSuffix(e.Name(), sort)
		if !is || name == p.self {
			continue
		}
		if Held(p.path(name, lives)) {
			names = append(names, name)
			continue
		}
		for _, left := range []string{grows, listens, ".new", lives} {
			os.Remove(p.path(name, left))
		}
	}
	return names
}

// Held says whether a living process has locked a file.
func Held(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path)
	free, err := l.TryRLock()
	l.Unlock()
	return err == nil && !free
}

// path is a process's file of a sort.
func (p *Peers) path(name, sort string) string { return filepath.Join(p.dir, name+sort) }
