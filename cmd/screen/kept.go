package screen

import (
	"context"
	"encoding/json"
	"fmt"
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

// It is state and no data: a file that is damaged costs the person their tabs, never their conversations.
func (a *Screen) allTabs() (all map[string][]tui.Kept) {
	if file, err := a.tabsFile(); err == nil {
		if raw, err := os.ReadFile(file); err == nil {
			json.Unmarshal(raw, &all) // who cannot read it begins without tabs
		}
	}
	if all == nil {
		all = map[string][]tui.Kept{}
	}
	return all
}

// keptTabs are those that were open in a project. From now on they are this screen's.
func (a *Screen) keptTabs(dir string) []tui.Kept {
	a.openTabs = a.allTabs()[dir]
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
	all := a.allTabs()
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
