package home

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/adopt"
	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/talk/margin"
	"github.com/socrates-cli/socrates/internal/talk/material"
)

// PhaseDir is where the user's phases lie.
// It need not exist.
func (pg *Pages) PhaseDir() (string, error) {
	file, err := pg.home.Settings.File()
	return filepath.Join(filepath.Dir(file), "phases"), err
}

// Memory says which folder's memory a conversation in dir has, and how much of it is shown.
func (pg *Pages) Memory(dir string) (top string, most int, err error) {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return "", 0, err
	}
	top, err = ProjectOf(dir)
	return top, cfg.Int("memory.shown"), err
}

// Text is what Files shows, as one text.
func (pg *Pages) Text(ctx context.Context, dir, name string) (string, error) {
	list, err := pg.Files(ctx, dir, name)
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.Face
	}
	return strings.Join(texts, "\n"), err
}

// Files shows files of a project as a model is to see them.
// name is what --files takes: a path, a folder, a glob, a range of lines.
func (pg *Pages) Files(ctx context.Context, dir, name string) ([]material.Handle, error) {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return nil, err
	}
	found, err := project.Show(ctx, dir, name, project.Limits{FileBytes: cfg.Int("context.max_file_bytes"),
		TotalBytes: cfg.Int("context.max_bytes")})
	if err != nil {
		return nil, err
	}
	var list []material.Handle
	for _, s := range found {
		list = append(list, material.Handle{URI: margin.FileKey + s.Name, Face: s.Text, SHA256: s.SHA256,
			Bytes: int64(len(s.Text)), Held: true})
	}
	return list, nil
}

// Skills are those that an agent which works in dir may use, but for what was not approved.
// Skills without scripts need no approval: they are text like any other of the project.
func (pg *Pages) Skills(ctx context.Context, dir string) ([]phase.Skill, error) {
	top, err := ProjectOf(dir)
	if err != nil {
		return nil, err
	}
	folder, _ := os.UserHomeDir()
	found, err := phase.Skills(ctx, top, dir, folder)
	if err != nil {
		return nil, err
	}
	found, _, err = pg.approvedSkills(dir, found)
	return found, err
}

// approvedSkills leaves out the skills that have scripts and were not approved as they are, and says so.
func (pg *Pages) approvedSkills(dir string, found []phase.Skill) (kept []phase.Skill, notes []string, err error) {
	list, err := pg.home.Approvals.unapprovedSkills(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range found {
		if slices.Contains(list, s.Folder()) {
			notes = append(notes,
				fmt.Sprintf("skipped the skill %s, whose scripts you have not approved: socrates trust show skill:%s", s.Name, s.Name))
		} else {
			kept = append(kept, s)
		}
	}
	return kept, notes, nil
}

// SkillOf is the folder of a skill outside dir that a file lies in, if an agent which works in dir may use that skill.
func (pg *Pages) SkillOf(ctx context.Context, dir, file string) (string, bool) {
	all, err := pg.Skills(ctx, dir)
	if err != nil {
		return "", false
	}
	for _, s := range all {
		if at := s.Folder(); filepath.IsAbs(at) {
			if way, err := filepath.Rel(at, file); err == nil && filepath.IsLocal(way) {
				return at, true
			}
		}
	}
	return "", false
}

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
