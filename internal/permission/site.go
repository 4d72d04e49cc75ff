package permission

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// site is where a command would run, with the policy that applies there: it resolves what arguments name.
type site struct {
	policy Policy
	dir    string // empty: not known
}

// inProject reports whether a program is in the project or among temporary files, both by its own name and by where its folder leads.
func inProject(v analyzer, program string) bool {
	dir, ok := v.path(filepath.Dir(program))
	where, _ := v.policy.region(dir, false)
	return ok && (where == inside && v.policy.Inside(dir) || where == temporary)
}

// path returns the file that an argument names.
func (s site) path(arg string) (string, bool) {
	switch {
	case strings.ContainsRune(arg, 0):
		return "", false
	case s.dir == "" && !filepath.IsAbs(arg):
		return "", false
	}
	return resolve(s.dir, arg), true
}

// resolve returns where a path leads from dir in the way the system resolves it: a .. after a link is above the link's
// target, and not beside the link.
func resolve(dir, arg string) string {
	if filepath.IsAbs(arg) {
		dir = ""
	}
	if runtime.GOOS == "windows" { // Windows removes .. from a name before it resolves it
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

// touch is the risk of accessing the file that an argument names.
func (s site) touch(k hazard, arg string) risk {
	if s.policy.Confined && sink(arg) { // before following links: ours may lead elsewhere
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

// redirect is the risk of opening a file for a redirection. /dev/tcp is bash's own way to open a connection.
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
