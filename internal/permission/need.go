package permission

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// Need is what a command has to be let do by a sandbox, once it was allowed.
type Need struct {
	Network bool
	Hosts   []string // all that it may reach; none: there is no limit
	// Here says that its words name this machine, and Port which port of it; 0: any. A server it means may be one in the
	// network of the conversation.
	Here  bool
	Port  int
	Write []string // folders and files outside the workspace, which exist
	Read  []string // likewise, what its words name to be read
}

// Needs is what the sandbox of an allowed command must leave open: only what its own words say, and of files only
// those it was decided about. It is computed again as the program starts, since links may lead elsewhere by then;
// what they lead to now but did not when it was decided stays closed.
func (p Policy) Needs(argv []string, dir string) (n Need) {
	if p.Closed {
		return n
	}
	v := analyzer{site: site{p, dir}}
	open := false // something of it may reach any host
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

// wasDecided says whether a file was among those decided about; without such a list, any is.
func (p Policy) wasDecided(path string) bool {
	return p.Decided == nil || slices.Contains(p.Decided, path)
}

// thisMachine is an address of this machine, with or without a user and a port.
var thisMachine = pattern.Of(`^(?:[a-z+]+://)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?::(\d{1,5}))?(?:[/?].*)?$`)

// localTarget finds a word that names this machine, and a port with it.
func localTarget(argv []string) (ok bool, port int) {
	for _, a := range argv {
		if m := thisMachine().FindStringSubmatch(a); m != nil {
			port, _ = strconv.Atoi(m[1])
			return true, port
		}
	}
	return false, 0
}

// existing is the nearest of path and the folders above it that is there; none if a link has taken its place.
func existing(path string) []string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == dir {
			return []string{dir}
		} else if err == nil || filepath.Dir(dir) == dir {
			return nil
		}
	}
}
