package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/private"
)

// Tabs saves the open pages, by project, in a file beside the store.
type Tabs struct {
	settings *home.Settings
	open     []Kept // as it last read or saved them
}

// NewTabs returns those of a home.
func NewTabs(h *home.Home) *Tabs { return &Tabs{settings: &h.Settings} }

func (tb *Tabs) file() (string, error) {
	path, err := tb.settings.StoreFile()
	return filepath.Join(filepath.Dir(path), "screen.json"), err
}

// all reads them. A missing or empty file has none.
func (tb *Tabs) all() (map[string][]Kept, error) {
	all := map[string][]Kept{}
	file, err := tb.file()
	if err != nil {
		return all, err
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if all == nil || err != nil {
		all = map[string][]Kept{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	return all, err
}

// Take returns the tabs that were open in a project. From now on they belong to this screen.
func (tb *Tabs) Take(dir string) []Kept {
	all, _ := tb.all() // a screen begins without tabs rather than not at all
	tb.open = all[dir]
	return tb.open
}

// Keep saves the tabs open in a project. Two screens of one project share the file; each removes only tabs that
// it had itself.
func (tb *Tabs) Keep(dir string, open []Kept) error {
	file, err := tb.file()
	if err != nil {
		return err
	}
	lock := flock.New(file + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // others lock it for a moment
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("save the open tabs: %w", err)
	}
	defer lock.Unlock()
	all, err := tb.all()
	if err != nil { // it may contain drafts
		if err := os.Rename(file, file+".damaged"); err != nil {
			return fmt.Errorf("set the damaged list of tabs aside: %w", err)
		}
	}
	kept := slices.Clone(open)
	for _, k := range all[dir] {
		if !holdsTab(tb.open, k) && !holdsTab(open, k) {
			k.Shown = false
			kept = append(kept, k)
		}
	}
	tb.open = open
	if all[dir] = kept; len(kept) == 0 {
		delete(all, dir)
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return private.Replace(file, []byte(strings.TrimSpace(string(raw))+"\n"))
}

// holdsTab reports whether a tab is among others. One that has not begun is identified by its draft.
func holdsTab(all []Kept, k Kept) bool {
	return slices.ContainsFunc(all, func(o Kept) bool {
		return o.Page == k.Page && o.Name == k.Name && (k.Name != "" || o.Draft == k.Draft)
	})
}
