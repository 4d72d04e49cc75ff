package permission

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// region is where a path lies, as decisions see it. The zero value is the workspace: code must ask region() and not
// assume.
type region int

const (
	inside    region = iota // the workspace
	temporary               // a folder for what is thrown away
	outside
	never // what may not be touched this way at all
)

// region finds where a path lies. It is absolute and its links are followed. why explains a place other than inside.
func (p Policy) region(path string, write bool) (where region, why string) {
	if path == "" || !filepath.IsAbs(path) {
		return outside, "location unknown"
	}
	if strings.ContainsFunc(path, unicode.IsControl) {
		return outside, "name contains control characters"
	}
	if p.Confined && sink(path) {
		return inside, ""
	}
	rel, in := within(p.Workspace, path)
	if tmp, ok := within(p.Temp, path); ok && (!in || len(tmp) < len(rel)) {
		rel, where = tmp, temporary
	} else if !in {
		rel, where = path, outside
	}
	switch { // for a writer a steering file is named as what it is, also where readers take it for a secret, as in .git
	case system(path):
		return never, path + " is part of the running system"
	case secret(rel) && !(write && protected(rel)) || where == outside && p.homeSecret(path):
		return never, path + " may contain secrets"
	case write && protected(rel):
		return never, path + " is a steering file: agents, editors or git obey it, so agents may not write it"
	case write && (where != inside && p.dotfile(path) || sensitive.StartsShells(rel)):
		return outside, path + " is read by other programs at startup"
	case where == outside && !write && shared(path):
		return inside, ""
	case where == outside:
		return outside, path + " is outside the project"
	}
	return where, ""
}

// sink says whether a path is what nothing is kept in, or one of what a program was connected to when it started.
func sink(path string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, path)
}

// Inside says whether a path lies in the workspace. It is absolute and its links are followed.
func (p Policy) Inside(path string) bool {
	_, in := within(p.Workspace, path)
	return in
}

// within is path relative to the first of dirs that it lies in, compared part by part.
func within(dirs []string, path string) (rel string, ok bool) {
	for _, dir := range dirs {
		if rel, ok := below(dir, path, string(filepath.Separator), fold); ok {
			return rel, true
		}
	}
	return "", false
}

// below is path relative to dir, on a system with that separator where names are the same if they fold to the same.
func below(dir, path, sep string, fold func(string) string) (rel string, ok bool) {
	above, parts := strings.Split(strings.TrimRight(dir, sep), sep), strings.Split(strings.TrimRight(path, sep), sep)
	if dir == "" || len(parts) < len(above) {
		return "", false
	}
	for i, part := range above {
		if fold(part) != fold(parts[i]) {
			return "", false
		}
	}
	if len(parts) == len(above) {
		return ".", true
	}
	return strings.Join(parts[len(above):], sep), true
}

// fold keeps paths as they are where case matters; on the systems where it does not, it is compared without.
func fold(path string) string {
	if caseless {
		return folded(path)
	}
	return path
}

// folded is a name as systems compare it that neither tell capitals nor the ways to write an accent apart.
func folded(name string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(name))) }

// protected says whether a path below a workspace steers tools: whether it exists or not, they never write it, because what
// it says runs later, or is obeyed.
func protected(rel string) bool { return sensitive.Steers(rel) && !sensitive.StartsShells(rel) }

// secret says whether a path holds what no model may see.
func secret(path string) bool { return sensitive.Secret(path) }

// homeSecret says whether a path is one of the person's logins, keys or histories.
func (p Policy) homeSecret(path string) bool {
	rel, ok := within([]string{p.Home}, path)
	return ok && sensitive.HomeSecret(rel)
}

// system are trees of the kernel, where reading can hang, tell of other processes, or lead around every rule.
// Windows has them as paths with a prefix of their own.
func system(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/urandom", "/dev/random", "/proc/cpuinfo",
		"/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime":
		return false
	}
	if strings.HasPrefix(path, "/dev/shm/") { // files in memory, like those of a temporary folder
		return false
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return strings.HasPrefix(path, `\\?\`) || strings.HasPrefix(path, `\??\`) || strings.HasPrefix(path, `\\.\`)
}

// shared are programs and libraries that come with the system, and what it says of itself: everybody may read them.
// /etc as a whole is not among them, since services keep passwords there.
func shared(path string) bool {
	switch path {
	case "/etc/os-release", "/etc/hosts", "/etc/debian_version", "/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg",
		"/proc/uptime":
		return true
	}
	for _, dir := range []string{"/usr/bin", "/usr/include", "/usr/lib", "/usr/share", "/usr/local/bin", "/usr/local/include",
		"/usr/local/lib", "/usr/local/share", "/usr/local/go"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// dotfile says whether path is a hidden file or folder of the person's home.
func (p Policy) dotfile(path string) bool {
	rel, ok := within([]string{p.Home}, path)
	return ok && p.Home != "" && strings.HasPrefix(rel, ".")
}
