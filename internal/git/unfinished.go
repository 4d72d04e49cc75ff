package git

import (
	"context"
	"os"
	"path/filepath"
)

// Unfinished is what somebody began in the work tree and did not end, in git's words: "merge", "rebase" and so on. locked says that a git
// process is at work on the index, or crashed there; shallow, that the history was cut when it was fetched.
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
