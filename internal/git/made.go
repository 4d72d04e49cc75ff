package git

import (
	"context"
	"fmt"
	"strings"
)

// Made returns the files in commits made in a repository since the tips, by their ids, with a name from the top. It
// leaves out commits that only remotes' branches and tags lead to: those were fetched, not made.
func (t Tips) Made(ctx context.Context, r Repo) (map[string]string, error) {
	names := map[string]string{}
	walks := [][]string{append(t.starts(ctx, r), "--exclude=refs/remotes/*", "--exclude=refs/tags/*", "--all"),
		{"--tags", "--not", "--remotes"}}
	for _, from := range walks {
		var in strings.Builder
		for _, tip := range t {
			fmt.Fprintln(&in, "^"+tip)
		}
		args := append([]string{"rev-list", "--objects", "--stdin"}, from...)
		out, cut, err := r.feed(ctx, strings.NewReader(in.String()), listSize, r.environment(nil), args...)
		if err != nil || cut {
			return nil, orCut(err)
		}
		for line := range strings.Lines(string(out)) {
			if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name != "" {
				names[id] = name
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	var ids strings.Builder
	for id := range names {
		fmt.Fprintln(&ids, id)
	}
	kinds, cut, err := r.feed(ctx, strings.NewReader(ids.String()), listSize, r.environment(nil), "cat-file",
		"--batch-check=%(objectname) %(objecttype)")
	if err != nil || cut {
		return nil, orCut(err)
	}
	for line := range strings.Lines(string(kinds)) {
		if id, kind, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind != "blob" {
			delete(names, id)
		}
	}
	return names, nil
}

// starts are commits since the tips that no ref names any more, but that HEAD was at or that were stashed.
func (t Tips) starts(ctx context.Context, r Repo) (commits []string) {
	known := map[string]bool{}
	for _, commit := range t {
		known[commit] = true
	}
	for _, log := range []string{"HEAD", "refs/stash"} {
		out, _, err := r.run(ctx, listSize, nil, "rev-list", "--walk-reflogs", log)
		if err != nil {
			continue // the log does not exist
		}
		for _, commit := range strings.Fields(string(out)) {
			if !known[commit] {
				commits, known[commit] = append(commits, commit), true
			}
		}
	}
	return commits
}
