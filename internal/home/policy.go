package home

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// Policy is what holds in a project: its mode unless one is named, the rules of the settings, and the grants that last.
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
	p.Temp = []string{shell.Real(os.TempDir())}
	for _, line := range cfg.Rules() {
		r, err := ReadRule(line)
		if err != nil {
			return p, err
		}
		p.Rules = append(p.Rules, r)
	}
	p.Confined = g.Confined()
	kept, err := g.Grants()
	if err != nil {
		return p, err
	}
	if p.Grants, err = kept.Load(p.Workspace[0]); err != nil {
		return p, err
	}
	top := TopOf(p.Workspace[0])
	p.Fetched, err = kept.Fetched(top)
	if err == nil && len(p.Fetched) > 0 {
		committed, lost := kept.Committed(top)
		p.Fetched = append(p.Fetched, elsewhere(top, committed)...)
		p.Reviewed, err = reviewed(top, p.Fetched, committed), lost
	}
	return p, err
}

// SeatTools are the tools of a seat at the table. The rules about reading hold for them, too; nobody can be asked.
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
	return all
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
func (g *Gate) Grants() (permission.GrantFile, error) {
	file, err := dataFile()
	return permission.GrantFile{File: filepath.Join(filepath.Dir(file), "grants.json")}, err
}

// Confined says whether a sandbox holds on this machine; it is tried once.
func (g *Gate) Confined() bool {
	g.probe.Do(func() {
		r := sandbox.Probe(context.Background())
		g.holds = r.Files.Level == sandbox.Held && r.Network.Level == sandbox.Held
		g.writes = r.Files.Level == sandbox.Held
		g.covers = r.Protect.Level == sandbox.Held
	})
	return g.holds
}

// Hides says whether a sandbox can hide what lies deep in a project. Where it cannot, a secret directly in the project
// keeps programs from being run, one that lies deeper is asked about where a command names it.
func (g *Gate) Hides() bool { return g.Confined() && g.covers }

// Fetched keeps which files of a project came from outside, and which of those an agent committed since a commit.
func (g *Gate) Fetched(dir string, paths []string, since *string) error {
	kept, err := g.Grants()
	if err != nil {
		return err
	}
	real := shell.Real(dir)
	for i, path := range paths { // dir may lead through a link, policies do not
		if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok {
			paths[i] = real + string(filepath.Separator) + rest
		}
	}
	top := TopOf(real)
	if err := kept.Fetch(top, paths); err != nil || since == nil {
		return err
	}
	return committed(kept, top, *since)
}

// TopOf is the folder whose files share what is known of where they came from: the work tree's, else dir itself. dir has no links.
func TopOf(dir string) string {
	if top, err := git.Top(dir); err == nil {
		return top
	}
	return dir
}

// committed keeps which files that came from outside were committed since a commit.
func committed(kept permission.GrantFile, dir, since string) error {
	repo, err := git.Open(dir)
	if err != nil {
		return nil // it is no repository any more
	}
	ctx := context.Background()
	head, err := repo.Head(ctx)
	if err != nil || head.Hash == since {
		return err
	}
	marked, err := kept.Fetched(dir)
	if err != nil {
		return err
	}
	names := namesIn(dir, marked)
	before, err := repo.Objects(ctx, since, names)
	if err != nil {
		return fmt.Errorf("find out what was committed: %w", err)
	}
	now, err := repo.Objects(ctx, head.Hash, names)
	if err != nil {
		return fmt.Errorf("find out what was committed: %w", err)
	}
	ids := map[string]string{}
	for _, path := range marked {
		if name := nameIn(dir, path); now[name] != before[name] && now[name] != "" {
			ids[path] = now[name]
		}
	}
	return kept.Commit(dir, ids)
}

// nameIn is git's name of a path below a folder; empty: it is not below it.
func nameIn(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

func namesIn(dir string, paths []string) (names []string) {
	for _, path := range paths {
		if name := nameIn(dir, path); name != "" && !strings.Contains(name, "\n") {
			names = append(names, name)
		}
	}
	return names
}

// elsewhere are the paths below dir at which git has what an agent committed under other names. They join committed.
func elsewhere(dir string, committed map[string][]string) (paths []string) {
	if len(committed) == 0 {
		return nil
	}
	repo, err := git.Open(dir)
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, all := range committed {
		for _, id := range all {
			ids[id] = true
		}
	}
	names, err := repo.Holding(context.Background(), "HEAD", ids)
	if err != nil {
		return []string{dir + string(filepath.Separator)}
	}
	for name, id := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			path += string(filepath.Separator)
		}
		if committed[path] == nil {
			committed[path] = []string{id}
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// reviewed says of a file or folder that came from outside whether it is committed as it is now, and not by an agent: git has it, and
// nothing in it or above it has changed since. Git is asked once about all of them, and only if anybody wants to know.
func reviewed(dir string, fetched []string, committed map[string][]string) func(path string) bool {
	names := namesIn(dir, fetched)
	open := sync.OnceValues(func() (has map[string]string, changed []string) {
		repo, err := git.Open(dir)
		if err != nil {
			return nil, nil
		}
		ctx := context.Background()
		status, err := repo.Status(ctx, "")
		if err != nil {
			return nil, nil
		}
		if has, err = repo.Objects(ctx, "HEAD", names); err != nil {
			return nil, nil
		}
		for _, e := range status {
			changed = append(changed, e.Name)
		}
		for path, ids := range committed {
			if name := nameIn(dir, path); slices.Contains(ids, has[name]) {
				changed = append(changed, name)
			}
		}
		return has, changed
	})
	return func(path string) bool {
		has, changed := open()
		name := nameIn(dir, path)
		return has[name] != "" && !slices.ContainsFunc(changed, func(not string) bool {
			not = strings.TrimSuffix(not, "/")
			return not == name || strings.HasPrefix(not, name+"/") || strings.HasPrefix(name, not+"/")
		})
	}
}

// Grant keeps a grant for a project.
func (g *Gate) Grant(dir string, given permission.Grant) error {
	kept, err := g.Grants()
	if err != nil {
		return err
	}
	return kept.Add(shell.Real(dir), given)
}
