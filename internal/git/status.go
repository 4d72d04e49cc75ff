package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// FileStatus is one file that differs from its committed state, with git's two letters: index against HEAD, work tree against index. "??"
// is an untracked file.
type FileStatus struct{ State, Name string }

// Status lists what changed at or below name; empty: everything. A rename is two entries; submodules, and what the
// person's own rules ignore, are left out.
func (r Repo) Status(ctx context.Context, name string) ([]FileStatus, error) {
	paths, err := r.pathspec(name)
	if err != nil {
		return nil, err
	}
	off, err := filtersOff(ctx, r)
	if err != nil {
		return nil, err
	}
	own, err := excluding(ctx, r)
	if err != nil {
		return nil, err
	}
	args := append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all",
		"--"}, paths...)
	out, cut, err := r.run(ctx, listSize, append(off, own...), args...)
	if err != nil || cut {
		return nil, fmt.Errorf("listing what changed: %w", orCut(err))
	}
	var changed []FileStatus
	for _, row := range fields(out) { // names are from the top of the work tree, whatever the folder
		if inside, ok := strings.CutPrefix(row[min(3, len(row)):], r.prefix); ok && len(row) > 3 {
			changed = append(changed, FileStatus{row[:2], inside})
		}
	}
	return changed, nil
}

// Ignored returns those of names that the repository's rules ignore, whether or not it tracks them.
func (r Repo) Ignored(ctx context.Context, names []string) ([]string, error) {
	out, cut, err := r.feed(ctx, nul(names), listSize, r.environment(nil), "check-ignore", "-z", "--stdin", "--no-index")
	if err != nil && !quiet(err) || cut {
		return nil, orCut(err)
	}
	return fields(out), nil
}

// Origin says where a line comes from. Like Commit it names no author.
type Origin struct {
	Hash, Date, Subject string // Hash is all zeros for a line that is not committed
	Line, Was           int    // its number in the current file, and in that commit
	Text                string
}

// Blame returns where lines from to to of a file come from, as of rev; an empty rev is the file as it is now. Lines
// count from 1; a range beyond the end of the file is an error of git.
func (r Repo) Blame(ctx context.Context, rev, name string, from, to int) ([]Origin, error) {
	if _, err := r.pathspec(name); err != nil || name == "" {
		return nil, fmt.Errorf("%q is not a file in the project", name)
	}
	args := []string{"blame", "--line-porcelain", "--no-textconv", "-L", fmt.Sprintf("%d,%d", from, to)}
	if rev != "" {
		hash, err := r.Resolve(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, hash)
	}
	off, err := filtersOff(ctx, r)
	if err != nil {
		return nil, err
	}
	out, cut, err := r.run(ctx, listSize, off, append(args, "--", name)...)
	if err != nil || cut {
		return nil, orCut(err)
	}
	return origins(string(out)), nil
}

// day formats a time from git as a date.
func day(seconds string) string {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return ""
	}
	return time.Unix(n, 0).UTC().Format(time.DateOnly)
}

// origins parses git's porcelain format: a head, fields, and the line after a tab.
func origins(out string) []Origin {
	var all []Origin
	var one Origin
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "\t"):
			one.Text = line[1:]
			all = append(all, one)
		case word == "author-time":
			one.Date = day(rest)
		case word == "summary":
			one.Subject = rest
		case len(word) >= 40 && strings.Trim(word, "0123456789abcdef") == "":
			numbers := strings.Fields(rest)
			one = Origin{Hash: word}
			if len(numbers) > 1 {
				one.Was, _ = strconv.Atoi(numbers[0])
				one.Line, _ = strconv.Atoi(numbers[1])
			}
		}
	}
	return all
}
