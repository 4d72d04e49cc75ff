package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/socrates-cli/socrates/internal/phase"
	"github.com/socrates-cli/socrates/internal/trust"
)

// skills are those that an agent which works in dir may use, but for what was not approved.
func (a *app) skills(ctx context.Context, dir string) ([]phase.Skill, error) {
	top, err := projectOf(dir)
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	found, err := phase.Skills(ctx, top, dir, home)
	if err != nil {
		return nil, err
	}
	found, _, err = a.approvedSkills(dir, found)
	return found, err
}

// approvedSkills leaves out the skills that have scripts and were not approved as they are, and says so.
func (a *app) approvedSkills(dir string, found []phase.Skill) (kept []phase.Skill, notes []string, err error) {
	list, err := a.unapprovedSkills(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range found {
		if slices.Contains(list, s.Folder()) {
			notes = append(notes,
				fmt.Sprintf("the skill %s has scripts and is left out until you approve it: socrates trust show skill:%s", s.Name, s.Name))
		} else {
			kept = append(kept, s)
		}
	}
	return kept, notes, nil
}

// unapprovedSkills are the folders of skills, in dir and in the folders above it in the project, that may not be used.
func (a *app) unapprovedSkills(dir string) (list []string, err error) {
	store, err := a.approvals()
	if err != nil {
		return nil, err
	}
	here, err := trust.Project(dir)
	if err != nil {
		return nil, err
	}
	for _, at := range append([]string{here}, above(here)...) {
		items, err := trust.Collect(at, trust.Skill)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			if state, _ := store.State(at, i); state == trust.Approved {
				continue
			}
			if at == here {
				list = append(list, i.Path)
			} else {
				list = append(list, filepath.Join(at, filepath.FromSlash(i.Path)))
			}
		}
	}
	return list, nil
}

// above are the folders above dir in its project, the nearest first. dir has no links.
func above(dir string) (list []string) {
	top, err := projectOf(dir)
	for err == nil && dir != top && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		list = append(list, dir)
	}
	return list
}

// skillOf is the folder of a skill outside dir that a file lies in, if an agent which works in dir may use that skill.
func (a *app) skillOf(ctx context.Context, dir, file string) (string, bool) {
	all, err := a.skills(ctx, dir)
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
