package permission

import (
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/pattern"
)

// goCommand judges the go command: its reports only read; building and testing runs the project's code. Flags that
// bring in code or tools from elsewhere are checked first, wherever they are.
func (v analyzer) goCommand(c command) []risk {
	if len(c.argv) < 2 {
		return []risk{{kind: safe}}
	}
	flags := goFlags(c.args())
	has := func(names map[string]bool) (goFlag, bool) {
		i := slices.IndexFunc(flags, func(f goFlag) bool { return names[f.name] })
		if i < 0 {
			return goFlag{}, false
		}
		return flags[i], true
	}
	if f, ok := has(goUnsafeFlags()); ok {
		return []risk{{unclear, "", "go -" + f.name + " " + f.value + " may run or build code from outside the project"}}
	}
	switch sub := c.argv[1]; sub {
	case "version", "help", "doc":
		return []risk{{kind: safe}}
	case "env":
		if _, ok := has(map[string]bool{"w": true, "u": true}); !ok {
			return []risk{{kind: safe}}
		}
		return []risk{{unclear, "", "changes Go settings"}}
	case "build", "test", "vet", "list", "fmt":
		if _, asks := has(map[string]bool{"versions": true, "u": true}); asks && sub == "list" {
			return []risk{{sends, "", "contacts a module proxy"}}
		}
		return runsProject(v, c, "go "+sub)
	case "get", "install", "mod", "work", "generate", "run", "tool", "clean":
		if sub == "get" || sub == "install" || sub == "mod" && len(c.argv) > 2 && c.argv[2] != "graph" && c.argv[2] != "why" &&
			c.argv[2] != "edit" {
			return []risk{{sends, "", "may download packages"}}
		}
		if sub == "run" && slices.ContainsFunc(c.args(), func(a string) bool {
			return strings.Contains(a, "@") &&
				!strings.HasPrefix(a, "-")
		}) {
			return []risk{{sends, "", "downloads and runs a package"}}
		}
	}
	return runsProject(v, c, "go "+c.argv[1])
}

// packageManager judges package managers that also build and test.
func (v analyzer) packageManager(c command) []risk {
	sub := ""
	if len(c.argv) > 1 {
		sub = c.argv[1]
	}
	installed := v.policy.Confined && c.argv[0] == "cargo"
	if i := slices.IndexFunc(c.args(), choosesPrograms); i >= 0 && !(installed && toolchain().MatchString(c.args()[i])) {
		return []risk{{unclear, "", c.argv[0] + " " + c.args()[i] + " changes which programs it runs"}}
	}
	if slices.ContainsFunc(c.args(), func(a string) bool { return a == "publish" || a == "unpublish" || a == "yank" }) {
		return []risk{{loses, "", "publishing cannot be undone"}}
	}
	if out, ok := projectWork(v, c); ok {
		return out
	}
	switch {
	case sub == "" && (c.argv[0] == "yarn" || c.argv[0] == "pnpm" || c.argv[0] == "bun"):
		return []risk{{sends, "", c.argv[0] + " without a command installs packages and runs their scripts"}}
	case sub == "" || sub == "--version" || sub == "-v" || sub == "-V" || sub == "help" || sub == "ls" || sub == "list":
		if c.argv[0] != "npm" && c.argv[0] != "bun" && sub != "" { // a project may name another program, hooks or an alias
			return runsProject(v, c, c.argv[0]+" "+sub)
		}
		return []risk{{kind: safe}}
	case c.argv[0] == "cargo" && slices.Contains([]string{"build", "test", "check", "clippy", "fmt"}, sub), sub == "test":
		return runsProject(v, c, c.argv[0]+" "+sub)
	case sub == "run" || sub == "start" || sub == "bench":
		return []risk{{runs, "", c.argv[0] + " " + sub + " runs project scripts"}}
	}
	return []risk{{sends, "", c.argv[0] + " " + sub + " may download and run packages"}}
}

// toolchain matches cargo's argument that selects an installed compiler.
var toolchain = pattern.Of(`^\+[a-z0-9.-]+$`)

// choosesPrograms reports whether an option of a package manager names programs, or settings that may.
func choosesPrograms(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return slices.Contains([]string{"--config", "--script-shell", "--node-options", "--shell", "--userconfig", "--globalconfig",
		"--manifest-path"}, name) || strings.HasPrefix(a, "+")
}

// make runs the project's makefile. Arguments that set variables or options can make it run anything else.
func (v analyzer) make(c command) []risk {
	for i, a := range c.args() {
		name, _, sets := strings.Cut(a, "=")
		switch {
		case !strings.HasPrefix(a, "-") && sets && steersMake(name):
			return []risk{{unclear, "", "make " + a + " changes what make runs"}}
		case v.policy.Confined && (makeOptions()[a] || strings.HasPrefix(a, "-j$(nproc") || i > 0 && makeOptions()[c.args()[i-1]]):
		case strings.HasPrefix(a, "-") && a != "-j" && a != "-s" && a != "-k" && a != "-B" && strings.Trim(a, "-j0123456789") != "":
			return []risk{{unclear, "", "make " + a + " changes what make runs"}}
		}
	}
	if slices.ContainsFunc(c.args(), func(a string) bool { return a == "-n" || a == "--dry-run" || a == "--just-print" }) {
		return runsProject(v, c, "make -n") // recipes are printed, not run
	}
	return toolchainProgram(v, c)
}

// steersMake reports whether a variable of make changes which programs it runs.
func steersMake(name string) bool {
	return !searchPathVars()[name] && (name == "SHELL" || strings.HasPrefix(name, ".") || assignment(name).kind == unclear)
}

// makeOptions are options of make that change where or how much it works, but not what runs.
var makeOptions = wordSet("-C -f -n --dry-run --just-print -i -w -O --no-print-directory --always-make " +
	"--keep-going --silent --quiet --output-sync --debug -p -q -t --directory --file")

// goFlag is a flag of the go command, in any spelling: -exec x, --exec x, -exec=x.
type goFlag struct{ name, value string }

// goFlags returns the flags among the arguments of a go command. The argument after a flag may or may not be its value.
func goFlags(args []string) (out []goFlag) {
	for i, a := range args {
		name := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
		if name == a || name == "" {
			continue
		}
		name, value, glued := strings.Cut(name, "=")
		if !glued && i+1 < len(args) {
			value = args[i+1]
		}
		out = append(out, goFlag{name, value})
	}
	return out
}

// goProgramFlags are the flags of go whose value is a program to run.
var goProgramFlags = wordSet("exec toolexec vettool")

// goUnsafeFlags make go run or build something other than the project's own code.
var goUnsafeFlags = wordSet("exec toolexec vettool overlay modfile")

// goOutputFlags make go work, or write, elsewhere.
var goOutputFlags = wordSet("o C outputdir pkgdir cpuprofile memprofile blockprofile mutexprofile trace coverprofile")
