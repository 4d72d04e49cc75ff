package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/private"
	"github.com/socrates-cli/socrates/internal/tui"
)

// tabsFile keeps which tabs were open, by project.
func (a *app) tabsFile() (string, error) {
	path, err := a.storeFile()
	return filepath.Join(filepath.Dir(path), "screen.json"), err
}

func (a *app) allTabs() (all map[string][]tui.Kept) {
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

func (a *app) keptTabs(dir string) []tui.Kept { return a.allTabs()[dir] }

// keepTabs keeps which tabs are open in a project.
func (a *app) keepTabs(dir string, kept []tui.Kept) error {
	all := a.allTabs()
	if all[dir] = kept; len(kept) == 0 {
		delete(all, dir)
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	file, err := a.tabsFile()
	if err != nil {
		return err
	}
	return private.Replace(file, []byte(strings.TrimSpace(string(raw))+"\n"))
}
