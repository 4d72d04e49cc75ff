package permission

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Need is what the sandbox must permit an allowed command to do.
type Need struct {
	Network bool
	Hosts   []string // the only hosts it may reach; none: there is no limit
	// Here means that its words name this machine, and Port which port of it; 0: any. The server it means may be in the
	// network of the conversation.
	Here  bool
	Port  int
	Write []string // folders and files outside the workspace, which exist
	Read  []string // as Write, what its words name for reading
}

// Needs is what the sandbox of an allowed command must leave open: only what its own words name, and only files that
// the decision covered. It is computed again when the program starts, since links may have changed; files that they
// lead to now but did not at the decision stay closed.
func (p Policy) Needs(argv []string, dir string) (n Need) {
	if p.Closed {
		return n
	}
	v := analyzer{site: site{p, dir}}
	open := false // some part of it may reach any host
	for _, r := range v.argv(argv, false, false, "", 0) {
		switch r.kind {
		case sends:
			n.Network = true
			n.Here, n.Port = localTarget(argv)
			n.Hosts = append(n.Hosts, p.reachableHosts(argv, dir, r)...)
			open = open || len(n.Hosts) == 0
		case writes, deletes:
			if where, _ := p.region(r.path, true); where == outside && p.wasDecided(r.path) {
				n.Write = append(n.Write, existing(r.path)...)
			}
		case reads:
			if where, _ := p.region(r.path, false); where == outside && p.wasDecided(r.path) {
				n.Read = append(n.Read, r.path)
			}
		}
	}
	if open {
		n.Hosts = nil
	}
	return n
}

// wasDecided reports whether the decision covered a file; without a list of such files, it covered all.
func (p Policy) wasDecided(path string) bool {
	return p.Decided == nil || slices.Contains(p.Decided, path)
}

// thisMachine matches an address of this machine, with or without a user and a port.
var thisMachine = pattern.Of(`^(?:[a-z+]+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?::(\d{1,5}))?(?:[/?].*)?$`)

// localTarget finds a word that names this machine, and its port.
func localTarget(argv []string) (ok bool, port int) {
	for _, a := range argv {
		if m := thisMachine().FindStringSubmatch(a); m != nil {
			port, _ = strconv.Atoi(m[1])
			return true, port
		}
	}
	return false, 0
}

// existing is path or the nearest existing folder above it; none if a link has replaced it.
func existing(path string) []string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == dir {
			return []string{dir}
		} else if err == nil || filepath.Dir(dir) == dir {
			return nil
		}
	}
}
