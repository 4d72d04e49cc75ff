package screen

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

	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/tui"
)

// tabsFile keeps which tabs were open, by project.
func (a *Screen) tabsFile() (string, error) {
	path, err := a.Home.Settings.StoreFile()
	return filepath.Join(filepath.Dir(path), "screen.json"), err
}

// allTabs reads them. Without the file, or with one that says nothing, there are none.
func (a *Screen) allTabs() (map[string][]tui.Kept, error) {
	all := map[string][]tui.Kept{}
	file, err := a.tabsFile()
	if err != nil {
		return all, err
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if all == nil || err != nil {
		all = map[string][]tui.Kept{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	return all, err
}

// keptTabs are those that were open in a project. From now on they are this screen's.
func (a *Screen) keptTabs(dir string) []tui.Kept {
	all, _ := a.allTabs() // a screen begins without tabs rather than not at all
	a.openTabs = all[dir]
	return a.openTabs
}

// keepTabs keeps which tabs are open in a project. What other screens there keep meanwhile stays.
// Two screens of one project share the file; each removes only tabs that it had itself.
func (a *Screen) keepTabs(dir string, open []tui.Kept) error {
	file, err := a.tabsFile()
	if err != nil {
		return err
	}
	lock := flock.New(file + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second) // others hold it for a moment
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("save the open tabs: %w", err)
	}
	defer lock.Unlock()
	all, err := a.allTabs()
	if err != nil { // it may hold what was typed and not sent
		if err := os.Rename(file, file+".damaged"); err != nil {
			return fmt.Errorf("set the damaged list of tabs aside: %w", err)
		}
	}
	kept := slices.Clone(open)
	for _, k := range all[dir] {
		if !holdsTab(a.openTabs, k) && !holdsTab(open, k) {
			k.Shown = false
			kept = append(kept, k)
		}
	}
	a.openTabs = open
	if all[dir] = kept; len(kept) == 0 {
		delete(all, dir)
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return private.Replace(file, []byte(strings.TrimSpace(string(raw))+"\n"))
}

// holdsTab says whether a tab is among others. One that has not begun is what was typed in it.
func holdsTab(all []tui.Kept, k tui.Kept) bool {
	return slices.ContainsFunc(all, func(o tui.Kept) bool {
		return o.Page == k.Page && o.Name == k.Name && (k.Name != "" || o.Draft == k.Draft)
	})
}
