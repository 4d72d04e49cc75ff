package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// plan is what will be copied. It is complete before anything is written, so a folder that is too big costs a look.
type plan struct {
	src   *os.Root
	most  Limits
	left  Limits
	items []item
}

type item struct {
	dir, base string // dir with slashes; empty: the top
	link      bool
	size      int64
	mode      fs.FileMode
}

func (i item) name() string { return path.Join(i.dir, i.base) }

// list plans the files of a repository. Folders among them are repositories within it: they are copied whole.
func (p *plan) list(ctx context.Context, r Repo) error {
	names, err := r.Files(ctx)
	if err != nil {
		return err
	}
	if len(names) > p.left.Files {
		return p.tooMany()
	}
	p.items = make([]item, 0, len(names))
	at := newWalk(p.src, false)
	defer at.close()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir, base := split(strings.TrimSuffix(name, "/"))
		if base == ".git" {
			continue
		}
		from, err := at.to(dir)
		if errors.Is(err, errNoFolder) {
			continue // it went, or lies behind a link, where git sees nothing either
		}
		if err == nil {
			err = p.add(ctx, from, dir, base)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add plans one name in a folder. What is gone is skipped.
func (p *plan) add(ctx context.Context, from *os.Root, dir, base string) error {
	info, err := from.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		inner, err := from.OpenRoot(base)
		if err != nil {
			return err
		}
		defer inner.Close()
		return p.below(ctx, inner, path.Join(dir, base))
	case info.Mode()&fs.ModeSymlink == 0 && !info.Mode().IsRegular():
		return nil
	}
	i := item{dir: dir, base: base, link: !info.Mode().IsRegular(), size: info.Size(), mode: info.Mode()}
	if p.left.Files--; p.left.Files < 0 {
		return p.tooMany()
	}
	if p.left.Bytes -= i.size; p.left.Bytes < 0 {
		return fmt.Errorf("%w: its files have more than %d MB", ErrTooBig, p.most.Bytes>>20)
	}
	p.items = append(p.items, i)
	return nil
}

func (p *plan) tooMany() error {
	return fmt.Errorf("%w: it has more than %d files", ErrTooBig, p.most.Files)
}

// below plans everything below a folder but what is git's.
func (p *plan) below(ctx context.Context, from *os.Root, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := namesIn(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == ".git" {
			continue
		}
		if err := p.add(ctx, from, dir, name); err != nil {
			return err
		}
	}
	return nil
}

func namesIn(r *os.Root) ([]string, error) {
	dir, err := r.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}
