package permission

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/socrates-cli/socrates/internal/project/sensitive"
)

// region is the kind of place of a path. The zero value is the workspace: code must call region() and not assume.
type region int

const (
	inside    region = iota // the workspace
	temporary               // a folder for temporary files
	outside
	never // what may never be accessed this way
)

// unseen reports whether a letter of a name is not seen, or changes the order in which others are: a name with it is
// read as another one. The joiners of Persian words and emoji are seen.
func unseen(r rune) bool {
	return unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// region returns the kind of place of a path, which is absolute and has its links followed. why explains a place other than inside.
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
	switch { // for a write, a steering file is reported as such, even if for reads it counts as a secret, as in .git
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
	case strings.ContainsFunc(path, unseen):
		return outside, "name contains invisible characters"
	}
	return where, ""
}

// sink reports whether a path discards its data, or is a standard stream of the program.
func sink(path string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, path)
}

// Inside reports whether a path is in the workspace. It must be absolute with its links followed.
func (p Policy) Inside(path string) bool {
	_, in := within(p.Workspace, path)
	return in
}

// within is path relative to the first of dirs that contains it, compared part by part.
func within(dirs []string, path string) (rel string, ok bool) {
	for _, dir := range dirs {
		if rel, ok := below(dir, path, string(filepath.Separator), fold); ok {
			return rel, true
		}
	}
	return "", false
}

// below is path relative to dir, on a system with that separator where names are equal if fold makes them equal.
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

// fold returns paths as they are if case matters on this system, otherwise folded.
func fold(path string) string {
	if caseless {
		return folded(path)
	}
	return path
}

// folded is a name in the form in which caseless systems compare it, without case and with one encoding of accents.
func folded(name string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(name))) }

// protected reports whether a path below a workspace steers tools: whether or not it exists, tools never write it, because what it says is
// run or obeyed later.
func protected(rel string) bool { return sensitive.Steers(rel) && !sensitive.StartsShells(rel) }

// secret reports whether a path has content that no model may see.
func secret(path string) bool { return sensitive.Secret(path) }

// homeSecret reports whether a path is one of the person's logins, keys or histories.
func (p Policy) homeSecret(path string) bool {
	rel, ok := within([]string{p.Home}, path)
	return ok && sensitive.HomeSecret(rel)
}

// system reports whether a path is in a tree of the kernel, where reading can hang, reveal other processes, or bypass
// every rule. Windows has such paths with a prefix of their own.
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

// shared reports whether a path is a program or library that comes with the system, or information about it: everybody
// may read those. /etc as a whole is not shared, since services keep passwords there.
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

// dotfile reports whether path is a hidden file or folder in the person's home.
func (p Policy) dotfile(path string) bool {
	rel, ok := within([]string{p.Home}, path)
	return ok && p.Home != "" && strings.HasPrefix(rel, ".")
}
