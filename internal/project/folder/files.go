package folder

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mostNames is how many names a walk or a listing returns.
const mostNames = 200_000

// Files returns the names of the files at or below under, sorted, without secrets. In a repository these are the files
// git does not ignore, unless under itself is ignored; elsewhere all files but those in folders that hold what was
// installed or built.
func (f *Folder) Files(ctx context.Context, under string) ([]string, error) {
	return f.Fitting(ctx, under, func(string) bool { return true })
}

// Fitting returns those of Files that fit.
func (f *Folder) Fitting(ctx context.Context, under string, fits func(name string) bool) ([]string, error) {
	under, err := f.Inside(under)
	if err != nil {
		return nil, err
	}
	var names []string
	shown := func(name string) bool {
		return within(under, name) && !strings.HasSuffix(name, "/") && f.hidden("", name) == nil
	}
	if repo, err := f.Repo(); err == nil {
		if names, err = repo.Files(ctx); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(names, shown) { // git knows of none
		if names, err = f.walk(ctx, under); err != nil {
			return nil, err
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !fits(name) || !shown(name) })
	slices.Sort(names)
	return names, nil
}

func within(under, name string) bool {
	return under == "." || name == under || strings.HasPrefix(name, under) && name[len(under)] == '/'
}

var installed = map[string]bool{
	"node_modules": true, "vendor": true, "target": true, "dist": true, "build": true, "__pycache__": true, "venv": true,
	".venv": true, ".tox": true, ".cache": true, ".hg": true, ".svn": true, ".idea": true, ".gradle": true, ".next": true,
}

// kernel are the folders of a whole system that hold no files of anybody.
var kernel = map[string]bool{"proc": true, "sys": true, "dev": true, "run": true}

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
			return nil // a folder that cannot be read has no files for us
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
