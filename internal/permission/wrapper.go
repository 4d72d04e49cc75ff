package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/shell"
)

// wrapper is a command that runs another one, which its arguments name.
type wrapper struct {
	flags  string // letters of options without a value
	values string // letters of options whose value follows, in the same word or the next
	words  int    // arguments before the command: a duration, a priority
	sets   bool   // NAME=value may stand before the command
	more   bool   // it adds arguments nobody knows
	script bool   // it gives its arguments to a shell
	wild   bool   // it runs what it reads elsewhere: always asked about
}

// wrappers run what follows them. The command they run is judged as itself; an option that is not listed is asked about.
var wrappers = map[string]*wrapper{
	"env": {flags: "0", sets: true}, "nohup": {}, "nice": {values: "n", flags: "0123456789"}, "ionice": {values: "cn"},
	"chrt": {flags: "bfior", words: 1}, "timeout": {flags: "v", values: "ks", words: 1},
	"time": {flags: "pv"}, "xargs": {flags: "0rtp", values: "nPILdsE", more: true}, "watch": {flags: "dtbeg", values: "n", script: true},
	"setsid": {flags: "fwc"}, "command": {flags: "pvV"}, "exec": {flags: "cl", values: "a"},
	"stdbuf": {values: "ioe"}, "unbuffer": {}, "busybox": {}, "parallel": {values: "j", wild: true},
	"flock": {flags: "nsxu", values: "w", words: 1}, "caffeinate": {flags: "dimsu"}, "catchsegv": {},
	"strace": {flags: "f", values: "e"}, "ltrace": {}, "script": {flags: "q", wild: true},
	"entr": {flags: "rcdnps", wild: true}, "toybox": {}, "setarch": {wild: true}, "linux32": {wild: true}, "linux64": {wild: true},
	"taskset": {wild: true}, "numactl": {wild: true}, "prlimit": {wild: true}, "cpulimit": {wild: true}, "firejail": {wild: true},
	"bwrap": {wild: true}, "proot": {wild: true},
	"fakeroot": {wild: true}, "torsocks": {wild: true}, "proxychains": {wild: true}, "proxychains4": {wild: true},
	"dbus-run-session": {wild: true}, "xvfb-run": {wild: true}, "rlwrap": {wild: true}, "ssh-agent": {wild: true},
	"sshpass": {wild: true}, "start-stop-daemon": {wild: true}, "run-parts": {wild: true}, "faketime": {wild: true},
	"valgrind": {wild: true}, "perf": {wild: true}, "hyperfine": {wild: true}, "nodemon": {wild: true}, "watchexec": {wild: true},
	"screen": {wild: true}, "winpty": {wild: true}, "daemonize": {wild: true}, "tini": {wild: true}, "dumb-init": {wild: true},
	"choom": {wild: true}, "uclampset": {wild: true}, "chronic": {wild: true}, "pee": {wild: true}, "softlimit": {wild: true},
}

// inner is the command a wrapper runs; ok is false for an option that is not known.
func (w *wrapper) inner(args []string) (rest []string, sets []string, ok bool) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "--") {
			known := a == "--null" && (w.sets || w.more) || a == "--no-run-if-empty" && w.more // of env and xargs
			if !known {
				return nil, nil, false
			}
			continue
		}
		switch {
		case strings.Trim(a[1:], w.flags) == "" && w.flags != "":
		case strings.ContainsRune(w.values, rune(a[1])):
			if len(a) == 2 {
				if len(args) == 0 {
					return nil, nil, false
				}
				args = args[1:]
			}
		default:
			return nil, nil, false
		}
	}
	for w.sets && len(args) > 0 && strings.Contains(args[0], "=") {
		name, _, _ := strings.Cut(args[0], "=")
		sets = append(sets, name)
		args = args[1:]
	}
	if w.words > len(args) {
		return nil, sets, true
	}
	rest = args[w.words:]
	return rest, sets, len(rest) == 0 || !strings.HasPrefix(rest[0], "-") // flock FILE -c SCRIPT
}

// wrapper is judged by the command it runs, in the place where it runs it.
func (v viewer) wrapper(c command) []risk {
	w := wrappers[c.argv[0]]
	if w == nil {
		return []risk{{runs, "", "effect of " + c.argv[0] + " is unknown"}}
	}
	if c.argv[0] == "command" && len(c.argv) > 1 && (c.argv[1] == "-v" || c.argv[1] == "-V") {
		return []risk{{kind: safe}}
	}
	if c.argv[0] == "env" && v.policy.Confined {
		w, c.argv = &wrapper{flags: "0iv", values: "u", sets: true}, shortened(c.argv)
	}
	rest, sets, ok := w.inner(c.args())
	if !ok || w.wild || w.script && len(rest) == 0 {
		return []risk{{unclear, "", "effect of an option of " + c.argv[0] + " is unknown"}}
	}
	out := []risk{{kind: safe}}
	for _, name := range sets {
		if same := name == "PATH" && slices.ContainsFunc(c.args(), func(a string) bool {
			return a == "PATH=$PATH" || a == `PATH="$PATH"` || a == "PATH="+os.Getenv("PATH")
		}); !same {
			out = append(out, assignment(name))
		}
	}
	if c.argv[0] == "flock" && len(rest) > 0 {
		out = append(out, v.touch(writes, c.argv[len(c.argv)-len(rest)-1]))
	}
	switch {
	case len(rest) == 0 && c.argv[0] == "env":
		return append(out, risk{forbid, "", "shows all environment variables, which may contain secrets"})
	case len(rest) == 0:
		return out
	case w.script:
		return append(out, either(v, strings.Join(rest, " "), c.depth+1)...)
	}
	if script, ok := scriptFor(v, c, rest); ok && w.more {
		return append(out, script...)
	}
	out = append(out, v.argv(rest, c.piped, c.open || w.more, "", c.depth+1)...)
	if below, ok := v.fed(rest, out); c.argv[0] == "xargs" && ok {
		return append(out, below...)
	}
	if w.more && !harmlessWith[rest[0]] && !held(v, rest, out) {
		out = append(out, risk{unclear, "", "arguments for " + rest[0] + " are only known to " + c.argv[0]})
	}
	return out
}

// shortened are the words of env with its long options as short ones.
func shortened(argv []string) []string {
	out := append([]string{}, argv...)
	for i, a := range argv {
		if i > 0 && !strings.HasPrefix(a, "-") {
			break
		}
		if name, ok := strings.CutPrefix(a, "--unset="); ok {
			out[i] = "-u" + name
		} else if a == "--ignore-environment" || a == "-" {
			out[i] = "-i"
		}
	}
	return out
}

// nested judges a script inside a script.
func (v viewer) nested(text string, depth int) []risk { return v.inner(text, false, depth) }

// either judges a script as bash and as sh read it: which shell sh is, nobody knows.
func either(v viewer, text string, depth int) []risk {
	return append(v.nested(text, depth), v.inner(text, true, depth)...)
}

// inner judges a script that another shell runs. Nobody decides again while it does, so that everything left open
// until then counts as not understood.
func (v viewer) inner(text string, posix bool, depth int) (out []risk) {
	if depth > deepest {
		return []risk{{unclear, "", "nested too deeply to analyse"}}
	}
	script, err := shell.Parse(text, shell.Context{Dir: v.dir, POSIX: posix})
	if err != nil {
		return []risk{{unclear, "", "inner script: " + err.Error()}}
	}
	if script.Computes && !v.policy.Confined { // the shell that runs it evaluates the texts it computes with
		out = append(out, risk{unclear, "", "inner script evaluates values that may contain commands"})
	}
	defer func() {
		for i, r := range out {
			if r.kind == later { // nobody decides again what another shell runs
				out[i].kind = unclear
			}
		}
	}()
	in := entering(v, script)
	dirs := astray(script.Commands)
	for i, c := range script.Commands {
		out = append(out, inScript(lookingAt(in, c, c.Dir), c, depth)...)
		if len(dirs[i]) > mostAstray {
			return append(out, risk{unclear, "", "working folder of the inner script is unknown"})
		}
		for _, dir := range dirs[i] {
			for _, r := range inScript(lookingAt(in, c, dir), c, depth) {
				if r.kind != safe {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// mostAstray is in how many folders more than its own a command is looked at.
const mostAstray = 3

// astray are the folders beside its own in which each command could run, because a cd before it fails or does not come to run.
// Of our own shell that is seen as it runs, of another one not. Only a cd that a script begins with goes for certain, to a
// folder that exists.
func astray(commands []shell.Command) [][]string {
	out := make([][]string, len(commands))
	var could []string
	for i, c := range commands {
		out[i] = slices.DeleteFunc(slices.Clone(could), func(dir string) bool { return dir == c.Dir })
		target := c.Argv
		for len(target) > 0 && (target[0] == "cd" || target[0] == "--" || target[0] == "-P" || target[0] == "-L") {
			target = target[1:]
		}
		if len(c.Argv) == 0 || c.Argv[0] != "cd" || len(target) == 0 || c.Dir == "" {
			continue
		}
		to := func(dir string) string {
			if filepath.IsAbs(target[0]) {
				return filepath.Clean(target[0])
			}
			return filepath.Join(dir, target[0])
		}
		for _, dir := range slices.Clone(could) {
			could = append(could, to(dir))
		}
		if real := through(c.Dir, target[0]); real != to(c.Dir) && real != shell.Real(to(c.Dir)) {
			could = append(could, real) // where cd -P goes
		}
		if info, err := os.Stat(to(c.Dir)); i > 0 || err != nil || !info.IsDir() {
			could = append(could, c.Dir)
		}
		slices.Sort(could)
		if could = slices.Compact(could); len(could) > 2*mostAstray {
			could = could[:2*mostAstray] // more than are looked at
		}
	}
	return out
}

// interpreters run programs in a language of their own. shell: a script given with -c can be read; script: it takes one.
var interpreters = map[string]struct{ shell, script bool }{
	"sh": {true, true}, "bash": {true, true}, "dash": {true, true}, "ash": {true, true}, "ksh": {script: true}, "zsh": {script: true},
	"fish": {script: true}, "csh": {script: true}, "tcsh": {script: true}, "pwsh": {script: true}, "powershell": {script: true},
	"cmd":    {script: true},
	"python": {}, "python2": {}, "python3": {}, "node": {}, "nodejs": {}, "deno": {}, "perl": {}, "ruby": {}, "php": {}, "lua": {},
	"luajit": {}, "Rscript": {}, "R": {}, "tclsh": {}, "expect": {}, "osascript": {}, "java": {}, "scala": {}, "groovy": {},
	"julia": {}, "guile": {}, "ghc": {}, "runghc": {}, "swift": {}, "irb": {}, "gdb": {}, "lldb": {}, "vim": {}, "vi": {},
	"nvim": {}, "ed": {}, "ex": {}, "emacs": {}, "nano": {}, "m4": {}, "bc": {}, "dc": {}, "sqlite3": {},
	"ts-node": {}, "tsx": {},
}

// versionOption are the short options with which interpreters tell their version and end. With -v others tell more, and
// still run what they read.
var versionOption = map[string]string{
	"python": "-V", "python2": "-V", "python3": "-V", "node": "-v", "nodejs": "-v", "deno": "-V", "perl": "-v", "ruby": "-v", "php": "-v",
	"lua": "-v", "luajit": "-v", "gdb": "-v", "ghc": "-V", "emacs": "-V", "nano": "-V", "ts-node": "-v", "tsx": "-v", "fish": "-v",
}

// scriptFor is a script that find or xargs gives names to: what it says is known, and the names are not, which are $1 to it. ok is false
// where a name may become part of the script.
func scriptFor(v viewer, c command, inner []string) (out []risk, ok bool) {
	if !v.policy.Deep || c.open || len(inner) < 3 || !interpreters[inner[0]].shell || !takesScript(inner[1]) {
		return nil, false
	}
	mark := "{}"
	for i, a := range c.argv[:len(c.argv)-len(inner)] {
		switch {
		case c.argv[0] != "xargs":
		case a == "-I":
			mark = c.argv[i+1]
		case strings.HasPrefix(a, "-I"):
			mark = a[2:]
		case strings.HasPrefix(a, "-i"), strings.HasPrefix(a, "--"):
			return nil, false
		}
	}
	if strings.Contains(inner[2], mark) {
		return nil, false
	}
	return either(v, inner[2], c.depth+1), true
}

// takesScript says whether an option of a shell is -c, alone or behind letters that do not change what is run.
func takesScript(option string) bool {
	return strings.HasPrefix(option, "-") && strings.HasSuffix(option, "c") && strings.Trim(option[1:], "celux") == ""
}

// tellsItself says whether an interpreter with this option alone does nothing but say which version it is.
func tellsItself(name, option string) bool {
	switch name {
	case "ed", "ex", "tclsh", "expect": // to some of them --version means nothing, and they go on to what they read
		return false
	}
	return option == "--version" || option == versionOption[name]
}

// sqlAsks begins what a database is asked and is not changed by, sqlChanges is in what changes one or reaches beyond it.
var (
	sqlAsks = pattern.Of(`(?i)^\s*(select|explain|with|pragma [a-z_]+;?\s*$|` +
		`\.(tables|schema|indexes|indices|databases|mode|headers?|width|dump)\b)`)
	sqlChanges = pattern.Of(`(?i)\b(insert|update|delete|drop|alter|create|replace|attach|detach|vacuum|reindex|writefile|readfile|edit|` +
		`load_extension|begin|commit)\b`)
)

// sqlOptions are options of sqlite3 that say how answers look.
var sqlOptions = words("-header -column -json -csv -line -readonly -box -table -markdown")

// onlyAsks says whether sqlite3 is given a database and what asks it something.
func onlyAsks(args []string) bool {
	for len(args) > 0 && sqlOptions()[args[0]] {
		args = args[1:]
	}
	return len(args) > 1 && !strings.HasPrefix(args[0], "-") && !slices.ContainsFunc(args[1:], func(a string) bool {
		return !sqlAsks().MatchString(a) || sqlChanges().MatchString(a)
	})
}

// interpreter is judged by the code it is given, as far as there is a way to read it: shell scripts are parsed,
// other languages are searched for grave words, files of the project count as the project's code.
func (v viewer) interpreter(c command) []risk {
	name := c.argv[0]
	if len(c.argv) == 2 && tellsItself(name, c.argv[1]) {
		return []risk{{kind: safe}}
	}
	if interpreters[name].shell && len(c.argv) > 2 && takesScript(c.argv[1]) {
		if c.open {
			return []risk{{unclear, "", "script run by " + name + " is only known at run time"}}
		}
		if name == "bash" {
			return v.nested(c.argv[2], c.depth+1)
		}
		return either(v, c.argv[2], c.depth+1)
	}
	if name == "bc" && v.policy.Confined { // it computes and has no way to do anything else
		return works(v, c, name)
	}
	if name == "sqlite3" && v.policy.Deep && !c.piped && !c.open && onlyAsks(c.args()) {
		return works(v, c, name)
	}
	if chains()[name] != nil {
		if out, ok := chainOf(v, c); ok {
			return out
		}
	}
	if out, ok := interprets(v, c); ok {
		return out
	}
	if out, ok := shellScript(v, c); ok {
		return out
	}
	if c.piped {
		return []risk{{unclear, "", "pipes another command's output into " + name}}
	}
	return []risk{{runs, "", name + " runs a program that is not analysed"}}
}
