package permission

import "path/filepath"

// Need is what a command has to be let do by a sandbox, once it was allowed.
type Need struct {
	Network bool
	Write   []string // folders and files outside the workspace, which exist
}

// Needs is what the sandbox of an allowed command must leave open: only what its own words say.
func (p Policy) Needs(argv []string, dir string) (n Need) {
	v := viewer{policy: p, dir: dir}
	for _, r := range v.argv(argv, false, false, "", 0) {
		switch r.kind {
		case sends:
			n.Network = true
		case writes, deletes:
			if where, _ := p.place(r.path, true); where == outside {
				n.Write = append(n.Write, existing(r.path))
			}
		}
	}
	return n
}

// existing is the nearest of path and the folders above it that is there.
func existing(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		if filepath.Dir(dir) == dir {
			return dir
		}
	}
}
