package permission

import (
	"os"
	"slices"
	"strings"
)

// wrapper is a command that runs another one, given in its arguments.
type wrapper struct {
	flags    string // letters of options without a value
	values   string // letters of options whose value follows, in the same word or the next
	words    int    // arguments before the command: a duration, a priority
	setsVars bool   // NAME=value may come before the command
	addsArgs bool   // it adds unknown arguments
	script   bool   // it passes its arguments to a shell
	opaque   bool   // it runs what it reads elsewhere: always needs approval
}

// wrappers run the command after them, which is judged as itself; an option that is not listed needs approval.
var wrappers = map[string]*wrapper{
	"env": {flags: "0", setsVars: true}, "nohup": {}, "nice": {values: "n", flags: "0123456789"}, "ionice": {values: "cn"},
	"chrt": {flags: "bfior", words: 1}, "timeout": {flags: "v", values: "ks", words: 1},
	"time": {flags: "pv"}, "xargs": {flags: "0rtp", values: "nPILdsE", addsArgs: true}, "watch": {flags: "dtbeg", values: "n",
		script: true},
	"setsid": {flags: "fwc"}, "command": {flags: "pvV"}, "exec": {flags: "cl", values: "a"},
	"stdbuf": {values: "ioe"}, "unbuffer": {}, "busybox": {}, "parallel": {values: "j", opaque: true},
	"flock": {flags: "nsxu", values: "w", words: 1}, "caffeinate": {flags: "dimsu"}, "catchsegv": {},
	"strace": {flags: "f", values: "e"}, "ltrace": {}, "script": {flags: "q", opaque: true},
	"entr": {flags: "rcdnps", opaque: true}, "toybox": {}, "setarch": {opaque: true}, "linux32": {opaque: true}, "linux64": {opaque: true},
	"taskset": {opaque: true}, "numactl": {opaque: true}, "prlimit": {opaque: true}, "cpulimit": {opaque: true}, "firejail": {opaque: true},
	"bwrap": {opaque: true}, "proot": {opaque: true},
	"fakeroot": {opaque: true}, "torsocks": {opaque: true}, "proxychains": {opaque: true}, "proxychains4": {opaque: true},
	"dbus-run-session": {opaque: true}, "xvfb-run": {opaque: true}, "rlwrap": {opaque: true}, "ssh-agent": {opaque: true},
	"sshpass": {opaque: true}, "start-stop-daemon": {opaque: true}, "run-parts": {opaque: true}, "faketime": {opaque: true},
	"valgrind": {opaque: true}, "perf": {opaque: true}, "hyperfine": {opaque: true}, "nodemon": {opaque: true}, "watchexec": {opaque: true},
	"screen": {opaque: true}, "winpty": {opaque: true}, "daemonize": {opaque: true}, "tini": {opaque: true}, "dumb-init": {opaque: true},
	"choom": {opaque: true}, "uclampset": {opaque: true}, "chronic": {opaque: true}, "pee": {opaque: true}, "softlimit": {opaque: true},
}

// inner is the command a wrapper runs; ok is false for an unknown option.
func (w *wrapper) inner(args []string) (rest []string, sets []string, ok bool) {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "--") {
			known := a == "--null" && (w.setsVars || w.addsArgs) || a == "--no-run-if-empty" && w.addsArgs // of env and xargs
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
	for w.setsVars && len(args) > 0 && strings.Contains(args[0], "=") {
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

// wrapper judges a wrapper by the command it runs, in the folder where it runs it.
func (v analyzer) wrapper(c command) []risk {
	w := wrappers[c.argv[0]]
	if w == nil {
		return []risk{{runs, "", "effect of " + c.argv[0] + " is unknown"}}
	}
	if c.argv[0] == "command" && len(c.argv) > 1 && (c.argv[1] == "-v" || c.argv[1] == "-V") {
		return []risk{{kind: safe}}
	}
	if c.argv[0] == "env" && v.policy.Confined {
		w, c.argv = &wrapper{flags: "0iv", values: "u", setsVars: true}, shortened(c.argv)
	}
	rest, sets, ok := w.inner(c.args())
	if !ok || w.opaque || w.script && len(rest) == 0 {
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
		return append(out, innerScriptAny(v, strings.Join(rest, " "), c.depth+1)...)
	}
	if script, ok := scriptFor(v, c, rest); ok && w.addsArgs {
		return append(out, script...)
	}
	out = append(out, v.argv(rest, c.piped, c.unknownArg || w.addsArgs, "", c.depth+1)...)
	if below, ok := v.xargsFiles(rest, out); c.argv[0] == "xargs" && ok {
		return append(out, below...)
	}
	if w.addsArgs && !harmlessWith()[rest[0]] && !sandboxHolds(v, rest, out) {
		out = append(out, risk{unclear, "", "arguments for " + rest[0] + " are only known to " + c.argv[0]})
	}
	return out
}

// shortened returns the arguments of env with its long options as short ones.
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

// scriptFor judges a script to which find or xargs passes names: its text is known, and the names, which are $1 to it, are not. ok is
// false if a name may become part of the script.
func scriptFor(v analyzer, c command, inner []string) (out []risk, ok bool) {
	if !v.policy.Deep || c.unknownArg || len(inner) < 3 || !interpreters[inner[0]].shell || !takesScript(inner[1]) {
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
	return innerScriptAny(v, inner[2], c.depth+1), true
}
