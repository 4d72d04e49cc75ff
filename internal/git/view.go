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
// without what a copy leaves out, and with a .git as a copy has. It costs a look at each file. What is changed in the
// folder meanwhile is seen, so a copy serves better wherever it is cheap.
type View struct {
	Dir    string   // stands for the folder; empty but for those it is shown to
	From   string   // the top of what is shown
	At     string   // where it is shown: Dir, or above it
	Git    string   // what is shown as At/.git; empty: nothing is there
	Hidden []string // what is not to be seen, by path from At

	private *scratch.Dir
	all     *Views
}

// ErrCopy is why there is no view of a folder: a copy serves better, or only a copy does.
var ErrCopy = errors.New("a copy is better here")

const (
	fewFiles   = 5000 // up to so many a copy takes a moment
	mostHidden = 256  // each is a mount in each program
)

// Views knows the views that there are. Its zero value has none and is ready for use.
type Views struct {
	Able func() error // why programs cannot be shown anything on this machine; nil: they can

	mu sync.Mutex
	by map[string]*View
}

// See makes a view of dir, or fails with ErrCopy.
// Whoever asks falls back to Copies on ErrCopy.
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

// Of is the view that dir stands for; nil: dir is a folder like others.
func (s *Views) Of(dir string) *View {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[dir]
}

// Remove forgets the view, which nobody is shown any more.
func (v *View) Remove() error {
	v.all.mu.Lock()
	delete(v.all.by, v.Dir)
	v.all.mu.Unlock()
	return v.private.Remove()
}

// view decides whether a project can be seen in place of being copied: a small one is copied, since that is as fast.
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

// furnish makes the folder that stands for r's, and the .git that is shown in it.
// The .git that is shown is one of ours, as a copy has, so nothing of the repository can be written through it.
func (r Repo) furnish(ctx context.Context, v *View) error {
	v.At = filepath.Join(v.private.Path, filepath.Base(r.top)) // build tools derive names from it
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
	v.Git = filepath.Join(v.private.Path, "gitfile") // in place of a work tree's
	return os.WriteFile(v.Git, []byte("gitdir: "+filepath.Join(own, ".git")+"\n"), 0o600)
}
