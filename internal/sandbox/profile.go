package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// profile is the rules in the language of macOS's Seatbelt, where the last matching rule applies. Everything is allowed
// that is not about files, the network or starting other programs: Seatbelt's own deny-by-default breaks most programs,
// and differently with each release.
func (r Rules) profile() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("(version 1)")
	line("(allow default)")
	line("(deny appleevent-send job-creation lsopen)") // each makes other processes start programs, which are under no rules
	line("(deny file-write*)")
	line(`(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))`)
	for _, p := range r.Cover {
		line("(deny file-read* (subpath %s))", quoted(p))
		line("(allow file-read-metadata (subpath %s))", quoted(p)) // the path to what may be read
	}
	for _, p := range r.Read {
		line("(allow file-read* (subpath %s))", quoted(p))
	}
	for _, p := range r.Write {
		line("(allow file-read* file-write* (subpath %s))", quoted(p))
	}
	for _, p := range r.Protect {
		line("(deny file-write* (subpath %s))", quoted(p))
	}
	for _, p := range r.Deny {
		line("(deny file-read* file-write* (subpath %s))", quoted(p))
	}
	// The folders above a protected name must stay: one could be moved away, and another put in its place.
	for _, p := range slices.Concat(r.Protect, r.Deny) {
		for dir := filepath.Dir(p); r.root(dir) != "" && dir != r.root(dir); dir = filepath.Dir(dir) {
			line("(deny file-write-unlink (literal %s))", quoted(dir))
		}
	}
	if !r.Network {
		line("(deny network*)")
	}
	switch {
	case r.Sockets:
		line("(allow network* (remote unix-socket))")
		line("(allow network* (local unix-socket))")
	case r.Network: // names are resolved by asking a program of this machine
		line("(deny network-outbound (remote unix-socket))")
		line(`(allow network-outbound (literal "/private/var/run/mDNSResponder"))`)
	}
	return b.String()
}

// quoted quotes a path as a Seatbelt string.
func quoted(p string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p) + `"`
}
