package home

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// Policy is what holds in a project: its mode unless one is named, the rules of the settings, and the grants that last.
// It is made for each call, so a rule, a grant or a setting holds from the next call on. An empty mode is that of the
// settings.
func (g *Gate) Policy(dir string, mode permission.Mode) (permission.Policy, error) {
	cfg, err := g.home.Settings.Of(dir)
	if err != nil {
		return permission.Policy{}, err
	}
	if mode == "" {
		mode = permission.Mode(cfg.String("permission.mode"))
	}
	p, err := permission.NewPolicy(mode, dir)
	if err != nil {
		return p, failure.Usage(err.Error(), "")
	}
	p.Temp = g.temporary(p.Workspace[0])
	for _, line := range cfg.Rules() {
		r, err := ReadRule(line)
		if err != nil {
			return p, err
		}
		p.Rules = append(p.Rules, r)
	}
	p.Confined, p.Deep, p.Ignored = g.Confined(), g.Hides(), ignoredBy(p.Workspace[0])
	p.Reaches = p.Confined && sandbox.Cells() == nil
	kept, err := g.Grants()
	if err != nil {
		return p, err
	}
	if p.Grants, err = kept.Load(p.Workspace[0]); err != nil {
		return p, err
	}
	return p, g.markFetched(&p, kept)
}

// temporary are folders for what is thrown away. What works for a run of a plan has ours alone, if there is one by now: in the one that all
// programs share, the person's project may lie, or the workspaces of others.
// Paths are real, as policies compare them.
func (g *Gate) temporary(workspace string) []string {
	folder, err := g.home.Runs()
	if rel, rerr := filepath.Rel(shell.Real(folder), workspace); err != nil || rerr != nil || !filepath.IsLocal(rel) {
		return []string{shell.Real(os.TempDir())}
	}
	if own := scratch.Root(); own != "" {
		return []string{own}
	}
	return nil
}

// ignoredBy says which files of a project its repository ignores; where there is none, none are.
func ignoredBy(dir string) func(paths []string) ([]string, error) {
	return func(paths []string) ([]string, error) {
		r, err := git.Open(dir)
		if errors.Is(err, git.ErrNone) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return r.Ignored(context.Background(), paths)
	}
}

// SeatTools are the tools of a seat at the table. The rules about reading hold for them, too; nobody can be asked.
// They only read, and the policy is read for each call as for an agent's.
func (g *Gate) SeatTools() []tool.Tool {
	all := builtin.ReadOnly()
	for i, t := range all {
		all[i].Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
			p, err := g.Policy(env.Dir, "")
			if err != nil {
				return tool.Output{}, err
			}
			env.Hides = p.Hides()
			return permission.Guarded(t, func() permission.Policy { return p }).Run(ctx, args, env)
		}
	}
	return append(all, g.seatSearch()...)
}

// Inner are the hosts that may be reached from a project although they are not on the public internet.
func (g *Gate) Inner(dir string) []string {
	cfg, err := g.home.Settings.Of(dir)
	if err != nil { // settings that cannot be read allow nothing
		return nil
	}
	return cfg.Strings("fetch.inner")
}

// Grants is where the grants of projects are kept, in the data folder.
func (g *Gate) Grants() (kept.File, error) {
	file, err := dataFile()
	return kept.File{File: filepath.Join(filepath.Dir(file), "grants.json")}, err
}

// Confined says whether a sandbox holds on this machine; it is tried once.
// Trying starts a program in the sandbox, which takes milliseconds.
func (g *Gate) Confined() bool {
	g.probe.Do(func() {
		r := sandbox.Probe(context.Background())
		g.holdsAll = r.Files.Level == sandbox.Held && r.Network.Level == sandbox.Held
		g.holdsFiles = r.Files.Level == sandbox.Held
		g.hidesInside = r.Protect.Level == sandbox.Held
	})
	return g.holdsAll
}

// Hides says whether a sandbox can hide what lies deep in a project. Where it cannot, a secret directly in the project
// keeps programs from being run, one that lies deeper is asked about where a command names it.
func (g *Gate) Hides() bool { return g.Confined() && g.hidesInside }

// Grant keeps a grant for a project.
func (g *Gate) Grant(dir string, given permission.Grant) error {
	kept, err := g.Grants()
	if err != nil {
		return err
	}
	return kept.Add(shell.Real(dir), given)
}
