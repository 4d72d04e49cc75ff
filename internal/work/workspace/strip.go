package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/socrates-cli/socrates/internal/scratch"
)

// strip removes from a folder whatever is not one of the known files, or was touched since they were written, and
// returns the files that are then missing. Links are not followed. Git compares times by the second, and ignores
// attributes and links, so both are checked here. Nobody may work in the folder.
func strip(dir string, known []string, written time.Time) (lost []string, err error) {
	usual, err := made(dir)
	if err != nil {
		return nil, err
	}
	levels := foldersOf(known)
	// A folder is entered once its parents were found to be folders and no links.
	for i, level := range levels {
		mode := usual
		if i == 0 {
			mode = fs.ModeDir | 0o700
		}
		if err := each(level, func(f *folder) error { return f.strip(dir, mode, written) }); err != nil {
			return nil, err
		}
	}
	for _, level := range levels {
		for _, f := range level {
			for name, kept := range f.files {
				if !kept {
					lost = append(lost, path.Join(f.name, name))
				}
			}
		}
	}
	return lost, nil
}

// folder is one that contains known files.
type folder struct {
	name    string
	above   *folder         // nil: it is the outermost
	files   map[string]bool // by name: they are unchanged
	folders map[string]bool // that it has
	gone    bool            // with everything below it
}

// foldersOf returns the folders of files, by depth.
func foldersOf(files []string) (levels [][]*folder) {
	all := map[string]*folder{}
	var get func(name string) (*folder, int)
	get = func(name string) (f *folder, depth int) {
		var above *folder
		if name != "." {
			above, depth = get(path.Dir(name))
			depth++
		}
		if f = all[name]; f != nil {
			return f, depth
		}
		f = &folder{name: name, above: above, files: map[string]bool{}, folders: map[string]bool{}}
		if all[name] = f; above != nil {
			above.folders[path.Base(name)] = true
		}
		if depth == len(levels) {
			levels = append(levels, nil)
		}
		levels[depth] = append(levels[depth], f)
		return f, depth
	}
	get(".")
	last, at := ".", all["."]
	for _, name := range files {
		in := path.Dir(name)
		if in != last { // files are sorted by name, so most share the folder of the one before
			at, _ = get(in)
			last = in
		}
		at.files[path.Base(name)] = false
	}
	return levels
}

// strip does it in one folder, and leaves its subfolders to the next level.
func (f *folder) strip(top string, mode fs.FileMode, written time.Time) error {
	if f.above != nil && f.above.gone {
		f.gone = true
		return nil
	}
	at := filepath.Join(top, filepath.FromSlash(f.name))
	if err := bare(at, mode); err != nil {
		if f.above == nil {
			return err
		}
		f.gone = true
		return scratch.RemoveAll(at)
	}
	d, err := os.Open(at)
	if err != nil {
		return err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	for _, e := range entries {
		name := e.Name()
		_, known := f.files[name]
		switch {
		case e.IsDir() && f.folders[name]:
		case known && !e.IsDir() && untouched(d, name, written):
			f.files[name] = true
		default:
			err = errors.Join(err, scratch.RemoveAll(filepath.Join(at, name)))
		}
	}
	return err
}

// each calls do for folders, in parallel on all processors.
func each(all []*folder, do func(*folder) error) error {
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(all) && errs[w] == nil; i += workers {
				errs[w] = do(all[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
