package home

import (
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/adopt"
	"github.com/socrates-cli/socrates/internal/phase"
)

// roles are those that tasks may be given to in a project, and what is wrong with others.
func (pg *Pages) roles(dir string) ([]phase.Phase, []string) {
	places := phase.RoleFolders{Project: []string{".socrates/agents", ".claude/agents"}, Tools: adopt.Tools, Tiers: claudeTiers}
	if phases, err := pg.PhaseDir(); err == nil {
		places.Own = append(places.Own, filepath.Join(filepath.Dir(phases), "agents"))
	}
	if moved := os.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(moved) {
		places.Own = append(places.Own, filepath.Join(moved, "agents"))
	} else if folder, err := os.UserHomeDir(); err == nil {
		places.Own = append(places.Own, filepath.Join(folder, ".claude", "agents"))
	}
	top, err := ProjectOf(dir)
	if err != nil {
		top = dir
	}
	return phase.Roles(top, places)
}

// claudeTiers are the tiers that the names of Claude's models stand for.
var claudeTiers = map[string]string{"haiku": "small", "sonnet": "mid", "opus": "big"}
