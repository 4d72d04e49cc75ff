package permission

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// mostBelow is how many names below a folder are checked before a command that reads it recursively. Beyond that, a
// search in a large project is not slowed down further: unless fileFilter.complete requires certainty, the rest counts
// as harmless, and the sandbox hides secrets if Policy.Deep says so.
const mostBelow = 5000

// listed is the risk of a command that shows about a file only what its folder shows: it reads that folder.
func (s site) listed(arg string) risk {
	r := s.touch(reads, arg)
	for r.kind == reads && secret(s.policy.relative(r.path)) && filepath.Dir(r.path) != r.path {
		r.path = filepath.Dir(r.path)
	}
	return r
}

// relative is a path relative to the workspace.
func (p Policy) relative(path string) string {
	if rel, in := within(p.Workspace, path); in {
		return rel
	}
	return path
}

// readsBelow judges a command that reads everything below a folder: files that may contain secrets need approval, unless the sandbox hides
// them.
func (s site) readsBelow(arg string, argv []string) []risk {
	return s.readsBelowChosen(arg, filterOf(argv))
}

// readsBelowChosen is readsBelow with a given filter.
func (s site) readsBelowChosen(arg string, c fileFilter) []risk {
	r := s.touch(reads, arg)
	out := []risk{r}
	if where, _ := s.policy.region(r.path, false); r.kind != reads || where != inside {
		return out
	}
	if s.policy.fetched(r.path, true) {
		out = append(out, risk{kind: safe, why: fromOutside})
	}
	if found := s.secretBelow(r.path, c); found != "" {
		out = append(out, risk{unclear, "", "reads folders recursively: " + found})
	}
	return out
}

// fileFilter says which of the files below a folder a search reads.
type fileFilter struct {
	only, except []string
	hidden       bool
	followsLinks bool // follows links, too
	plainNames   bool // names that xargs would split need approval
	complete     bool // too many names to check need approval
}

// filterOf derives the filter from the options of grep and rg.
func filterOf(argv []string) (c fileFilter) {
	c.hidden = true
	if len(argv) == 0 {
		return c
	}
	if argv[0] == "rg" {
		c.hidden = slices.ContainsFunc(argv, func(a string) bool {
			return a == "--hidden" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") &&
				(strings.Contains(a, ".") || strings.Contains(a, "uu"))
		}) || slices.Contains(argv, "-u") && strings.Count(strings.Join(argv, " "), "-u") > 1
	}
	c.followsLinks = argv[0] == "diff"
	for i, a := range argv {
		c.followsLinks = c.followsLinks || strings.HasPrefix(a, "--deref") || strings.HasSuffix(argv[0], "grep") && len(a) > 1 &&
			a[0] == '-' &&
			a[1] != '-' && strings.Contains(a, "R")
		name, glob, _ := strings.Cut(a, "=")
		if (a == "-g" || a == "--glob" || a == "--include" || a == "--exclude" || a == "--exclude-dir") && i+1 < len(argv) {
			glob = argv[i+1]
		}
		switch name {
		case "--include":
			c.only = append(c.only, glob)
		case "--exclude", "--exclude-dir":
			c.except = append(c.except, glob)
		case "-g", "--glob":
			if not, ok := strings.CutPrefix(glob, "!"); ok {
				c.except = append(c.except, not)
			} else {
				c.only = append(c.only, glob)
			}
		}
	}
	return c
}

// includes reports whether a search would read a file or folder of that name.
func (c fileFilter) includes(name string, dir bool) bool {
	fits := func(glob string) bool { ok, _ := path.Match(glob, name); return ok }
	return (c.hidden || name[0] != '.') && !slices.ContainsFunc(c.except, fits) &&
		(dir || len(c.only) == 0 || slices.ContainsFunc(c.only, fits))
}

// secretBelow returns a file below dir that may contain secrets or is hidden by a rule, or why that cannot be
// determined; empty: none was found among the first names. Version control and packages of others are left out.
func (s site) secretBelow(dir string, c fileFilter) (found string) {
	seen, hides := 0, s.policy.Hides()
	filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error { // what cannot be read here cannot be read by the program
		if seen++; seen > mostBelow {
			if c.complete {
				found = "too many files to check"
			}
			return filepath.SkipAll
		}
		if err != nil || at == dir {
			return nil
		}
		switch name := d.Name(); {
		case name == ".git" || name == "node_modules" && !c.complete || c.complete && !c.includes(name, d.IsDir()) || d.IsDir() &&
			!c.includes(name, true):
			return skip(d)
		case hides != nil && c.includes(name, d.IsDir()) && hides(at):
			found = "a rule hides " + at
			return filepath.SkipAll
		case secret(name) && s.policy.Confined && slices.Contains(s.policy.Workspace, filepath.Dir(at)):
			return skip(d) // the sandbox hides it
		case secret(name) && c.includes(name, d.IsDir()):
			found = at + " may contain secrets"
			return filepath.SkipAll
		case c.plainNames && (strings.ContainsAny(name, " \t\n\r\v\f'\"\\") || name[0] == '-'):
			found = at + " has an ambiguous name"
			return filepath.SkipAll
		case c.followsLinks && d.Type()&fs.ModeSymlink != 0:
			if where, _ := s.policy.region(shell.Real(at), false); where != inside {
				found = at + " leads out of the project"
				return filepath.SkipAll
			}
		}
		return nil
	})
	return found
}

// skip skips what is below a folder.
func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}
