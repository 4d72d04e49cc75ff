package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/socrates-cli/socrates/internal/scratch"
)

// View is a folder that is shown instead of copied, to programs that the system keeps from writing: at another place,
// without what a copy leaves out, and with a .git like that of a copy. It costs a stat of each file. Changes in the
// folder are visible meanwhile, so a copy is better wherever it is cheap.
type View struct {
	Dir    string   // the place of the folder; empty except for the programs it is shown to
	From   string   // the top of what is shown
	At     string   // where it is shown: Dir, or above it
	Git    string   // what is shown as At/.git; empty: nothing
	Hidden []string // what is hidden, by path from At

	private *scratch.Dir
	all     *Views
}

// ErrCopy means that there is no view of a folder: a copy is better, or the only way.
var ErrCopy = errors.New("a copy is better here")

const (
	fewFiles   = 5000 // up to this number a copy takes a moment
	mostHidden = 256  // each is a mount in each program
)

// Views has the existing views. Its zero value is empty and ready for use.
type Views struct {
	Able func() error // why this machine cannot show programs a view; nil: it can

	mu sync.Mutex
	by map[string]*View
}

// See makes a view of dir, or fails with ErrCopy, after which the caller falls back to Copies.
func (s *Views) See(ctx context.Context, dir string, limits Limits) (*View, error) {
	if s == nil || s.Able != nil && s.Able() != nil {
		return nil, ErrCopy
	}
	r, err := original(dir)
	if err != nil {
		return nil, fmt.Errorf("showing the folder: %w", err)
	}
	if err := outside(r.top, os.TempDir()); err != nil {
		return nil, fmt.Errorf("showing %s: %w", r.top, err)
	}
	v, err := r.view(ctx, limits.orDefault())
	if err != nil {
		return nil, fmt.Errorf("showing %s: %w", r.top, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]*View{}
	}
	s.by[v.Dir], v.all = v, s
	return v, nil
}

// Of returns the view at dir; nil: dir is an ordinary folder.
func (s *Views) Of(dir string) *View {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[dir]
}

// Remove removes the view, which must not be shown to a program any more.
func (v *View) Remove() error {
	v.all.mu.Lock()
	delete(v.all.by, v.Dir)
	v.all.mu.Unlock()
	return v.private.Remove()
}

// view decides whether a project is shown instead of copied: a small one is copied, since that is as fast.
func (r Repo) view(ctx context.Context, limits Limits) (*View, error) {
	p, err := survey(ctx, r, limits)
	if err != nil {
		return nil, err
	}
	if len(p.items) <= fewFiles {
		return nil, ErrCopy
	}
	v := &View{From: r.top, Hidden: p.omitted}
	if r.program != "" {
		ignored, err := r.list(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
		if err != nil {
			return nil, err
		}
		for _, name := range ignored {
			v.Hidden = append(v.Hidden, strings.TrimSuffix(name, "/"))
		}
	}
	if len(v.Hidden) > mostHidden {
		return nil, ErrCopy
	}
	if v.private, err = scratch.New("view"); err != nil {
		return nil, err
	}
	if err := r.furnish(ctx, v); err != nil {
		return nil, errors.Join(err, v.private.Remove())
	}
	return v, nil
}

// furnish creates the folder that stands for r's, and the .git that is shown in it. That .git is one of ours, like that
// of a copy, so nothing of the repository can be written through it.
func (r Repo) furnish(ctx context.Context, v *View) error {
	v.At = filepath.Join(v.private.Path, filepath.Base(r.top)) // build tools derive names from the folder's
	v.Dir = filepath.Join(v.At, filepath.FromSlash(r.prefix))
	if err := os.MkdirAll(v.Dir, 0o700); err != nil {
		return err
	}
	if r.program == "" {
		return nil
	}
	info, err := os.Lstat(filepath.Join(r.top, ".git"))
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return ErrCopy // it is elsewhere, and nothing can be shown in its place
	}
	own := filepath.Join(v.private.Path, "own")
	if err := os.Mkdir(own, 0o700); err != nil {
		return err
	}
	from, err := lenderOf(ctx, r)
	if err != nil {
		return err
	}
	if err := (Repo{program: r.program, dir: own, top: own}).borrow(ctx, filepath.Join(own, ".git"), from); err != nil {
		return err
	}
	if v.Git = filepath.Join(own, ".git"); info.IsDir() {
		return nil
	}
	v.Git = filepath.Join(v.private.Path, "gitfile") // replaces that of a work tree
	return os.WriteFile(v.Git, []byte("gitdir: "+filepath.Join(own, ".git")+"\n"), 0o600)
}
