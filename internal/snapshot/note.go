package snapshot

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// note records when a snapshot was last taken, because Prune keeps recent ones, which may not be recorded anywhere yet; and which files
// existed and are not in it, although no rule ignores them.
func (t *session) note(tree string, absent []string) error {
	var text []byte
	if len(absent) > 0 {
		text, _ = json.Marshal(absent)
	}
	name := filepath.Join(t.home, takenDir, tree)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return err
	}
	now := time.Now()
	return os.Chtimes(name, now, now)
}

// lacks returns a function that reports whether a path existed when a snapshot was taken but is not in it. Restore must
// not remove such a file as new: it was there before, only not saved.
func (t *session) lacks(tree string) func(path string) bool {
	text, _ := os.ReadFile(filepath.Join(t.home, takenDir, tree))
	var names []string
	json.Unmarshal(text, &names) // older notes have no list
	absent := map[string]bool{}
	for _, name := range names {
		absent[name] = true
	}
	return func(path string) bool {
		is := absent[path]
		for dir := parent(path); dir != "" && !is; dir = parent(dir) {
			is = absent[dir+"/"] // a repository of its own
		}
		return is
	}
}

// closed has the permissions of files that not everybody may read: git records only whether a file is executable.
type closed struct {
	name    string
	files   map[string]fs.FileMode
	changed bool
}

// closed reads the record. If it cannot be read, it is empty.
func (k *Keeper) closed() *closed {
	c := &closed{name: filepath.Join(k.home, "closed"), files: map[string]fs.FileMode{}}
	text, _ := os.ReadFile(c.name)
	json.Unmarshal(text, &c.files) // without it, files are created with the usual permissions
	return c
}

// set records the permissions of a file, or forgets them once everybody may read it.
func (c *closed) set(path string, mode fs.FileMode) {
	was, is := c.files[path]
	switch perm := mode.Perm(); {
	case mode.IsRegular() && perm&0o044 != 0o044:
		if was != perm {
			c.files[path], c.changed = perm, true
		}
	case is:
		delete(c.files, path)
		c.changed = true
	}
}

// save writes the record if it has changed.
func (c *closed) save() error {
	if !c.changed {
		return nil
	}
	text, err := json.Marshal(c.files)
	if err == nil {
		err = os.WriteFile(c.name+".new", text, 0o600)
	}
	if err != nil {
		return err
	}
	return os.Rename(c.name+".new", c.name)
}
