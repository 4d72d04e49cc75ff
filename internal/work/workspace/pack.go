package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Refs returns the refs of the run's store with their commits, sorted.
func (s *Space) Refs(ctx context.Context) (refs [][2]string, err error) {
	out, err := s.store.Run(ctx, nil, "for-each-ref", "--format=%(refname) %(objectname)")
	for line := range strings.Lines(string(out)) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs = append(refs, [2]string{name, commit})
	}
	return refs, err
}

// Pack returns everything that the refs of the run reach, down to a commit, whose earlier history is left out.
// Commits without a ref are named in addition. The bottom commit is complete, so the pack can be unpacked anywhere.
func (s *Space) Pack(ctx context.Context, bottom string, commits ...string) ([]byte, error) {
	refs, err := s.Refs(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		commits = append(commits, r[1])
	}
	slices.Sort(commits)
	in := strings.Join(slices.Compact(commits), "\n") + "\n^" + bottom + "\n"
	above, err := s.store.Run(ctx, strings.NewReader(in), "rev-list", "--objects", "--stdin")
	if err != nil {
		return nil, err
	}
	base, err := s.store.Run(ctx, nil, "rev-list", "--objects", "--no-walk", "--end-of-options", bottom)
	if err != nil {
		return nil, err
	}
	return s.store.Run(ctx, bytes.NewReader(slices.Concat(base, above)), "pack-objects", "--stdout", "--quiet", "--delta-base-offset")
}

// Unpack fills a new folder from Pack's output. Git recomputes every object's name, and checks that all of them are
// there. A file shallow tells git that the history before the bottom is missing on purpose.
func Unpack(ctx context.Context, dir, bottom string, pack []byte, refs [][2]string, author [2]string) (*Space, error) {
	s, err := Open(ctx, dir, author)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "store.git", "shallow"), []byte(bottom+"\n"), 0o600); err != nil {
		return nil, err
	}
	if _, err := s.store.Run(ctx, bytes.NewReader(pack), "index-pack", "--stdin"); err != nil {
		return nil, fmt.Errorf("unpacking its commits: %w", err)
	}
	for _, r := range refs {
		if !strings.HasPrefix(r[0], "refs/") {
			return nil, fmt.Errorf("%q is not a ref", r[0])
		}
		if _, err := s.store.Run(ctx, nil, "update-ref", r[0], r[1]); err != nil {
			return nil, err
		}
	}
	_, err = s.store.Run(ctx, nil, "rev-list", "--objects", "--quiet", "--all", "--end-of-options", bottom)
	return s, err
}
