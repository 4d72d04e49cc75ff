package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// interpreters run programs in their own language. shell: a script given with -c can be parsed; script: it takes one.
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

// interpreter judges an interpreter by its code, as far as that can be read: shell scripts are parsed, other languages
// are searched for dangerous words, files of the project count as the project's code.
func (v analyzer) interpreter(c command) []risk {
	name := c.argv[0]
	if len(c.argv) == 2 && printsVersion(name, c.argv[1]) {
		return []risk{{kind: safe}}
	}
	if interpreters[name].shell && len(c.argv) > 2 && takesScript(c.argv[1]) {
		if c.unknownArg {
			return []risk{{unclear, "", "script run by " + name + " is only known at run time"}}
		}
		if name == "bash" {
			return v.innerScript(c.argv[2], c.depth+1)
		}
		return innerScriptAny(v, c.argv[2], c.depth+1)
	}
	if name == "bc" && v.policy.Confined { // it computes and cannot do anything else
		return runsProject(v, c, name)
	}
	if name == "sqlite3" && v.policy.Deep && !c.piped && !c.unknownArg && onlyQueries(c.args()) {
		return runsProject(v, c, name)
	}
	if projectWords()[name] != nil {
		if out, ok := projectWork(v, c); ok {
			return out
		}
	}
	if out, ok := interpretedProgram(v, c); ok {
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

// versionOption are the short options with which interpreters print their version and exit. With -v others print more,
// and still run what they read.
var versionOption = map[string]string{
	"python": "-V", "python2": "-V", "python3": "-V", "node": "-v", "nodejs": "-v", "deno": "-V", "perl": "-v", "ruby": "-v", "php": "-v",
	"lua": "-v", "luajit": "-v", "gdb": "-v", "ghc": "-V", "emacs": "-V", "nano": "-V", "ts-node": "-v", "tsx": "-v", "fish": "-v",
}

// takesScript reports whether an option of a shell is -c, alone or after letters that do not change what is run.
func takesScript(option string) bool {
	return strings.HasPrefix(option, "-") && strings.HasSuffix(option, "c") && strings.Trim(option[1:], "celux") == ""
}

// printsVersion reports whether an interpreter with only this option does nothing but print its version.
func printsVersion(name, option string) bool {
	switch name {
	case "ed", "ex", "tclsh", "expect": // some of them ignore --version and run what they read
		return false
	}
	return option == "--version" || option == versionOption[name]
}

// sqlQueries matches the beginning of a query that does not change the database; sqlChanges matches what changes a database or reaches
// beyond it.
var (
	sqlQueries = pattern.Of(`(?i)^\s*(select|explain|with|pragma [a-z_]+;?\s*$|` +
		`\.(tables|schema|indexes|indices|databases|mode|headers?|width|dump)\b)`)
	sqlChanges = pattern.Of(`(?i)\b(insert|update|delete|drop|alter|create|replace|attach|detach|vacuum|reindex|writefile|readfile|edit|` +
		`load_extension|begin|commit)\b`)
)

// sqlOptions are options of sqlite3 that only affect the output.
var sqlOptions = wordSet("-header -column -json -csv -line -readonly -box -table -markdown")

// onlyQueries reports whether sqlite3 is given a database and only queries.
func onlyQueries(args []string) bool {
	for len(args) > 0 && sqlOptions()[args[0]] {
		args = args[1:]
	}
	return len(args) > 1 && !strings.HasPrefix(args[0], "-") && !slices.ContainsFunc(args[1:], func(a string) bool {
		return !sqlQueries().MatchString(a) || sqlChanges().MatchString(a)
	})
}
