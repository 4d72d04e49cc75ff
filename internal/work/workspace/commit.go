package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/scratch"
)

// Edit is one file that differs between two trees.
type Edit struct {
	Name     string `json:"name"`
	How      string `json:"how"` // A: added, M: changed, D: deleted, T: another kind of file
	Mode     string `json:"mode"`
	Old, New string `json:"-"` // hashes of the contents; zeros: none
}

// Nested means that an agent left a repository in its workspace, whose files would not be part of the commit.
type Nested struct{ Names []string }

// Error names the repositories.
func (e *Nested) Error() string {
	return "a repository was made inside the workspace: " + strings.Join(e.Names, ", ")
}

// Take commits the files of a task's clone as they are on the disk, with our own index: the clone's own .git, its
// ignores and hidden flags do not count. If nothing was changed, the commit is base itself. A Nested error comes with
// the commit: it is made, and only a person may approve it.
func (s *Space) Take(ctx context.Context, name, base, message string) (string, error) {
	tree, err := treeOf(ctx, s, name, base)
	if err != nil {
		return "", err
	}
	was, err := s.Tree(ctx, base)
	if err != nil || was == tree {
		return base, err
	}
	commit, err := s.Commit(ctx, tree, message, base)
	if err != nil {
		return "", err
	}
	edits, err := s.Edits(ctx, base, commit)
	var nested []string
	for _, e := range edits {
		if e.Mode == "160000" {
			nested = append(nested, e.Name)
		}
	}
	if len(nested) > 0 {
		err = &Nested{nested}
	}
	return commit, err
}

// takenEnd is the suffix of the index with which the files of a clone are committed; the one they were written by
// stays unchanged.
const takenEnd = ".taken"

// excludeEnd is the suffix of the file that lists what of a clone is not committed.
const excludeEnd = ".exclude"

// treeOf returns the tree of the files in a task's clone, which was made at base.
func treeOf(ctx context.Context, s *Space, name, base string) (string, error) {
	index := filepath.Join(s.dir, "index", name)
	exclude, err := excluded(s, name)
	if err != nil {
		return "", err
	}
	at := s.store.At(s.Place(name)).Indexed(index).With("core.excludesFile", exclude)
	if _, err := at.Run(ctx, nil, "read-tree", "--reset", "-i", "--index-output="+index+takenEnd, base); err != nil {
		return "", err
	}
	at = at.Indexed(index + takenEnd)
	if err := bearable(ctx, at, mostTaken); err != nil {
		return "", err
	}
	if _, err := at.Run(ctx, nil, "add", "--all"); err != nil {
		return "", fmt.Errorf("receiving the changes: %w", err)
	}
	return line(at.Run(ctx, nil, "write-tree"))
}

// excluded returns a file that tells git what of a clone must not be committed, whoever put it there.
func excluded(s *Space, name string) (string, error) {
	rules, err := os.ReadFile(filepath.Join(s.dir, sown))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	file := filepath.Join(s.dir, "index", name+excludeEnd)
	return file, os.WriteFile(file, append(rules, cacheRules(s.Place(name))...), 0o600)
}

// Commit makes a commit of a tree.
func (s *Space) Commit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	at := s.store.With("user.name", s.author[0]).With("user.email", s.author[1]).With("commit.gpgSign", "false")
	return line(at.Run(ctx, strings.NewReader(message), args...))
}

// Tree returns the tree of a commit.
func (s *Space) Tree(ctx context.Context, commit string) (string, error) {
	return line(s.store.Run(ctx, nil, "rev-parse", "--verify", "--quiet", commit+"^{tree}"))
}

// Edits returns the files that differ between two commits, by name.
func (s *Space) Edits(ctx context.Context, from, to string) (edits []Edit, err error) {
	fields, err := s.store.List(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to)
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) == 5 {
			edits = append(edits, Edit{fields[i+1], f[4], f[1], f[2], f[3]})
		}
	}
	return edits, err
}

// Patch returns the difference of two commits, as text. Names limit it; none: everything. Names that git would quote
// are not quoted, and no program of the project's settings makes the difference.
func (s *Space) Patch(ctx context.Context, from, to string, names ...string) (string, error) {
	args := append([]string{"diff-tree", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", from, to, "--"}, names...)
	out, err := s.store.With("core.quotePath", "false").Run(ctx, nil, args...)
	return string(out), err
}

// Exists reports whether a commit has a file or a folder of a name.
func (s *Space) Exists(ctx context.Context, commit, name string) bool {
	_, err := s.store.Run(ctx, nil, "cat-file", "-e", commit+":"+strings.TrimSuffix(name, "/"))
	return err == nil
}

// Merge merges two commits as trees. conflicts are the files in conflict; then there is no tree. Status 1 of git
// means conflicts; every other failure is an error.
func (s *Space) Merge(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	fields, err := s.store.List(ctx, nil, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	if len(fields) > 0 {
		tree = strings.TrimSpace(fields[0])
	}
	if e, ok := errors.AsType[*git.Error](err); ok && e.Code != 1 || err != nil && !ok || tree == "" {
		return "", nil, errors.Join(fmt.Errorf("merging %.12s and %.12s", ours, theirs), err)
	}
	for _, name := range fields[1:] {
		if name != "" {
			conflicts = append(conflicts, name)
		}
	}
	if len(conflicts) > 0 {
		return "", conflicts, nil
	}
	return tree, nil, nil
}

// Pick returns the tree of a commit's change on top of another commit. conflicts are the files in conflict; then
// there is no tree. Git has no merge of three named trees, so a commit with the wanted parent represents one side.
func (s *Space) Pick(ctx context.Context, onto, parent, commit string) (tree string, conflicts []string, err error) {
	of, err := s.Tree(ctx, onto)
	if err != nil {
		return "", nil, err
	}
	beside, err := s.Commit(ctx, of, "Another child of the same parent", parent) // so that the parent is the base of the merge
	if err != nil {
		return "", nil, err
	}
	return s.Merge(ctx, beside, commit)
}

// Know fetches the objects of a commit of the project, which moved on since the run began.
func (s *Space) Know(ctx context.Context, repo git.Repo, commit string) error {
	return s.store.Borrow(ctx, repo, commit)
}

// With makes a commit with some files from another one: a base with the tests of a change, without the change. Files
// are added by their hashes, so nothing is written to disk.
func (s *Space) With(ctx context.Context, base, from string, edits []Edit) (commit string, err error) {
	index := filepath.Join(s.dir, "index", "with-"+from)
	defer os.Remove(index) // no longer needed
	at := s.store.Indexed(index)
	if _, err := at.Run(ctx, nil, "read-tree", base); err != nil {
		return "", err
	}
	var in strings.Builder
	for _, e := range edits {
		mode := e.Mode
		if e.How == "D" {
			mode = "0"
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", mode, e.New, e.Name)
	}
	if _, err := at.Run(ctx, strings.NewReader(in.String()), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := line(at.Run(ctx, nil, "write-tree"))
	if err != nil {
		return "", err
	}
	return s.Commit(ctx, tree, "The tests of a change, without it", base)
}

// Altered makes a commit with another text in one line of a file; empty: that line does not have the expected text.
func (s *Space) Altered(ctx context.Context, commit, name string, at int, was, is string) (string, error) {
	fields, err := s.store.List(ctx, nil, "ls-tree", "-z", commit, "--", name)
	if err != nil || len(fields) == 0 {
		return "", errors.Join(fmt.Errorf("%.12s has no %s", commit, name), err)
	}
	raw, err := s.store.Run(ctx, nil, "cat-file", "blob", commit+":"+name)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(raw), "\n")
	if at > len(lines) || strings.TrimRight(lines[at-1], "\r\n") != was {
		return "", nil
	}
	lines[at-1] = is + lines[at-1][len(was):]
	blob, err := line(s.store.Run(ctx, strings.NewReader(strings.Join(lines, "")), "hash-object", "-w", "--stdin"))
	if err != nil {
		return "", err
	}
	mode, _, _ := strings.Cut(fields[0], " ")
	return s.With(ctx, commit, blob, []Edit{{Name: name, How: "M", Mode: mode, New: blob}})
}

// Line is a line of a file, and the commit that added it.
type Line struct{ Commit, Text string }

// Lines returns those of a file at a commit.
func (s *Space) Lines(ctx context.Context, commit, name string) (lines []Line, err error) {
	out, err := s.store.Run(ctx, nil, "blame", "--line-porcelain", "--no-textconv", commit, "--", name)
	if err != nil {
		return nil, err
	}
	var one Line
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			one.Text = text
			lines = append(lines, one)
		} else if len(word) == 40 && strings.Trim(word+rest, "0123456789abcdef ") == "" {
			one.Commit = word
		}
	}
	return lines, nil
}

// Mentions returns the files of a commit that contain a whole word.
func (s *Space) Mentions(ctx context.Context, commit, word string) (names []string, err error) {
	fields, err := s.store.List(ctx, nil, "grep", "-l", "-z", "-w", "-F", "-I", "--full-name", "-e", word, commit)
	for _, f := range fields {
		names = append(names, strings.TrimPrefix(f, commit+":"))
	}
	return names, err
}

// Blob returns the id of a file's content at a commit; empty: there is no such file.
func (s *Space) Blob(ctx context.Context, commit, name string) string {
	id, err := line(s.store.Run(ctx, nil, "rev-parse", "--verify", "--quiet", commit+":"+name))
	if err != nil {
		return ""
	}
	return id
}

// Point makes a ref of the store point to a commit, which is kept from then on. Without a ref, git's housekeeping may
// remove a commit that only the record names.
func (s *Space) Point(ctx context.Context, ref, commit string) error {
	_, err := s.store.Run(ctx, nil, "update-ref", "refs/"+ref, commit)
	return err
}

// FastForward moves a repository's checkout to a commit of the run. Git refuses if a file would be lost.
func (s *Space) FastForward(ctx context.Context, to git.Repo, known, commit string) error {
	if err := s.store.Deliver(ctx, to, known, commit); err != nil {
		return err
	}
	return s.store.FastForward(ctx, to, commit)
}

// Apply applies the difference of two commits to the files of a repository, and commits nothing; see git.Store.
func (s *Space) Apply(ctx context.Context, to git.Repo, from, commit string) error {
	return s.store.Apply(ctx, to, from, commit)
}

// Fits reports whether Apply can change a repository; see git.Store.
func (s *Space) Fits(ctx context.Context, to git.Repo, from, commit string) error {
	return s.store.Fits(ctx, to, from, commit)
}

// InTheWay returns the untracked files of a repository that moving it to a commit would overwrite; see git.Store.
func (s *Space) InTheWay(ctx context.Context, in git.Repo, from, commit string) ([]string, error) {
	return s.store.InTheWay(ctx, in, from, commit)
}

// Brought says how far a change of a repository's files from one commit to another got; see git.Store.
func (s *Space) Brought(ctx context.Context, in git.Repo, from, commit string) (all bool, files []string, other string, err error) {
	return s.store.Brought(ctx, in, from, commit)
}

// Withdraw restores the files that had been changed to a commit's when a process was killed.
func (s *Space) Withdraw(ctx context.Context, in git.Repo, from, commit string) error {
	return s.store.Withdraw(ctx, in, from, commit)
}

// Keep makes a repository keep a commit of the run and the notes on its ancestors; see git.Store.
func (s *Space) Keep(ctx context.Context, in git.Repo, run, known, commit string, notes map[string]string) error {
	return s.store.Keep(ctx, in, run, known, commit, s.author, notes)
}

// Remote returns the address of a repository's remote.
func (s *Space) Remote(ctx context.Context, of git.Repo, name string) (string, error) {
	return s.store.Remote(ctx, of, name)
}

// Neutral makes a temporary repository beside the run's clones from which a commit of the run can be pushed to an
// address, and calls do with its folder; see git.Store.
func (s *Space) Neutral(ctx context.Context, address string, do func(dir string) error) error {
	dir := filepath.Join(s.dir, "neutral")
	if err := scratch.RemoveAll(dir); err != nil {
		return err
	}
	defer scratch.RemoveAll(dir)
	if err := s.store.Neutral(ctx, dir, address); err != nil {
		return err
	}
	return do(dir)
}

// Branch makes a branch in a repository at a commit of the run.
func (s *Space) Branch(ctx context.Context, to git.Repo, known, commit, name string) error {
	if err := s.store.Deliver(ctx, to, known, commit); err != nil {
		return err
	}
	return s.store.MakeBranch(ctx, to, name, commit)
}
