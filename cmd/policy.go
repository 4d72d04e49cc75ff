package cmd

import (
	"context"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
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
	p.Confined = a.confined()
	return p, nil
}

// confined says whether a sandbox holds on this machine; it is tried once.
func (a *app) confined() bool {
	a.probe.Do(func() {
		r := sandbox.Probe(context.Background())
		a.holds = r.Files.Level == sandbox.Held && r.Network.Level == sandbox.Held
	})
	return a.holds
}

// grant keeps a grant for a project.
func (a *app) grant(string, permission.Grant) error { return nil }
