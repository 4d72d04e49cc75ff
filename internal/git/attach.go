package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// attach gives each copy of r's files its own .git that borrows r's objects. git creates the first copy's .git, and the
// others are copies of it, since starting git costs more than copying a few small files.
func (r Repo) attach(ctx context.Context, copies []*Copy) error {
	from, err := lenderOf(ctx, r)
	if err != nil {
		return err
	}
	for i, c := range copies {
		c.repo, c.head = Repo{program: r.program, dir: c.top, top: c.top}, from.head
		own := filepath.Join(c.top, ".git")
		if i > 0 { // all are the same
			if err := os.CopyFS(own, os.DirFS(filepath.Join(copies[0].top, ".git"))); err != nil {
				return err
			}
		} else if err := c.repo.borrow(ctx, own, from); err != nil {
			return err
		}
		if err := c.knowGit(); err != nil {
			return err
		}
	}
	return nil
}

// lender is a repository whose objects another one reads.
type lender struct {
	format, objects string
	head            string // a commit; empty: there is none
}

// lenderOf finds where a repository stores its objects, so that another one can read them without a copy.
func lenderOf(ctx context.Context, r Repo) (l lender, err error) {
	head, err := r.Head(ctx)
	if err != nil {
		return l, err
	}
	l.head = head.Hash
	if l.format, err = r.line(ctx, "rev-parse", "--show-object-format"); err != nil {
		return l, err
	}
	l.objects, err = ownPath(ctx, r, "--git-path", "objects")
	return l, err
}

// borrow creates the git dir own for r, which reads the objects of another repository and is at its commit. It uses no
// template and no setting of the person, so the new git dir has no hook and nothing that names a program.
func (r Repo) borrow(ctx context.Context, own string, from lender) error {
	if _, err := r.line(ctx, "init", "--quiet", "--template=", "--object-format="+from.format); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(own, "objects", "info"), 0o700); err != nil {
		return err
	}
	alternate := filepath.ToSlash(from.objects)
	if strings.Contains(alternate, "\n") { // git parses a line that begins with a quote as a C string
		alternate = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(alternate) + `"`
	}
	if err := os.WriteFile(filepath.Join(own, "objects", "info", "alternates"), []byte(alternate+"\n"), 0o600); err != nil {
		return err
	}
	// The end of a shallow history must be known, or its oldest commits look damaged.
	if body, err := os.ReadFile(filepath.Join(filepath.Dir(from.objects), "shallow")); err == nil {
		if err := os.WriteFile(filepath.Join(own, "shallow"), body, 0o600); err != nil {
			return err
		}
	}
	if from.head == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(own, "HEAD"), []byte(from.head+"\n"), 0o600); err != nil {
		return err
	}
	_, err := r.line(ctx, "read-tree", "HEAD")
	return err
}

// ownPath asks git for one of its own paths, whatever bytes it contains.
func ownPath(ctx context.Context, r Repo, what ...string) (string, error) {
	out, cut, err := r.run(ctx, 64<<10, nil, append([]string{"rev-parse", "--path-format=absolute"}, what...)...)
	if err == nil && cut {
		err = errors.New("git rev-parse printed more than a path")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), err
}
