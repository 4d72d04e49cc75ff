package snapshot

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// note remembers when a snapshot was last taken, since Prune lets young ones be, of which nobody may have told it yet; and what was
// there and is not in it, although no rule ignores it.
func (t *turn) note(tree string, left []string) error {
	var text []byte
	if len(left) > 0 {
		text, _ = json.Marshal(left)
	}
	name := filepath.Join(t.home, takenDir, tree)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return err
	}
	now := time.Now()
	return os.Chtimes(name, now, now)
}

// lacks says of a path whether it was there when a snapshot was taken, and is not in it.
func (t *turn) lacks(tree string) func(path string) bool {
	text, _ := os.ReadFile(filepath.Join(t.home, takenDir, tree))
	var left []string
	json.Unmarshal(text, &left) // one from before this was noted has none
	return func(path string) bool {
		for _, l := range left {
			if l == path || strings.HasPrefix(l, path+": ") || strings.Contains(l, "/: ") && strings.HasPrefix(path, l[:strings.Index(l, "/: ")+1]) {
				return true
			}
		}
		return false
	}
}

// closed are the files that not everybody may read, with their permissions: git keeps only whether a file is executable.
type closed struct {
	name    string
	files   map[string]fs.FileMode
	changed bool
}

func (k *Keeper) closed() *closed {
	c := &closed{name: filepath.Join(k.home, "closed"), files: map[string]fs.FileMode{}}
	text, _ := os.ReadFile(c.name)
	json.Unmarshal(text, &c.files) // without it a file is made as others are
	return c
}

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

func (c *closed) save() error {
	if !c.changed {
		return nil
	}
	text, err := json.Marshal(c.files)
	if err != nil {
		return err
	}
	return os.WriteFile(c.name, text, 0o600)
}
