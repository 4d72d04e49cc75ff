package folder

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// mostNames is the maximum number of names in a walk or a listing.
const mostNames = 200_000

// Files returns the names of the files at or below under, sorted, without secrets. In a repository these are the files
// git does not ignore, unless under is among ignored ones; elsewhere all files except those in folders of installed or
// built files. Files that git tracks count even if they were deleted from the work tree; reading one says that it is
// missing. Submodules and other repositories below are not entered, unless the folder has nothing else.
func (f *Folder) Files(ctx context.Context, under string) ([]string, error) {
	return f.Fitting(ctx, under, func(string) bool { return true })
}

// Fitting returns those of Files that fit. fits is called before secrets are searched for, since it is cheaper.
func (f *Folder) Fitting(ctx context.Context, under string, fits func(name string) bool) ([]string, error) {
	under, err := f.Inside(under)
	if err != nil {
		return nil, err
	}
	var names []string
	shown := func(name string) bool {
		return within(under, name) && !strings.HasSuffix(name, "/") && f.hidden("", name) == nil
	}
	walks := true
	if repo, err := f.Repo(); err == nil {
		if names, err = repo.Files(ctx); err != nil {
			return nil, err
		}
		walks = !slices.ContainsFunc(names, shown) && (under != "." || f.foreign(ctx, repo, names))
	}
	if walks {
		if names, err = f.walk(ctx, under); err != nil {
			return nil, err
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !fits(name) || !shown(name) })
	slices.Sort(names)
	return names, nil
}

// foreign reports whether the repository says nothing about the folder: it ignores it, or has only other repositories in it.
func (f *Folder) foreign(ctx context.Context, repo git.Repo, names []string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "/") }) {
		return true
	}
	ignores, err := f.ignores(ctx, repo, ".")
	return ignores || err != nil
}

// ignores reports whether a rule of the repository matches name or a folder above it. The top of a repository is never ignored.
func (f *Folder) ignores(ctx context.Context, repo git.Repo, name string) (bool, error) {
	if name == "." && repo.Top() == f.dir {
		return false, nil
	}
	names, err := repo.Ignored(ctx, []string{name})
	return len(names) > 0, err
}

// Listed returns the entries of a folder by name, and how many were left out because git ignores them. In a folder that
// git ignores none are left out; what git tracks is listed even if a rule matches it. If git cannot be used everything
// is listed: a tool that shows too much is better than one that fails.
func (f *Folder) Listed(ctx context.Context, name string) (items []Item, ignored int, err error) {
	if items, err = f.Items(name); err != nil {
		return nil, 0, err
	}
	repo, err := f.Repo()
	if err != nil {
		return items, 0, nil
	}
	name, err = f.Inside(name)
	if err != nil {
		return nil, 0, err
	}
	if whole, err := f.ignores(ctx, repo, name); whole || err != nil { // for example because it is behind a link
		return items, 0, ctx.Err()
	}
	left, err := f.ignored(ctx, repo, name, items)
	if err != nil {
		return items, 0, ctx.Err()
	}
	items = slices.DeleteFunc(items, func(e Item) bool { return left[path.Join(name, e.Name)] })
	return items, len(left), nil
}

// ignored returns the entries of a folder that git ignores and that contain nothing it tracks.
func (f *Folder) ignored(ctx context.Context, repo git.Repo, under string, items []Item) (map[string]bool, error) {
	all := make([]string, len(items))
	for i, e := range items {
		all[i] = path.Join(under, e.Name)
	}
	names, err := repo.Ignored(ctx, all)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	left := map[string]bool{}
	for _, name := range names {
		left[name] = true
	}
	files, err := repo.Files(ctx)
	for _, file := range files {
		if below, ok := strings.CutPrefix(file, strings.TrimPrefix(under+"/", "./")); ok {
			entry, _, _ := strings.Cut(below, "/")
			delete(left, path.Join(under, entry))
		}
	}
	return left, err
}

// within reports whether a name is a folder or below it.
func within(under, name string) bool {
	return under == "." || name == under || strings.HasPrefix(name, under) && name[len(under)] == '/'
}

// installed are folders of installed or built files, by name alone: nobody asks about their files.
var installed = map[string]bool{
	"node_modules": true, "vendor": true, "target": true, "dist": true, "build": true, "__pycache__": true, "venv": true,
	".venv": true, ".tox": true, ".cache": true, ".hg": true, ".svn": true, ".idea": true, ".gradle": true, ".next": true,
}

// kernel are the folders of a whole system that contain nobody's files.
var kernel = map[string]bool{"proc": true, "sys": true, "dev": true, "run": true}

// walk lists the files below a folder without git. Links to files are listed and not followed, unreadable folders count
// as empty, and at mostNames it stops.
func (f *Folder) walk(ctx context.Context, under string) ([]string, error) {
	start, err := f.real(under)
	if err != nil {
		return nil, err
	}
	var names []string
	err = fs.WalkDir(f.root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // an unreadable folder has no files for us
		case f.hidden("", name) != nil || d.IsDir() && name != start && (installed[d.Name()] || f.root.Name() == "/" && kernel[name]):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && d.Type()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) == 0:
			if start != "." {
				name = path.Join(under, strings.TrimPrefix(name, start))
			}
			names = append(names, name)
		}
		if len(names) >= mostNames {
			return fs.SkipAll
		}
		return nil
	})
	return names, err
}
