package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// mostBuilt limits the builds of the checks in one clean clone. Measuring takes longer the more there is, so it is
// done for every tenth clone.
const (
	mostBuilt  = 5 * gigabyte
	looksAfter = 10
)

// built is a file of a build cache, with its last use.
type built struct {
	path string
	size int64
	used time.Time
}

// trim removes the least recently used files from the build caches below a folder, until they take three quarters of
// the limit. Only go's build cache is trimmed: it records the use of each file, and rebuilds what is missing. Modules
// must stay complete. The caller must be alone in the folder.
func trim(dir string, most int64) error {
	var files []built
	var sum int64
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		sum += info.Size()
		below, _ := filepath.Rel(dir, path)
		parts := strings.Split(filepath.ToSlash(below), "/")
		if slices.Contains(parts, "GOCACHE") || slices.Contains(parts, "go-build") {
			files = append(files, built{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	if sum <= most {
		return nil
	}
	slices.SortFunc(files, func(a, b built) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if sum <= most/4*3 {
			break
		}
		if err := os.Remove(f.path); err != nil {
			return err
		}
		sum -= f.size
	}
	return nil
}
