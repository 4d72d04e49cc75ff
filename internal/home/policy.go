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

// Policy returns the policy of a project: the given mode or else the project's, the rules of the settings, and
// the lasting grants. It is made for each call, so a rule, a grant or a setting applies from the next call on.
// An empty mode is that of the settings.
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

// temporary returns the folders for temporary files. A run of a plan has only its own, if that exists by now:
// the shared one may contain the person's project, or workspaces of others. Paths are resolved, as policies
// compare them.
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

// ignoredBy returns a function that finds the paths a project's repository ignores; without a repository, none.
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

// SeatTools returns the tools of a seat in a debate. Rules about reading apply, and nobody can be asked. They
// only read, and the policy is read for each call as for an agent's.
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

// Inner returns the hosts that may be reached from a project although they are not on the public internet.
func (g *Gate) Inner(dir string) []string {
	cfg, err := g.home.Settings.Of(dir)
	if err != nil { // settings that cannot be read allow nothing
		return nil
	}
	return cfg.Strings("fetch.inner")
}

// Grants returns the file of projects' grants, in the data folder.
func (g *Gate) Grants() (kept.File, error) {
	file, err := dataFile()
	return kept.File{File: filepath.Join(filepath.Dir(file), "grants.json")}, err
}

// Confined reports whether a sandbox works on this machine; it tries once. Trying starts a program in the
// sandbox, which takes milliseconds.
func (g *Gate) Confined() bool {
	g.probe.Do(func() {
		r := sandbox.Probe(context.Background())
		g.holdsAll = r.Files.Level == sandbox.Held && r.Network.Level == sandbox.Held
		g.holdsFiles = r.Files.Level == sandbox.Held
		g.hidesInside = r.Protect.Level == sandbox.Held
	})
	return g.holdsAll
}

// Hides reports whether a sandbox can hide paths deep in a project. If not, a secret directly in the project
// stops programs from running, and a deeper one needs approval when a command names it.
func (g *Gate) Hides() bool { return g.Confined() && g.hidesInside }

// Grant stores a grant for a project.
func (g *Gate) Grant(dir string, given permission.Grant) error {
	kept, err := g.Grants()
	if err != nil {
		return err
	}
	return kept.Add(shell.Real(dir), given)
}
