package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errPerson means that git does not know who commits.
var errPerson = errors.New("git does not know who you are: set user.name and user.email with git config --global")

// Commit commits the files of entries, which Status returned, as they are on disk, and nothing else; with staged, it
// also commits what was staged already. It is the only call that writes to the repository. No hook, filter or signing
// program runs, so files that go through a filter, such as those of Git LFS, are refused. The author is the one in the
// person's git settings. Files that change between Status and this call are committed as they are now. A failed commit
// may leave files staged.
func (r Repo) Commit(ctx context.Context, message string, statuses []FileStatus, staged bool) (hash string, err error) {
	settings, err := person(ctx, r)
	if err != nil {
		return "", err
	}
	var all, changed []string
	for _, e := range statuses {
		if strings.Contains(e.State, "U") || e.State == "AA" || e.State == "DD" {
			return "", fmt.Errorf("%s is in conflict: it has to be resolved first", e.Name)
		}
		if all = append(all, e.Name); e.State != "D " { // a file staged as deleted no longer exists
			changed = append(changed, e.Name)
		}
	}
	if err := unfiltered(ctx, r, changed); err != nil {
		return "", err
	}
	env := append(r.environment(append(settings, [2]string{"commit.gpgSign", "false"})), "GIT_LITERAL_PATHSPECS=1")
	list := []string{"--pathspec-from-file=-", "--pathspec-file-nul"}
	if len(changed) > 0 {
		if _, _, err := r.feed(ctx, nul(changed), 64<<10, env, slices.Concat([]string{"add", "--all"}, list)...); err != nil {
			return "", err
		}
	}
	args := []string{"commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--message=" + message}
	if !staged {
		args = slices.Concat(args, []string{"--only"}, list)
	}
	if _, _, err = r.feed(ctx, nul(all), 64<<10, env, args...); err != nil {
		return "", err
	}
	return r.Resolve(ctx, "HEAD")
}

// nul joins names as git reads them with -z: no name needs quotes.
func nul(names []string) io.Reader { return strings.NewReader(strings.Join(names, "\x00")) }

// person returns the person's settings that affect a commit: who makes it, and how line endings are converted. The
// repository's own user.name counts, too, as it does for the person's git.
func person(ctx context.Context, r Repo) ([][2]string, error) {
	out, _, err := r.feed(ctx, nil, 64<<10, personal(r), "config", "-z", "--get-regexp", `^(user\.(name|email)|core\.autocrlf)$`)
	if err != nil && !quiet(err) {
		return nil, err
	}
	var settings [][2]string
	known := map[string]bool{}
	for _, row := range fields(out) { // the last one counts
		name, value, _ := strings.Cut(row, "\n")
		settings = append(settings, [2]string{name, value})
		known[name] = value != ""
	}
	if !known["user.name"] || !known["user.email"] {
		return nil, errPerson
	}
	return settings, nil
}

// unfiltered refuses names that a filter program would change before the commit.
func unfiltered(ctx context.Context, r Repo, names []string) error {
	out, cut, err := r.feed(ctx, nul(names), listSize, r.environment(nil), "check-attr", "-z", "--stdin", "filter")
	if err != nil || cut {
		return orCut(err)
	}
	for row := range slices.Chunk(fields(out), 3) {
		if len(row) == 3 && row[2] != "unspecified" && row[2] != "unset" {
			return fmt.Errorf("%s goes through the filter %s, which is not run here: commit it with git itself", row[0], row[2])
		}
	}
	return nil
}
