package home

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/phase"
)

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
