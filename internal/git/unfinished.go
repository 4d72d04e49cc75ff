package git

import (
	"context"
	"os"
	"path/filepath"
)

// Unfinished returns the operations that were begun in the work tree and not ended, in git's words: "merge", "rebase" and so on. locked
// reports that a git process is using the index, or crashed while doing so; shallow, that the history was cut when it was fetched.
func (r Repo) Unfinished(ctx context.Context) (doing []string, locked, shallow bool, err error) {
	own, err := ownPath(ctx, r, "--git-dir")
	if err != nil {
		return nil, false, false, err
	}
	has := func(dir, name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	for _, d := range []struct{ file, doing string }{{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"}} {
		if has(own, d.file) {
			doing = append(doing, d.doing)
		}
	}
	common, err := ownPath(ctx, r, "--git-common-dir") // of a linked work tree: the repository's
	return doing, has(own, "index.lock"), has(common, "shallow"), err
}
