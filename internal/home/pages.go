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

// PhaseDir is the folder of the user's phases. It need not exist.
func (pg *Pages) PhaseDir() (string, error) {
	file, err := pg.home.Settings.File()
	return filepath.Join(filepath.Dir(file), "phases"), err
}

// Memory returns which folder's notes a conversation in dir has, and how many are shown.
func (pg *Pages) Memory(dir string) (top string, most int, err error) {
	cfg, err := pg.home.Settings.Load()
	if err != nil {
		return "", 0, err
	}
	top, err = ProjectOf(dir)
	return top, cfg.Int("memory.shown"), err
}

// Text returns the output of Files as one text.
func (pg *Pages) Text(ctx context.Context, dir, name string) (string, error) {
	list, err := pg.Files(ctx, dir, name)
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.Face
	}
	return strings.Join(texts, "\n"), err
}

// Files returns files of a project as a model sees them. name is a value of --files: a path, a folder, a glob,
// a range of lines.
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

// Skills returns the skills that an agent in dir may use, without unapproved ones. Skills without scripts need
// no approval: they are text like any other of the project.
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

// approvedSkills removes the skills with scripts whose current content is not approved, and notes each.
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

// SkillOf returns the folder of a skill outside dir that contains a file, if an agent in dir may use that
// skill.
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

// roles returns the roles that tasks may be given to in a project, and the errors of invalid ones.
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

// claudeTiers maps the names of Claude's models to tiers.
var claudeTiers = map[string]string{"haiku": "small", "sonnet": "mid", "opus": "big"}
