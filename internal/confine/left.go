package confine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/permission"
)

// watched is the folder of the notes; empty: there are none.
//
// While programs may run in a project, a note records what steered tools there before: if we are killed in the
// meantime, the next process finds it, and reports what has appeared since. Its author holds a lock on it for as long
// as it lives.
func (k *Keeper) watched() string {
	if k.Aside == "" || k.disk() == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(k.Aside), "watched")
}

// own distinguishes our notes from those of other processes.
var own = sync.OnceValue(rand.Text)

// noteOf is the prefix of the names of a project's notes. Paths are hashed so that a name reveals nothing and fits any file system.
func noteOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// note writes a note once per call, when its first program starts. It is best effort: if the note cannot be written,
// the call still runs, and only a kill in the middle of it would go unnoticed.
func (k *Keeper) note(p permission.Policy) {
	for _, dir := range p.Workspace {
		before, looked := k.before.Load(dir)
		if _, noted := k.notes.LoadOrStore(dir, true); noted || !looked || k.watched() == "" {
			continue
		}
		lock, _ := k.locks.LoadOrStore(dir, flock.New(filepath.Join(k.watched(), noteOf(dir)+"-"+own())))
		if os.MkdirAll(k.watched(), 0o700) != nil {
			continue
		}
		if locked, err := lock.(*flock.Flock).TryLock(); err == nil && locked {
			os.WriteFile(lock.(*flock.Flock).Path(), []byte(strings.Join(before.([]string), "\n")), 0o600)
		}
	}
}

// unnote empties the notes after the final check. The files and their locks stay, for the next call.
func (k *Keeper) unnote(p permission.Policy) {
	for _, dir := range p.Workspace {
		if _, noted := k.notes.LoadAndDelete(dir); !noted {
			continue
		}
		if lock, ok := k.locks.Load(dir); ok {
			os.Truncate(lock.(*flock.Flock).Path(), 0)
		}
	}
}

// Noted reports whether Left may have something to report about a project, for keepers with an Aside in a folder.
func Noted(in, project string) bool {
	found, _ := filepath.Glob(filepath.Join(in, "watched", noteOf(project)+"-*"))
	return len(found) > 0
}

// Left reports, once and in sentences, the steering files that have appeared in a project since a process was killed while its programs
// ran.
func (k *Keeper) Left(project string) (out []string) {
	for _, c := range k.left(permission.Policy{Workspace: []string{project}}) {
		out = append(out, c.String()+"; check it before you continue")
	}
	return out
}

// left returns what has appeared in a project since a process was killed while its programs ran. It is reported once.
func (k *Keeper) left(p permission.Policy) (out []Change) {
	for _, dir := range p.Workspace {
		entries, _ := os.ReadDir(k.watched())
		for _, e := range entries {
			path := filepath.Join(k.watched(), e.Name())
			if !strings.HasPrefix(e.Name(), noteOf(dir)+"-") || strings.HasSuffix(e.Name(), "-"+own()) {
				continue
			}
			lock := flock.New(path)
			if locked, err := lock.TryLock(); err != nil || !locked {
				continue // its author is alive
			}
			text, err := os.ReadFile(path)
			if os.Remove(path); err == nil && len(text) > 0 {
				before := strings.Split(string(text), "\n")
				for _, at := range order(k.look(p)) {
					if !slices.Contains(before, at) && !slices.ContainsFunc(out, func(c Change) bool { return below(at, c.Path) }) {
						out = append(out, Change{Path: at, unseen: true})
					}
				}
			}
			lock.Close()
		}
	}
	return out
}
