package home

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/confine"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/kept"
	"github.com/socrates-cli/socrates/internal/shell"
)

// markFetched marks in a policy which files of the project, and of others, came from outside, and which of them
// a person reviewed. A file that came from outside stays marked under its path until a person commits or
// reviews it; one that an agent commits is marked by its content, wherever it appears.
func (g *Gate) markFetched(p *permission.Policy, kept kept.File) error {
	top := TopOf(p.Workspace[0])
	marked, abroad, err := kept.Fetched(top)
	if err != nil {
		return err
	}
	committed, err := committedIn(kept, top)
	if err != nil {
		return err
	}
	p.Fetched, p.Abroad = append(marked, g.committedPaths(top, committed)...), abroad
	slices.Sort(p.Fetched)
	p.Fetched = slices.Compact(p.Fetched)
	if len(p.Fetched) > 0 {
		p.Reviewed = reviewedIn(top, p.Fetched, committed)
	}
	return nil
}

// TopOf returns the folder whose files share their origins: the root of the work tree, else dir itself. dir has
// no links.
func TopOf(dir string) string {
	if top, err := git.Top(dir); err == nil {
		return top
	}
	return dir
}

// Fetched records which files of a project came from outside, and which of those an agent committed since the
// tips of their repositories were taken. before are the tips at the beginning of the call, by the root of each
// work tree; strange means that the command could reach the network or used files from outside.
func (g *Gate) Fetched(dir string, came []string, before map[string]git.Tips, strange bool) error {
	kept, err := g.Grants()
	if err != nil {
		return err
	}
	real := shell.Real(dir)
	paths := make([]string, len(came))
	for i, path := range came { // dir may lead through a link, policies do not
		paths[i] = path
		if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok {
			paths[i] = real + string(filepath.Separator) + rest
		}
	}
	top := TopOf(real)
	if err := kept.Fetch(top, paths); err != nil {
		return err
	}
	for _, at := range slices.Sorted(maps.Keys(before)) {
		if err := markCommits(kept, at, before[at], paths, strange); err != nil {
			return fmt.Errorf("read the commits: %w", err)
		}
	}
	return markCommitsBelow(kept, before, paths)
}

// markCommits records what commits after some tips contain from outside. If the committing command could reach
// the network or used such files, that is everything new; otherwise it is the marked files.
func markCommits(kept kept.File, top string, before git.Tips, paths []string, strange bool) error {
	repo, err := git.Open(top)
	if err != nil {
		return nil // it is no repository any more
	}
	files, err := before.Made(context.Background(), repo)
	if err != nil || len(files) == 0 {
		return err
	}
	if !strange {
		if paths, _, err = kept.Fetched(top); err != nil {
			return err
		}
	}
	main := confine.MainOf(top)
	for id, name := range files {
		files[id] = filepath.Join(top, filepath.FromSlash(name))
	}
	return kept.Commit(main, top, files, paths, strange)
}

// markCommitsBelow does the same for repositories below the project that were not known to contain such files
// and now have them committed.
func markCommitsBelow(kept kept.File, before map[string]git.Tips, paths []string) error {
	below := map[string][]string{}
	for _, path := range paths {
		top := TopOf(filepath.Dir(strings.TrimSuffix(path, string(filepath.Separator))))
		if _, known := before[top]; !known {
			below[top] = append(below[top], path)
		}
	}
	for top, paths := range below {
		repo, err := git.Open(top)
		if err != nil {
			continue
		}
		has, err := repo.Objects(context.Background(), "HEAD", namesIn(top, paths))
		if err != nil {
			continue // there is no commit
		}
		ids, isReviewed := map[string]string{}, reviewedIn(top, paths, nil)
		for _, path := range paths {
			if isReviewed(path) {
				ids[has[nameIn(top, path)]] = path
			}
		}
		if err := kept.Commit(confine.MainOf(top), top, ids, paths, true); err != nil {
			return err
		}
	}
	return nil
}

// committedIn returns the ids of contents from outside that agents committed, by path in a work tree.
func committedIn(kept kept.File, top string) (map[string][]string, error) {
	main := confine.MainOf(top)
	all, err := kept.Committed(main)
	if main == top || err != nil {
		return all, err
	}
	out := map[string][]string{}
	for path, ids := range all {
		out[filepath.Join(top, strings.TrimPrefix(path, main))] = ids
	}
	return out, nil
}

// nameIn returns git's name of a path below a folder; empty: it is not below it.
func nameIn(dir, path string) string {
	name, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(name) || name == "." {
		return ""
	}
	return filepath.ToSlash(name)
}

// namesIn converts paths to names below a folder; it leaves out paths outside, and those that cannot be passed
// to git as lines.
func namesIn(dir string, paths []string) (names []string) {
	for _, path := range paths {
		if name := nameIn(dir, path); name != "" && !strings.Contains(name, "\n") {
			names = append(names, name)
		}
	}
	return names
}

// committedPaths returns the paths below top where the folder or git has content that an agent committed. Those
// under other names are added to committed. If git cannot be asked, the whole project counts as from outside.
func (g *Gate) committedPaths(top string, committed map[string][]string) (paths []string) {
	if len(committed) == 0 {
		return nil
	}
	for path := range committed {
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	repo, err := git.Open(top)
	if err != nil {
		return paths
	}
	names, err := g.committed.lookup(repo, top, committed)
	if err != nil {
		return []string{top + string(filepath.Separator)}
	}
	for name, id := range names {
		path := filepath.Join(top, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			path += string(filepath.Separator)
		}
		if committed[path] == nil {
			committed[path] = []string{id}
			paths = append(paths, path)
		}
	}
	return paths
}

// committedCache caches which contents that agents committed the last commit has, because a policy is made for
// every call.
type committedCache struct {
	mu    sync.Mutex // guards the rest
	asked string
	names map[string]string
}

// lookup asks git which of the contents are committed, once for each commit and set.
func (h *committedCache) lookup(repo git.Repo, top string, committed map[string][]string) (map[string]string, error) {
	ctx := context.Background()
	head, err := repo.Head(ctx)
	if err != nil || head.Hash == "" {
		return nil, err
	}
	ids := map[string]bool{}
	for _, all := range committed {
		for _, id := range all {
			ids[id] = true
		}
	}
	asked := strings.Join(append(slices.Sorted(maps.Keys(ids)), top, head.Hash), " ")
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked == asked {
		return h.names, nil
	}
	if h.names, err = repo.Holding(ctx, head.Hash, ids); err == nil {
		h.asked = asked
	}
	return h.names, err
}

// reviewedIn returns a function that reports whether a file or folder from outside is committed unchanged, and
// not by an agent: git has it, and nothing in it or above it has changed since. The gate calls it for many
// paths, so git is asked once about all of them, on the first call.
func reviewedIn(dir string, fetched []string, committed map[string][]string) func(path string) bool {
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

// Review marks files and folders of a project, with everything below them, as reviewed by the person; it
// returns those of them that came from outside.
func (g *Gate) Review(dir string, paths []string) (known []string, err error) {
	p, err := g.Policy(dir, "")
	if err != nil {
		return nil, err
	}
	kept, err := g.Grants()
	if err != nil {
		return nil, err
	}
	top := TopOf(p.Workspace[0])
	committed, err := committedIn(kept, top)
	if err != nil {
		return nil, err
	}
	g.committedPaths(top, committed)
	all, main, marked := slices.Clone(paths), confine.MainOf(top), map[string][]string{}
	for _, path := range paths {
		if name := nameIn(top, path); name != "" || path == top {
			all = append(all, filepath.Join(main, name))
		}
	}
	for _, path := range p.Fetched {
		marked[path] = committed[path]
	}
	return kept.Review(all, marked)
}
