package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// special are the commands whose effect depends on their arguments in a way of its own.
var special map[string]func(viewer, command) []risk

func init() { // they call one another
	special = map[string]func(viewer, command) []risk{
		"git": viewer.git, "find": viewer.find, "sed": viewer.sed, "awk": viewer.awk, "gawk": viewer.awk, "mawk": viewer.awk, "rm": viewer.rm, "sort": viewer.sort, "uniq": viewer.uniq,
		"tar": viewer.tar, "go": viewer.golang, "npm": viewer.packages, "pnpm": viewer.packages, "yarn": viewer.packages, "bun": viewer.packages, "cargo": viewer.packages, "make": viewer.make,
		"printf": viewer.printf, "read": viewer.setter, "mapfile": viewer.setter, "readarray": viewer.setter, "unset": viewer.setter, "export": viewer.setter, "declare": viewer.setter,
		"typeset": viewer.setter, "local": viewer.setter, "readonly": viewer.setter, "set": viewer.set, "shopt": viewer.set, "ulimit": viewer.set,
		"sudo": asOther, "doas": asOther, "su": asOther, "pkexec": asOther, "runuser": asOther, "chroot": asOther, "unshare": asOther, "nsenter": asOther, "systemd-run": asOther,
	}
	for _, name := range []string{"eval", "source", ".", "trap", "alias", "unalias", "hash", "enable", "builtin", "bind", "complete", "compgen", "fc", "history", "disown", "suspend", "logout", "coproc", "compopt", "caller"} {
		special[name] = viewer.builtin
	}
	for name := range interpreters {
		special[name] = viewer.interpreter
	}
	for name := range wrappers {
		special[name] = viewer.wrapper
	}
}

func asOther(_ viewer, c command) []risk {
	return []risk{{unclear, "", c.argv[0] + " runs a command with other rights"}}
}

// builtin are the built-ins of the shell that evaluate text, or change what names mean.
func (v viewer) builtin(c command) []risk {
	switch c.argv[0] {
	case "hash":
		if len(c.argv) == 1 || len(c.argv) == 2 && c.argv[1] == "-r" {
			return []risk{{kind: safe}}
		}
	case "builtin":
		if len(c.argv) > 1 {
			return v.argv(c.args(), c.piped, c.open, "", c.depth+1)
		}
	case "alias":
		if len(c.argv) == 1 {
			return []risk{{kind: safe}}
		}
	}
	return []risk{{unclear, "", c.argv[0] + " makes the shell run, or mean, something else"}}
}

// setter are built-ins that set variables by name.
func (v viewer) setter(c command) []risk {
	out := []risk{{kind: safe, why: "it sets a variable"}}
	for _, a := range c.args() {
		name, _, _ := strings.Cut(a, "=")
		if !strings.HasPrefix(a, "-") {
			out = append(out, assignment(name))
		} else if strings.Contains(a, "f") && c.argv[0] != "read" && c.argv[0] != "unset" || c.argv[0] == "mapfile" && strings.Contains(a, "C") || strings.Contains(a, "n") && c.argv[0] != "read" && c.argv[0] != "export" {
			out = append(out, risk{unclear, "", a + " makes a name stand for something else"})
		}
	}
	return out
}

// printf prints, unless it is told to set a variable.
func (v viewer) printf(c command) []risk {
	if len(c.argv) > 2 && c.argv[1] == "-v" {
		return []risk{assignment(c.argv[2])}
	}
	return []risk{{kind: safe, why: "it prints"}}
}

func (v viewer) set(c command) []risk {
	for _, a := range c.args() {
		if !slices.Contains([]string{"-e", "-u", "-x", "+e", "+u", "+x", "-o", "+o", "pipefail", "errexit", "nounset", "-eu", "-ex", "-eux", "-euo", "-euxo", "-s", "-q", "nullglob", "globstar", "dotglob", "-a", "-n", "-t", "-f", "-v", "-c"}, a) || c.argv[0] == "set" && (a == "-a" || a == "-n" || a == "-t" || a == "-f" || a == "-v" || a == "-s") {
			return []risk{{unclear, "", c.argv[0] + " " + a + " changes how the shell reads what follows"}}
		}
	}
	return []risk{{kind: safe}}
}

// rm deletes. Files that are named one by one, inside the project, come back from a snapshot; nothing else does.
func (v viewer) rm(c command) []risk {
	var out []risk
	only := false
	for _, a := range c.args() {
		switch {
		case !only && a == "--":
			only = true
		case !only && len(a) > 1 && a[0] == '-':
			if strings.Trim(strings.TrimLeft(a, "-"), "fvi") != "" && a != "--force" && a != "--verbose" {
				return append(out, risk{loses, "", "it deletes whole folders"})
			}
		default:
			r := v.touch(deletes, a)
			out = append(out, r)
			if where, _ := v.policy.place(r.path, true); r.kind == deletes && where == outside {
				out = append(out, risk{loses, "", "it deletes " + r.path + ", which no snapshot has"})
			}
		}
	}
	return out
}

func (v viewer) sort(c command) []risk {
	for i, a := range c.args() {
		if strings.HasPrefix(a, "-o") || strings.HasPrefix(a, "--output") {
			file := strings.TrimPrefix(strings.TrimPrefix(a, "-o"), "--output=")
			if (file == "" || a == "--output") && i+2 < len(c.argv) {
				file = c.argv[i+2]
			}
			return []risk{v.touch(writes, file)}
		}
		if strings.HasPrefix(a, "--compress-program") || strings.HasPrefix(a, "-T") || strings.HasPrefix(a, "--files0-from") || len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, "oT") {
			return []risk{{runs, "", "it is not known what " + a + " makes of sort"}}
		}
	}
	return v.reads(&reader{all: true}, c.argv)
}

// uniq writes to the second file it is given.
func (v viewer) uniq(c command) []risk {
	var files []string
	for _, a := range c.args() {
		if !strings.HasPrefix(a, "-") {
			files = append(files, a)
		}
	}
	out := v.reads(&reader{all: true}, c.argv)
	if len(files) > 1 {
		out = append(out, v.touch(writes, files[len(files)-1]))
	}
	return out
}

// find reads, unless it is told to run, delete or write something.
func (v viewer) find(c command) []risk {
	out := []risk{{kind: safe, why: "it only reads"}}
	starting := true
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		starting = starting && !strings.HasPrefix(a, "-") && a != "(" && a != "!"
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(c.argv) && c.argv[end] != ";" && c.argv[end] != "+" {
				end++
			}
			inner := c.argv[i+1 : end]
			out = append(out, v.argv(inner, false, true, "", c.depth+1)...)
			if slices.ContainsFunc(inner, func(s string) bool { return strings.Contains(s, "{}") }) {
				out = append(out, risk{unclear, "", "which files " + shell.Quote(inner) + " is run for, only find knows"})
			}
			i = end
		case "-delete":
			out = append(out, risk{loses, "", "it deletes whatever it finds"})
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(c.argv) {
				out = append(out, v.touch(writes, c.argv[i+1]))
			}
		case "-files0-from":
			out = append(out, risk{runs, "", "it reads where to look from a file"})
		default:
			if starting {
				out = append(out, v.touch(reads, a))
			}
		}
	}
	return out
}

// tar lists; what it unpacks may land anywhere.
func (v viewer) tar(c command) []risk {
	if len(c.argv) < 2 {
		return []risk{{kind: safe}}
	}
	for _, a := range c.args() {
		if strings.HasPrefix(a, "--") && a != "--list" && a != "--verbose" && a != "--gzip" && !strings.HasPrefix(a, "--file=") || strings.HasPrefix(a, "-I") {
			return []risk{{unclear, "", "tar " + a + " can run programs"}}
		}
	}
	mode := strings.TrimPrefix(c.argv[1], "-")
	if strings.Trim(mode, "tvfzjJ") == "" && strings.Contains(mode, "t") || c.argv[1] == "--list" {
		return v.reads(&reader{all: true}, c.argv)
	}
	return []risk{{runs, "", "what tar writes, and where, the archive decides"}}
}

// sed is read only for scripts that print and substitute; its other commands run programs and write files.
func (v viewer) sed(c command) []risk {
	out := []risk{{kind: safe, why: "it only reads"}}
	script, inPlace, files := false, false, []string{}
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		switch {
		case a == "-n" || a == "-E" || a == "-r" || a == "-s" || a == "-u" || a == "-z" || a == "-nE" || a == "-En" || a == "-nr" || a == "--quiet" || a == "--regexp-extended":
		case a == "-i" || a == "--in-place" || a == "-Ei" || a == "-i.bak" || a == "-ri":
			inPlace = true
		case a == "-e" && i+1 < len(c.argv):
			i++
			script = true
			if !tame(c.argv[i]) {
				return []risk{{unclear, "", "this sed script can run programs or write files"}}
			}
		case strings.HasPrefix(a, "-"):
			return []risk{{unclear, "", "sed " + a + " can run programs or write files"}}
		case !script:
			script = true
			if !tame(a) {
				return []risk{{unclear, "", "this sed script can run programs or write files"}}
			}
		default:
			files = append(files, a)
		}
	}
	k := reads
	if inPlace {
		k = writes
	}
	for _, f := range files {
		out = append(out, v.touch(k, f))
	}
	return out
}

// tame says whether a sed script consists of addresses with p, d, q, = or a substitution that neither runs nor writes.
func tame(script string) bool {
	for _, line := range strings.FieldsFunc(script, func(r rune) bool { return r == '\n' }) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "0123456789,$+~! ;pdq=") == "" {
			continue
		}
		line = strings.TrimLeft(line, "0123456789,$+~! ")
		if end := strings.LastIndexByte(line, '/'); len(line) > 2 && line[0] == '/' && end > 0 && strings.Trim(line[end+1:], "pd=!") == "" && !strings.Contains(line[1:end], ";") {
			continue // an address by pattern
		}
		if len(line) < 4 || line[0] != 's' || strings.ContainsAny(line[1:2], "\\;ew \t\n") {
			return false
		}
		parts := split(line[2:], line[1])
		if len(parts) != 3 || strings.Trim(parts[2], "gpiI0123456789") != "" {
			return false
		}
	}
	return true
}

// split cuts s at the separators that no backslash stands before.
func split(s string, sep byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == sep {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// awk is read only for programs that neither run, write nor read anything on their own.
func (v viewer) awk(c command) []risk {
	out := []risk{{kind: safe, why: "it only reads"}}
	program := false
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		switch {
		case a == "-F" || a == "-v":
			i++
		case strings.HasPrefix(a, "-F"):
		case strings.HasPrefix(a, "-"):
			return []risk{{unclear, "", "awk " + a + " can run programs or write files"}}
		case !program:
			program = true
			if strings.ContainsAny(a, "|>@`") || strings.Contains(a, "system") || strings.Contains(a, "getline") || strings.Contains(a, "close") || strings.Contains(a, "ENVIRON") || strings.Contains(a, "/inet") {
				return []risk{{unclear, "", "this awk program can run programs or write files"}}
			}
		default:
			if !strings.Contains(a, "=") || strings.ContainsAny(a, "/") {
				out = append(out, v.touch(reads, a))
			}
		}
	}
	return out
}
