package git

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// moved is a file that two commits have differently.
type moved struct {
	name     string
	old, new string // blobs; zeros: none
}

// between are the files that differ between two trees, with their ids on both sides; renames count as one gone and one
// new.
func (s Store) between(ctx context.Context, from, to string) (list []moved, err error) {
	rows, err := s.List(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to)
	for i := 0; i+1 < len(rows); i += 2 {
		if f := strings.Fields(strings.TrimPrefix(rows[i], ":")); len(f) == 5 {
			list = append(list, moved{rows[i+1], f[2], f[3]})
		}
	}
	return list, err
}

// Apply changes the files of r by what tells two commits of the store apart, and commits nothing. It refuses, and changes nothing, where
// one of these files is not as the first commit has it: in r's HEAD, its index, or on the disk.
// All that could be lost is looked at before the first file changes; git's own check of the patch is the last one.
func (s Store) Apply(ctx context.Context, r Repo, from, to string) error {
	list, err := s.between(ctx, from, to)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range list {
		names = append(names, m.name)
		if _, err := os.Lstat(filepath.Join(r.top, filepath.FromSlash(m.name))); err == nil && strings.Trim(m.old, "0") == "" {
			return fmt.Errorf("%s exists already", m.name)
		}
	}
	changed, err := r.Status(ctx, "")
	if err != nil {
		return err
	}
	for _, e := range changed {
		if slices.Contains(names, e.Name) {
			return fmt.Errorf("%s has uncommitted changes", e.Name)
		}
	}
	since := append([]string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "HEAD", from, "--"}, names...)
	if other, err := r.list(ctx, since...); err != nil {
		return err
	} else if len(other) > 0 {
		return fmt.Errorf("%s has changed since", other[0])
	}
	if err := unfiltered(ctx, r, names); err != nil {
		return err
	}
	patch, err := s.Run(ctx, nil, "diff-tree", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil {
		return err
	}
	_, _, err = r.feed(ctx, strings.NewReader(string(patch)), 64<<10, r.environment(nil), "apply", "--whitespace=nowarn", "-")
	return err
}

// Brought says how many of the files that two commits have differently are on r's disk as the second one has them, byte for byte.
func (s Store) Brought(ctx context.Context, r Repo, from, to string) (there, all int, err error) {
	list, err := s.between(ctx, from, to)
	for _, m := range list {
		if lies(r, m.name, m.new) {
			there++
		}
	}
	return there, len(list), err
}

// Withdraw puts those files back that a process which was killed had brought to the second commit, where r is at the first. Nothing is
// lost: what they hold is in that commit. Other files are left alone.
func (s Store) Withdraw(ctx context.Context, r Repo, from, to string) error {
	list, err := s.between(ctx, from, to)
	if err != nil {
		return err
	}
	var back []string
	for _, m := range list {
		if !lies(r, m.name, m.new) {
			continue
		}
		if strings.Trim(m.old, "0") != "" {
			back = append(back, m.name)
			continue
		}
		if _, err := r.line(ctx, "rm", "--cached", "--quiet", "--ignore-unmatch", "--", ":(literal)"+m.name); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(r.top, filepath.FromSlash(m.name))); err != nil {
			return err
		}
	}
	if len(back) == 0 {
		return nil
	}
	if err := unfiltered(ctx, r, back); err != nil {
		return err
	}
	in := nul(back)
	_, _, err = r.feed(ctx, in, 64<<10, append(r.environment(nil), "GIT_LITERAL_PATHSPECS=1"), "restore", "--source="+from, "--staged",
		"--worktree", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}

// lies says whether a file has the content of a blob; zeros: whether there is none.
// Only sha1 is known here: Borrow refuses repositories of another format.
func lies(r Repo, name, blob string) bool {
	path := filepath.Join(r.top, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if strings.Trim(blob, "0") == "" {
		return os.IsNotExist(err)
	}
	if err != nil || info.Mode()&fs.ModeType != 0 {
		return false
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(raw)), raw...))
	return hex.EncodeToString(sum[:]) == blob
}

// Leads says whether a commit of r is one that another leads to, or that one itself.
func (s Store) Leads(ctx context.Context, r Repo, from, to string) bool {
	_, err := r.line(ctx, "merge-base", "--is-ancestor", from, to)
	return err == nil
}
