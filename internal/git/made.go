package git

import (
	"context"
	"fmt"
	"strings"
)

// Made are the files that commits of a repository have since then, by their ids, with a name from the top; but not what only remotes'
// branches and tags lead to.
func (t Tips) Made(ctx context.Context, r Repo) (map[string]string, error) {
	var in strings.Builder
	for _, tip := range t {
		fmt.Fprintln(&in, "^"+tip)
	}
	out, cut, err := r.feed(ctx, strings.NewReader(in.String()), listSize, r.environment(nil), "rev-list", "--objects",
		"--exclude=refs/remotes/*", "--exclude=refs/tags/*", "--all", "--stdin")
	if err != nil || cut {
		return nil, orCut(err)
	}
	names := map[string]string{}
	var ids strings.Builder
	for line := range strings.Lines(string(out)) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name != "" {
			names[id] = name
			fmt.Fprintln(&ids, id)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	kinds, cut, err := r.feed(ctx, strings.NewReader(ids.String()), listSize, r.environment(nil), "cat-file", "--batch-check=%(objectname) %(objecttype)")
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
