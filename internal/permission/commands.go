package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/shell"
)

// byName has the commands whose effect depends on their arguments in a way of its own. A new command needs an entry
// only if neither a table (readers, writers, toolchainPrograms, senders, irreversible) nor "its effect is unknown" is
// enough.
var byName map[string]func(analyzer, command) []risk

func init() { // they refer to each other
	byName = map[string]func(analyzer, command) []risk{
		"git": analyzer.git, "find": analyzer.find, "sed": analyzer.sed, "awk": analyzer.awk, "gawk": analyzer.awk, "mawk": analyzer.awk,
		"rm": analyzer.rm, "sort": analyzer.sort, "uniq": analyzer.uniq, "xxd": analyzer.uniq,
		"tar": analyzer.tar, "go": analyzer.goCommand, "npm": analyzer.packageManager, "pnpm": analyzer.packageManager,
		"yarn": analyzer.packageManager,
		"bun":  analyzer.packageManager, "cargo": analyzer.packageManager, "make": analyzer.make,
		"npx": npx, "bunx": npx, "pnpx": npx, "gmake": analyzer.make, "source": sourceFile, ".": sourceFile,
		"trap": trap, "kill": kill, "eval": eval, "dd": dd, "truncate": truncate,
		"mktemp": mktemp, "gofmt": analyzer.gofmt, "ps": analyzer.ps, "jq": analyzer.jq, "unzip": analyzer.unzip, "zipinfo": analyzer.unzip,
		"printenv": analyzer.printenv,
		"getopts":  analyzer.setter, "printf": analyzer.printf, "read": analyzer.setter, "mapfile": analyzer.setter,
		"readarray": analyzer.setter,
		"unset":     analyzer.setter, "export": analyzer.setter, "declare": analyzer.setter,
		"typeset": analyzer.setter, "local": analyzer.setter, "readonly": analyzer.setter, "set": analyzer.set, "shopt": analyzer.set,
		"ulimit": analyzer.set,
		"sudo":   asOtherUser, "doas": asOtherUser, "su": asOtherUser, "pkexec": asOtherUser, "runuser": asOtherUser,
		"chroot": asOtherUser, "unshare": asOtherUser,
		"nsenter": asOtherUser, "systemd-run": asOtherUser,
	}
	for _, name := range []string{"alias", "unalias", "hash", "enable", "builtin", "bind", "complete", "compgen", "fc", "history", "disown",
		"suspend", "logout", "coproc", "compopt", "caller"} {
		byName[name] = analyzer.builtin
	}
	for name := range interpreters {
		byName[name] = analyzer.interpreter
	}
	for name := range wrappers {
		byName[name] = analyzer.wrapper
	}
}

// asOtherUser judges a command that runs as another user, outside any sandbox. What is never allowed stays forbidden.
func asOtherUser(v analyzer, c command) []risk {
	out := []risk{{loses, "", "runs as root or another user; /undo cannot revert what it does"}}
	for _, r := range v.argv(behindOptions(c.args()), c.piped, c.unknownArg, "", c.depth+1) {
		if r.kind == forbid {
			out = append(out, r)
		}
	}
	return out
}

// behindOptions is the command given to sudo and the like, after their own options and variables.
func behindOptions(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return args[i+1:]
		case len(a) == 2 && a[0] == '-' && strings.Contains("ugChpRrTtUD", a[1:]):
			i++
		case !strings.HasPrefix(a, "-") && !strings.Contains(a, "="):
			return args[i:]
		}
	}
	return nil
}

// builtin judges shell built-ins that evaluate text, or change what names mean.
func (v analyzer) builtin(c command) []risk {
	switch c.argv[0] {
	case "hash":
		if len(c.argv) == 1 || len(c.argv) == 2 && c.argv[1] == "-r" {
			return []risk{{kind: safe}}
		}
	case "builtin":
		if len(c.argv) > 1 {
			return v.argv(c.args(), c.piped, c.unknownArg, "", c.depth+1)
		}
	case "disown":
		if v.policy.Confined { // what it started is in the sandbox, and ends with the call
			return []risk{{kind: safe}}
		}
	case "alias", "unalias":
		if len(c.argv) == 1 || v.functions != nil && v.policy.Confined { // bash -c expands no aliases
			return []risk{{kind: safe}}
		}
	}
	return []risk{{unclear, "", c.argv[0] + " runs or redefines shell commands"}}
}

// setter judges built-ins that set variables by name.
func (v analyzer) setter(c command) []risk {
	out := []risk{{kind: safe, why: "sets a variable"}}
	args := withoutValues(c)
	if len(args) > 1 && args[0] == "-p" && c.argv[0] != "read" && !strings.Contains(strings.Join(args, " "), "=") {
		return []risk{{kind: safe, why: "prints variables"}}
	}
	if c.argv[0] == "getopts" && len(args) > 1 {
		args = args[1:2]
	}
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		glued := ""
		if i := strings.IndexByte(a, 'a'); i > 0 && c.argv[0] == "read" {
			glued = a[i+1:]
		}
		if another := strings.HasPrefix(a, "-n") && c.argv[0] != "unset"; another && v.functions != nil && v.policy.Deep {
			continue // in a script that bash runs in its sandbox, nothing is decided by that variable
		}
		if !strings.HasPrefix(a, "-") {
			out = append(out, assignment(name))
		} else if glued != "" {
			out = append(out, assignment(glued))
		} else if strings.Contains(a, "f") && c.argv[0] != "read" && c.argv[0] != "unset" ||
			(c.argv[0] == "mapfile" || c.argv[0] == "readarray") && strings.Contains(a, "C") || strings.Contains(a, "n") &&
			c.argv[0] != "read" && c.argv[0] != "export" {
			out = append(out, risk{unclear, "", a + " changes what a name refers to"})
		}
	}
	return out
}

// withoutValues are the arguments of a built-in that sets variables, without the values of its options: how much to read, from where,
// until when. The options themselves stay.
func withoutValues(c command) (args []string) {
	takes := map[string]string{"read": "dnNptui", "mapfile": "dnOsuc", "readarray": "dnOsuc"}[c.argv[0]]
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		if at := strings.IndexAny(a, takes); takes != "" && at > 0 && strings.HasPrefix(a, "-") && strings.Trim(a[1:at], "rset") == "" {
			if at == len(a)-1 {
				i++
			}
			a = a[:at]
		}
		if a != "-" {
			args = append(args, a)
		}
	}
	return args
}

// printf prints, unless it sets a variable.
func (v analyzer) printf(c command) []risk {
	if len(c.argv) > 2 && strings.HasPrefix(c.argv[1], "-v") {
		return []risk{assignment(cmp.Or(c.argv[1][2:], c.argv[2]))}
	}
	return []risk{{kind: safe, why: "only prints"}}
}

// limit matches the arguments of ulimit.
var limit = pattern.Of(`^(-[SHacdefilmnpqrstuvx]+|[0-9]+|unlimited|hard|soft)$`)

// set judges set, shopt and ulimit: shell options are harmless unless they change how the rest of the script is parsed.
func (v analyzer) set(c command) []risk {
	for _, a := range c.args() {
		if v.policy.Confined && c.argv[0] == "ulimit" && limit().MatchString(a) {
			continue // no process can get more than it was given
		}
		if v.policy.Confined && c.argv[0] == "shopt" && (a == "extglob" || a == "nocasematch") {
			continue // every branch is analysed anyway
		}
		if c.argv[0] == "set" && a == "--" {
			return []risk{{kind: safe, why: "sets arguments of the script"}}
		}
		if !slices.Contains([]string{"-e", "-u", "-x", "+e", "+u", "+x", "-o", "+o", "pipefail", "errexit", "nounset", "-eu", "-ex", "-eux",
			"-euo", "-euxo", "-s", "-q", "nullglob", "globstar", "dotglob", "-a", "-n", "-t", "-f", "-v", "-c"}, a) || c.argv[0] == "set" &&
			(a == "-a" || a == "-n" || a == "-t" || a == "-f" || a == "-v" || a == "-s") {
			return []risk{{unclear, "", c.argv[0] + " " + a + " changes how the shell reads the rest"}}
		}
	}
	return []risk{{kind: safe}}
}

// sort reads, and writes to the file of -o. Its options are parsed here because -o may come after the files.
func (v analyzer) sort(c command) []risk {
	var out []risk
	args := []string{"sort"}
	for i := 1; i < len(c.argv); i++ {
		a := c.argv[i]
		file, long := strings.CutPrefix(a, "--output=")
		switch {
		case (a == "-o" || a == "--output") && i+1 < len(c.argv):
			i++
			out = append(out, v.touch(writes, c.argv[i]))
		case long:
			out = append(out, v.touch(writes, file))
		case (a == "-k" || a == "-t" || a == "-S" || a == "--key" || a == "--field-separator") && i+1 < len(c.argv):
			i++
		default:
			args = append(args, a)
		}
	}
	return append(out, v.reads(sortReader, args)...)
}

// sortReader takes -k and -t with their value in the same word, so that no letter of it is mistaken for -o or -T.
var sortReader = &reader{short: "bdfghiMnRrVcCmsuz", value: "kt",
	long: []string{"key*", "field-separator*", "reverse", "numeric-sort", "human-numeric-sort", "version-sort", "general-numeric-sort",
		"month-sort", "random-sort",
		"dictionary-order", "ignore-case", "ignore-leading-blanks", "ignore-nonprinting", "unique", "stable", "check*", "merge",
		"zero-terminated", "debug", "parallel*", "buffer-size*", "sort*"}}

// uniq judges uniq and xxd, which write to their second file. Mistaking an option's value for a file does no harm.
func (v analyzer) uniq(c command) []risk {
	var files []string
	only := false
	for _, a := range c.args() {
		switch {
		case only || a == "-" || !strings.HasPrefix(a, "-"):
			files = append(files, a)
		case a == "--":
			only = true
		}
	}
	spec := &reader{all: true, value: "fsw"}
	if c.argv[0] == "xxd" {
		spec = readers["xxd"]
	}
	out := v.reads(spec, c.argv)
	if len(files) > 1 {
		out = append(out, v.touch(writes, files[len(files)-1]))
	}
	return out
}

// find reads, unless it is told to run, delete or write something.
func (v analyzer) find(c command) []risk {
	out := []risk{{kind: safe, why: "only reads"}}
	starting := true
	for i := 1 + findOptions(c.argv[1:]); i < len(c.argv); i++ {
		a := c.argv[i]
		starting = starting && !strings.HasPrefix(a, "-") && a != "(" && a != "!"
		switch a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(c.argv) && c.argv[end] != ";" && c.argv[end] != "+" {
				end++
			}
			out = append(out, v.finds(c, c.argv[i+1:min(end, len(c.argv))])...)
			i = end
		case "-delete":
			out = append(out, risk{loses, "", "deletes every file it finds"})
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(c.argv) {
				out = append(out, v.touch(writes, c.argv[i+1]))
			}
		case "-files0-from":
			out = append(out, risk{runs, "", "takes its search paths from a file"})
		default:
			if starting {
				out = append(out, v.listed(a))
			}
		}
	}
	return out
}

// finds judges what find runs for the files it finds. A reader reads what is below the starting points.
func (v analyzer) finds(c command, inner []string) []risk {
	if script, ok := scriptFor(v, command{append([]string{"find"}, inner...), c.piped, c.unknownArg, c.depth}, inner); ok {
		return script
	}
	out := v.argv(inner, false, true, "", c.depth+1)
	if !slices.ContainsFunc(inner, func(s string) bool { return strings.Contains(s, "{}") }) {
		return out
	}
	if links := []string{"-L", "-H", "-follow", "-files0-from"}; slices.Contains(inner[1:], "{}") && readers[inner[0]] != nil &&
		!slices.ContainsFunc(c.argv, func(a string) bool { return slices.Contains(links, a) }) {
		below := []risk{}
		for _, start := range c.args() {
			if strings.HasPrefix(start, "-") || start == "(" || start == "!" {
				break
			}
			below = append(below, v.readsBelowChosen(start, fileFilter{only: v.named(c), hidden: true, followsLinks: true,
				complete: true})...)
		}
		if len(below) > 0 {
			return append(out, below...)
		}
	}
	if sandboxHolds(v, inner, out) {
		return out
	}
	return append(out, risk{unclear, "", "runs " + shell.Quote(inner) + " on files only find knows"})
}

// named is the pattern for the names that find matches, if one applies to all.
func (v analyzer) named(c command) []string {
	i := slices.Index(c.argv, "-name")
	if i < 0 || i+1 >= len(c.argv) || slices.ContainsFunc(c.argv,
		func(a string) bool { return a == "-o" || a == "-or" || a == "," || a == "!" || a == "-not" }) {
		return nil
	}
	return c.argv[i+1 : i+2]
}

// tar lists, and packs into one file; what it unpacks may be written anywhere. In a sandbox, unpacking is ordinary work on the project.
func (v analyzer) tar(c command) []risk {
	if len(c.argv) < 2 || c.argv[1] == "--version" || c.argv[1] == "--help" {
		return []risk{{kind: safe}}
	}
	letters, files := strings.TrimPrefix(c.argv[1], "-"), c.argv[2:]
	list, pack := strings.Contains(letters, "t"), strings.Contains(letters, "c")
	strange := slices.ContainsFunc(files, func(a string) bool { return strings.HasPrefix(a, "-") && a != "-" || strings.Contains(a, ":") })
	switch {
	case v.policy.Confined && !list && !pack && strings.Contains(letters, "x") && !slices.ContainsFunc(files, strangeToTar):
		return runsProject(v, c, "tar x")
	case v.policy.Deep && pack && !list && strings.Trim(letters, "cvfzjJ") == "" && strings.Contains(letters, "f") && len(files) > 1 &&
		!slices.ContainsFunc(files, strangeToTar):
		return append(runsProject(v, c, "tar c"), v.touch(writes, files[0]))
	case strange || strings.Trim(letters, "tcvfzjJ") != "":
		return []risk{{unclear, "", "the archive and its options decide what tar writes and where"}}
	case list && !pack:
		return v.reads(&reader{all: true}, append([]string{"tar"}, files...))
	case pack && !list && strings.Contains(letters, "f") && len(files) > 1:
		out := []risk{v.touch(writes, files[0])}
		for _, f := range files[1:] {
			out = append(out, v.readsBelow(f, nil)...)
		}
		return out
	}
	return []risk{{runs, "", "effect of these tar options is unknown"}}
}

// strangeToTar reports whether an argument is an option of tar that may run a program or read names from a file.
func strangeToTar(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return strings.HasPrefix(a, "--") && !tarOptions()[name] || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Trim(a, "-Cvpmk") != ""
}

// tarOptions say what of an archive is unpacked or packed, and where.
var tarOptions = wordSet("--strip-components --strip --exclude --exclude-vcs --directory --no-same-owner --no-same-permissions " +
	"--wildcards " +
	"--overwrite --keep-old-files --skip-old-files --totals --verbose --gzip --xz --bzip2 --zstd --sort --mtime --owner --group " +
	"--numeric-owner")

// unzip lists; what it unpacks may be written anywhere.
func (v analyzer) unzip(c command) []risk {
	if len(c.argv) == 3 && (c.argv[1] == "-l" || c.argv[1] == "-v" || c.argv[1] == "-Z" || c.argv[1] == "-t") {
		return []risk{v.touch(reads, c.argv[2])}
	}
	return runsProject(v, c, c.argv[0])
}

// gofmt reads, unless it is told to write.
func (v analyzer) gofmt(c command) []risk {
	k := reads
	var out []risk
	for _, a := range c.args() {
		switch {
		case a == "-w":
			k = writes
		case strings.HasPrefix(a, "-") && strings.Trim(a[1:], "dels") != "" && a != "-r":
			return []risk{{runs, "", "effect of " + a + " on gofmt is unknown"}}
		}
	}
	for _, a := range c.args() {
		if !strings.HasPrefix(a, "-") {
			out = append(out, v.touch(k, a))
		}
	}
	return append(out, risk{kind: safe, why: "formats code"})
}

// mktemp creates a file or folder among temporary files, or where its arguments say.
func mktemp(v analyzer, c command) []risk {
	out := []risk{{kind: safe, why: "makes a temporary file"}}
	for _, a := range c.args() {
		if strings.Contains(a, "/") {
			out = append(out, v.touch(writes, a[strings.IndexByte(a, '=')+1:]))
		}
	}
	return out
}

// ps lists processes. Some of its options show their environment, in which programs keep secrets.
func (v analyzer) ps(c command) []risk {
	for i := 1; i < len(c.argv); i++ {
		switch a := c.argv[i]; {
		case a == "-o" && i+1 < len(c.argv):
			if i++; strings.Trim(c.argv[i], "abcdefghijklmnopqrstuvwxyz%,=") != "" || strings.Contains(c.argv[i], "env") {
				return []risk{{unclear, "", "may show secrets"}}
			}
		case !slices.Contains([]string{"aux", "ax", "auxf", "auxw", "auxww", "-ef", "-eF", "-e", "-f", "-A", "-p", "-u", "x", "u", "-aux",
			"-ax"}, a) && strings.Trim(a, "0123456789,") != "":
			return []risk{{unclear, "", "ps " + a + " may show the environment of other programs"}}
		}
	}
	return []risk{{kind: safe, why: "lists processes"}}
}

// findOptions is how many arguments before find's first folder are options.
func findOptions(args []string) (n int) {
	for n < len(args) {
		switch a := args[n]; {
		case a == "-D":
			n++
		case !strings.HasPrefix(a, "-O") && (len(a) < 2 || a[0] != '-' || strings.Trim(a[1:], "HLPEXdsx") != ""):
			return n
		}
		n++
	}
	return min(n, len(args))
}

// jq computes; its programs can read other files, and the environment. They are not parsed: anything that could give
// access to those counts, even in strings.
func (v analyzer) jq(c command) []risk {
	for _, a := range c.args() {
		for strings.Contains(a, "$ ") {
			a = strings.ReplaceAll(a, "$ ", "$")
		}
		for _, w := range strings.FieldsFunc(strings.NewReplacer("$\t", "$", "$\n", "$").Replace(a),
			func(r rune) bool { return !strings.ContainsRune(awkLetters+".$", r) }) {
			switch w {
			case "env", "$ENV", "$__prog_args":
				return []risk{{forbid, "", "shows environment variables, which may contain secrets"}}
			case "ENV", "__prog_args": // blanks and comments may come before it
				if strings.Contains(a, "$") {
					return []risk{{unclear, "", "may show environment variables"}}
				}
			case "import", "include":
				return []risk{{unclear, "", "reads other files"}}
			}
			if strings.HasPrefix(w, "env.") || strings.HasPrefix(w, "$ENV.") {
				return []risk{{forbid, "", "shows environment variables, which may contain secrets"}}
			}
		}
	}
	return v.reads(jqReader, c.argv)
}

// jqReader lacks the options that name files (--from-file, --slurpfile, -L), so they need approval.
var jqReader = &reader{short: "acCjMnrRsSe", long: []string{"arg", "argjson", "compact-output", "raw-output", "slurp", "null-input",
	"sort-keys", "tab", "indent*", "exit-status", "raw-input", "join-output", "color-output", "monochrome-output"}, text: 1}

// printenv may show named variables, but never all.
func (v analyzer) printenv(c command) []risk {
	if len(c.argv) == 1 || slices.ContainsFunc(c.args(), func(a string) bool { return strings.HasPrefix(a, "-") }) {
		return []risk{{forbid, "", "shows all environment variables, which may contain secrets"}}
	}
	return []risk{{kind: safe, why: "prints a variable"}}
}
