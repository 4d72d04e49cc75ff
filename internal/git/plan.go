package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// plan is the content of a copy. It is complete before anything is written, so a folder that is too big costs only a scan.
type plan struct {
	most    Limits
	left    Limits
	items   []item
	omitted []string // what is left out: git's own files, and what is not a file, folder or link
}

// item is a file or a link to copy.
type item struct {
	name      string // from the top, with slashes
	dir, base string
	is        look
}

// survey plans a copy of the work tree of r; without a program, of the plain folder at its top. git says which files
// belong to the project, and each is checked without following links.
func survey(ctx context.Context, r Repo, limits Limits) (*plan, error) {
	p := &plan{most: limits, left: limits}
	top, err := openFolder(r.top)
	if err != nil {
		return nil, err
	}
	if r.program == "" {
		defer top.close()
		return p, p.below(ctx, top, "")
	}
	at := newWalk(top, nil)
	defer at.close()
	names, err := r.Files(ctx)
	if err != nil {
		return nil, err
	}
	if len(names) > p.left.Files {
		return nil, p.tooMany()
	}
	p.items = make([]item, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir, base := split(strings.TrimSuffix(name, "/"))
		if base == ".git" {
			continue
		}
		from, err := at.to(dir)
		if errors.Is(err, errNoFolder) {
			continue // it vanished, or is behind a link, where git sees nothing either
		}
		if err == nil {
			err = p.add(ctx, from, dir, base)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add plans one name in a folder. If it no longer exists, it is skipped. A folder is a nested repository: it is copied completely.
func (p *plan) add(ctx context.Context, from folder, dir, base string) error {
	is, err := from.look(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	i := item{name: path.Join(dir, base), dir: dir, base: base, is: is}
	switch is.kind {
	case other:
		p.omitted = append(p.omitted, i.name)
		return nil
	case kindDir:
		inner, err := from.open(base)
		if err != nil {
			return fmt.Errorf("%q: %w", i.name, err)
		}
		defer inner.close()
		return p.below(ctx, inner, i.name)
	}
	if p.left.Files--; p.left.Files < 0 {
		return p.tooMany()
	}
	if p.left.Bytes -= is.size; p.left.Bytes < 0 {
		return fmt.Errorf("%w: its files exceed %d MB", errTooBig, p.most.Bytes>>20)
	}
	p.items = append(p.items, i)
	return nil
}

// tooMany is the error that the limits are exceeded, with the limit.
func (p *plan) tooMany() error {
	return fmt.Errorf("%w: it has more than %d files", errTooBig, p.most.Files)
}

// below plans everything below a folder except what is git's.
func (p *plan) below(ctx context.Context, from folder, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := from.names()
	if err != nil {
		return fmt.Errorf("%q: %w", dir, err)
	}
	for _, name := range names {
		if name == ".git" {
			p.omitted = append(p.omitted, path.Join(dir, name))
			continue
		}
		if err := p.add(ctx, from, dir, name); err != nil {
			return err
		}
	}
	return nil
}
