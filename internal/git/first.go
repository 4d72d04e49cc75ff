package git

import (
	"context"
	"strings"
)

// First is the oldest commit in the history of HEAD: clones of a repository have the same one, wherever they are. If several have no
// parent, the one that git lists last counts.
func (r Repo) First(ctx context.Context) (string, error) {
	out, err := r.line(ctx, "rev-list", "--max-parents=0", "HEAD")
	all := strings.Fields(out)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[len(all)-1], nil
}
