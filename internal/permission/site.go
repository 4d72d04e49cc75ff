package permission

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// site is where a command would run, and by what is decided there: what its arguments name.
type site struct {
	policy Policy
	dir    string // empty: not known
}

// inProject says whether a program lies in the project or among what is thrown away, by its own name and by where its folder leads.
func inProject(v analyzer, program string) bool {
	dir, ok := v.path(filepath.Dir(program))
	where, _ := v.policy.region(dir, false)
	return ok && (where == inside && v.policy.Inside(dir) || where == temporary)
}

// path is an argument as the file it names.
func (s site) path(arg string) (string, bool) {
	switch {
	case strings.ContainsRune(arg, 0):
		return "", false
	case s.dir == "" && !filepath.IsAbs(arg):
		return "", false
	}
	return resolve(s.dir, arg), true
}

// resolve is where a path leads from dir as the system goes: a .. behind a link is above what the link leads to, and not
// beside the link.
func resolve(dir, arg string) string {
	if filepath.IsAbs(arg) {
		dir = ""
	}
	if runtime.GOOS == "windows" { // which takes .. out of a name before it looks
		return shell.Real(filepath.Join(dir, arg))
	}
	at := shell.Real("/" + dir)
	if !strings.Contains(arg, "..") {
		return shell.Real(filepath.Join(at, arg))
	}
	for part := range strings.SplitSeq(arg, "/") {
		at = shell.Real(filepath.Join(at, part))
	}
	return at
}

// touch is a risk about the file an argument names.
func (s site) touch(k hazard, arg string) risk {
	if s.policy.Confined && sink(arg) { // before it is looked at what ours leads to
		return risk{k, arg, ""}
	}
	if full := filepath.Join(s.dir, arg); filepath.IsAbs(arg) && system(filepath.Clean(arg)) || !filepath.IsAbs(arg) && system(full) {
		return risk{k, filepath.Clean(arg), ""} // before links of the kernel lead elsewhere
	}
	path, ok := s.path(arg)
	if !ok {
		return risk{later, "", "folder of " + arg + " is not known yet"}
	}
	return risk{k, path, ""}
}

// redirect is what opening a file for a redirection would do. /dev/tcp is bash's own way to open a connection.
func (s site) redirect(r shell.Redirect) []risk {
	if !r.Known {
		return []risk{{later, "", "file " + r.Path + " is only known at run time"}}
	}
	if r.Path == "/dev/null" || r.Path == "/dev/stdout" || r.Path == "/dev/stderr" || r.Path == "/dev/stdin" {
		return nil
	}
	if strings.HasPrefix(r.Path, "/dev/tcp/") || strings.HasPrefix(r.Path, "/dev/udp/") {
		return []risk{{sends, "", r.Path + " is a connection to another machine"}}
	}
	k := reads
	if r.Write {
		k = writes
	}
	return []risk{s.touch(k, r.Path)}
}

// writesTo are the files into which a command's output is redirected.
func writesTo(c shell.Command) (files []string) {
	for _, r := range c.Redirects {
		if r.Write && !(r.Known && r.Path == "/dev/null") {
			files = append(files, r.Path)
		}
	}
	return files
}
