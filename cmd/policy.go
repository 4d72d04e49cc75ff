package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/config"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// policy is what holds in a project: its mode unless one is named, the rules of the settings, and the grants that last.
func (a *app) policy(dir string, mode permission.Mode) (permission.Policy, error) {
	cfg, err := a.settingsOf(dir)
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
		r, err := readRule(line)
		if err != nil {
			return p, err
		}
		p.Rules = append(p.Rules, r)
	}
	p.Confined = a.confined()
	shelf, err := a.grants()
	if err != nil {
		return p, err
	}
	if p.Grants, err = shelf.Load(p.Workspace[0]); err != nil {
		return p, err
	}
	p.Fetched, err = shelf.Fetched(p.Workspace[0])
	if err == nil && len(p.Fetched) > 0 {
		committed, lost := shelf.Committed(p.Workspace[0])
		p.Reviewed, err = reviewed(p.Workspace[0], p.Fetched, committed), lost
	}
	return p, err
}

// seatTools are the tools of a seat at the table. The rules about reading hold for them, too; nobody can be asked.
func (a *app) seatTools() []tool.Tool {
	all := builtin.ReadOnly()
	for i, t := range all {
		all[i].Run = func(ctx context.Context, args json.RawMessage, env tool.Env) (tool.Output, error) {
			p, err := a.policy(env.Dir, "")
			if err != nil {
				return tool.Output{}, err
			}
			env.Hides = p.Hides()
			return permission.Guarded(t, func() permission.Policy { return p }).Run(ctx, args, env)
		}
	}
	return all
}

// inner are the hosts that may be reached from a project although they are not on the public internet.
func (a *app) inner(dir string) []string {
	cfg, err := a.settingsOf(dir)
	if err != nil { // settings that cannot be read allow nothing
		return nil
	}
	return cfg.Strings("fetch.inner")
}

// readRule reads a rule of the settings. What is wrong with it is said with its place.
func readRule(line config.Line) (permission.Rule, error) {
	r, hint, err := parseRule(line.Text)
	if err != nil {
		return r, &config.Error{File: line.File, Line: line.Line, Message: "permission.rules: " + err.Error(), Hint: hint, Err: err}
	}
	r.Project = line.Layer == config.Project
	return r, nil
}

// parseRule reads a rule and checks that it names a tool. hint says what may have been meant.
func parseRule(text string) (r permission.Rule, hint string, err error) {
	if r, err = permission.ParseRule(text); err != nil {
		return r, "", err
	}
	if names := append(toolNames(), "postgres"); !slices.ContainsFunc(names, r.IsOf) && !strings.HasPrefix(r.Tool, "mcp__") {
		return r, failure.Nearest(r.Tool, names), fmt.Errorf("%q: there is no tool %s", text, r.Tool)
	}
	return r, "", nil
}

// settingsOf are the settings as they are for a project, which need not be the one we work in.
func (a *app) settingsOf(dir string) (*config.Config, error) {
	here, err := a.dir()
	if err != nil || filepath.Clean(dir) == here {
		return a.settings()
	}
	from, err := a.sources()
	if err != nil {
		return nil, err
	}
	from.ProjectDir = dir
	if from.Approved, err = a.approvedChecks(dir); err != nil {
		return nil, err
	}
	cfg, _, err := config.Load(from)
	return cfg, err
}

// grants is where the grants of projects are kept, in the data folder.
func (a *app) grants() (permission.Shelf, error) {
	file, err := dataFile()
	return permission.Shelf{File: filepath.Join(filepath.Dir(file), "grants.json")}, err
}

// confined says whether a sandbox holds on this machine; it is tried once.
func (a *app) confined() bool {
	a.probe.Do(func() {
		r := sandbox.Probe(context.Background())
		a.holds = r.Files.Level == sandbox.Held && r.Network.Level == sandbox.Held
		a.writes = r.Files.Level == sandbox.Held
		a.covers = r.Protect.Level == sandbox.Held
	})
	return a.holds
}

// hides says whether a sandbox can hide what lies deep in a project. Where it cannot, a secret directly in the project
// keeps programs from being run, one that lies deeper is asked about where a command names it.
func (a *app) hides() bool { return a.confined() && a.covers }

// fetched keeps which files of a project came from outside, and which of those an agent committed since a commit.
func (a *app) fetched(dir string, paths []string, since *string) error {
	shelf, err := a.grants()
	if err != nil {
		return err
	}
	real := shell.Real(dir)
	for i, path := range paths { // dir may lead through a link, policies do not
		if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok {
			paths[i] = real + string(filepath.Separator) + rest
		}
	}
	if err := shelf.Fetch(real, paths); err != nil || since == nil {
		return err
	}
	return committed(shelf, real, *since)
}

// committed keeps which files that came from outside were committed since a commit.
func committed(shelf permission.Shelf, dir, since string) error {
	repo, err := git.Open(dir)
	if err != nil {
		return nil // it is no repository any more
	}
	ctx := context.Background()
	head, err := repo.Head(ctx)
	if err != nil || head.Hash == since {
		return err
	}
	marked, err := shelf.Fetched(dir)
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
	return shelf.Commit(dir, ids)
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

// reviewed says of a file or folder that came from outside whether it is committed as it is now, and not by an agent. Git is asked once
// about all of them, and only if anybody wants to know.
func reviewed(dir string, fetched []string, committed map[string]string) func(path string) bool {
	open := sync.OnceValue(func() []string { // what is not
		repo, err := git.Open(dir)
		if err != nil {
			return []string{"."}
		}
		ctx := context.Background()
		changed, err := repo.Status(ctx, "")
		if err != nil {
			return []string{"."}
		}
		not, err := repo.Ignored(ctx, namesIn(dir, fetched))
		if err != nil {
			return []string{"."}
		}
		for _, e := range changed {
			not = append(not, e.Name)
		}
		now, err := repo.Objects(ctx, "HEAD", namesIn(dir, slices.Collect(maps.Keys(committed))))
		if err != nil {
			return []string{"."}
		}
		for path, id := range committed {
			if name := nameIn(dir, path); now[name] == id {
				not = append(not, name)
			}
		}
		return not
	})
	return func(path string) bool {
		name := nameIn(dir, path)
		return name != "" && !slices.ContainsFunc(open(), func(not string) bool {
			return not == "." || not == name || strings.HasPrefix(not, name+"/") || strings.HasSuffix(not, "/") && strings.HasPrefix(name, not)
		})
	}
}

// grant keeps a grant for a project.
func (a *app) grant(dir string, g permission.Grant) error {
	shelf, err := a.grants()
	if err != nil {
		return err
	}
	return shelf.Add(shell.Real(dir), g)
}
