package cmd

import (
	"github.com/socrates-cli/socrates/internal/permission"
)

// policy is what holds in a project.
func (a *app) policy(dir string, mode permission.Mode) (permission.Policy, error) {
	p, err := permission.NewPolicy(mode, dir)
	if err != nil {
		return p, err
	}
	cfg, err := a.settings()
	if err != nil {
		return p, err
	}
	for _, line := range cfg.Strings("permission.rules") {
		r, err := permission.ParseRule(line)
		if err != nil {
			return p, err
		}
		p.Rules = append(p.Rules, r)
	}
	return p, nil
}

// grant keeps a grant for a project.
func (a *app) grant(string, permission.Grant) error { return nil }
