package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Borrow puts every object of r into the store, including those that r borrows, hard-linked if the disk allows it and
// otherwise copied: what is later deleted from r stays in the store. It fails if the tree of commit is incomplete
// there, as in a partial clone. Hard links cost no space and survive a gc in the repository.
func (s Store) Borrow(ctx context.Context, r Repo, commit string) error {
	from, err := lenderOf(ctx, r)
	if err != nil {
		return err
	}
	if from.format != "sha1" {
		return fmt.Errorf("the repository uses %s for its objects; only sha1 is supported here", from.format)
	}
	to := filepath.Join(s.repo.own, "objects")
	seen := map[string]bool{}
	for dirs := []string{from.objects}; len(dirs) > 0; dirs = dirs[1:] {
		if seen[dirs[0]] {
			continue
		}
		seen[dirs[0]] = true
		if err := linkObjects(dirs[0], to); err != nil {
			return fmt.Errorf("taking the objects of %s: %w", r.top, err)
		}
		lent, err := alternates(dirs[0])
		if err != nil {
			return err
		}
		dirs = append(dirs, lent...)
	}
	if body, err := os.ReadFile(filepath.Join(filepath.Dir(from.objects), "shallow")); err == nil {
		if err := os.WriteFile(filepath.Join(s.repo.own, "shallow"), body, 0o600); err != nil {
			return err
		}
	}
	if _, err := s.Run(ctx, nil, "rev-list", "--objects", "--no-walk", "--quiet", commit); err != nil {
		return fmt.Errorf("not all files of commit %.12s are in the repository: %w", commit, err)
	}
	return nil
}

// linkObjects links the packs and loose objects of one object folder into another. If a gc removes some in the meantime, they are in a
// pack that the next attempt finds.
func linkObjects(from, to string) error {
	for try := 0; ; try++ {
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil || d.IsDir() {
				return err
			}
			kind := filepath.ToSlash(filepath.Dir(rel))
			if kind != "pack" && len(kind) != 2 || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "tmp_") {
				return nil
			}
			return link(path, filepath.Join(to, rel))
		})
		if !errors.Is(err, fs.ErrNotExist) || try == 3 {
			return err
		}
	}
}

// A hard link needs the same disk; a copy is made under a temporary name, so that a killed process leaves no incomplete object.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	switch err := os.Link(from, to); {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	part := to + ".part"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o400)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(part, to)
}

// alternates returns the object folders that one borrows from.
func alternates(objects string) (dirs []string, err error) {
	body, err := os.ReadFile(filepath.Join(objects, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			return nil, fmt.Errorf("the repository borrows objects from a folder with a line break in its name: %s", line)
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		dirs = append(dirs, line)
	}
	return dirs, err
}

// Lend gives all objects of s to another store, as Borrow does for a repository: later changes of s do not matter to it.
func (s Store) Lend(to Store) error {
	return linkObjects(filepath.Join(s.repo.own, "objects"), filepath.Join(to.repo.own, "objects"))
}

// At is s with the files of another folder. There only .gitignore files decide what is ignored: a repository in the folder may be
// anybody's.
func (s Store) At(dir string) Store {
	s.repo.dir, s.repo.top, s.repo.prefix, s.theirs, s.settings = dir, dir, "", nil, storeSettings
	return s
}

// Checkout writes the files of a commit into an empty folder. index is where the store records what it wrote, for a later check of what
// was changed.
func (s Store) Checkout(ctx context.Context, dir, index, commit string) error {
	at := s.At(dir).Indexed(index)
	if _, err := at.Run(ctx, nil, "read-tree", commit); err != nil {
		return err
	}
	_, err := at.Run(ctx, nil, "checkout-index", "--all", "--force", "--index", "--quiet")
	return err
}

// Attach gives a folder its own .git that borrows the objects of s and is at a commit, whose files were written with an index. A copy of
// that index saves checking every file again.
func (s Store) Attach(ctx context.Context, dir, index, commit string) error {
	own := filepath.Join(dir, ".git")
	r := Repo{program: s.repo.program, dir: dir, top: dir}
	if err := r.borrow(ctx, own, lender{"sha1", filepath.Join(s.repo.own, "objects"), ""}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "HEAD"), []byte(commit+"\n"), 0o600); err != nil {
		return err
	}
	return copyIndex(index, filepath.Join(own, "index"))
}

// copyIndex copies an index with its time: git compares that with a file's time, and does not trust a file that changed right after the
// index was written.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, raw, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// Deliver gives r the objects between a commit it has and one of the store. It changes nothing else in r. A later gc of
// r removes objects that no ref names, so a ref or a merge must follow.
func (s Store) Deliver(ctx context.Context, r Repo, known, commit string) error {
	pack, err := s.Run(ctx, strings.NewReader(commit+"\n^"+known+"\n"), "pack-objects", "--revs", "--stdout", "--quiet",
		"--delta-base-offset")
	if err != nil {
		return err
	}
	_, _, err = r.feed(ctx, bytes.NewReader(pack), 64<<10, r.environment(nil), "unpack-objects", "-q")
	return err
}

// FastForward moves the branch that is checked out in r, with index and files, forward to a commit. Git refuses if a
// file would be lost, including an ignored one. Files that go through a filter are refused: no filter runs. It makes no
// commit, so the person's name may be unknown.
func (s Store) FastForward(ctx context.Context, r Repo, commit string) error {
	changed, err := r.list(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "HEAD", commit)
	if err != nil {
		return err
	}
	if err := unfiltered(ctx, r, changed); err != nil {
		return err
	}
	settings, err := person(ctx, r)
	if err != nil && !errors.Is(err, errPerson) {
		return err
	}
	_, _, err = r.run(ctx, 64<<10, settings, "merge", "--ff-only", "--no-overwrite-ignore", "--no-verify", "--no-stat", "--quiet", commit)
	return err
}

// MakeBranch creates a branch of r at a commit, and fails if the name exists.
func (s Store) MakeBranch(ctx context.Context, r Repo, name, commit string) error {
	if err := s.CanBranch(ctx, r, name); err != nil {
		return err
	}
	_, err := r.line(ctx, "update-ref", "-m", "socrates: accepted", "refs/heads/"+name, commit, strings.Repeat("0", 40))
	if err != nil {
		if _, none := r.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+name); none == nil {
			return errors.New("it exists already")
		}
	}
	return err
}

// Person is who commits in r according to the person's own settings; empty: they do not say.
func (s Store) Person(ctx context.Context, r Repo) (name, email string) {
	settings, err := person(ctx, r)
	if err != nil {
		return "", ""
	}
	for _, kv := range settings {
		switch kv[0] {
		case "user.name":
			name = kv[1]
		case "user.email":
			email = kv[1]
		}
	}
	return name, email
}

// Tracked returns the files of a commit, with paths from the top of the work tree.
func (r Repo) Tracked(ctx context.Context, commit string) ([]string, error) {
	return r.list(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
}
