package permission

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/shell"
)

// runsProject judges a command that works on the project: in a sandbox it runs without approval, unless its words lead out of the project.
//
// In a sandbox, the project's own programs and those of its tool chains have no network, see no secrets and write only
// to the project, which /undo restores. This file decides which commands are such programs; what would destroy
// something else still needs approval.
func runsProject(v analyzer, c command, what string) []risk {
	if !v.policy.Confined {
		return []risk{{runs, "", what + " runs project code"}}
	}
	if word := outsideWord(v, c); word != "" {
		return []risk{{runs, "", what + " is given " + word + ", which is outside the project"}}
	}
	return []risk{{builds, "", what + " runs project code in the sandbox"}}
}

// outsideWord returns a word that names a file outside the project, other than one that may be read there; if the word
// is for output, the file must be writable. Empty: there is none. Words that do not look like paths do not count: the
// sandbox restricts the program whatever they mean.
func outsideWord(v analyzer, c command) string {
	args, slashes := c.args(), slashOptions()[base(c.argv[0])]
	for i, a := range args {
		value := a[strings.LastIndexAny(a, "=@")+1:]
		if name, rest, ok := strings.Cut(value, ":"); slashes && ok && strings.LastIndexByte(name, '/') == 0 { // /t:Build
			value = rest
		}
		if slashTargets()[base(c.argv[0])] && strings.HasPrefix(strings.TrimPrefix(a, "-"), "//") { // //pkg:target
			continue
		}
		if i > 0 && (args[i-1] == "-n" || args[i-1] == "--name") && strings.HasSuffix(value, "/") { // selects tests by name
			continue
		}
		if strings.HasPrefix(value, "-") { // -C../x, -o/x
			value = value[max(0, strings.IndexAny(value, "./~")):]
		}
		if len(value) > 4096 || !pathlike(value) {
			continue
		}
		written := namesOutput(a) || i > 0 && namesOutput(args[i-1])
		if where, _ := v.policy.region(v.touch(reads, value).path, written); where != inside && where != temporary {
			return a
		}
	}
	return ""
}

// slashOptions are programs whose options begin with a slash.
var slashOptions = wordSet("dotnet msbuild csc vbc fsc vstest.console xbuild")

// pathlike reports whether a word names a place that need not be below the current folder.
func pathlike(word string) bool {
	if strings.Contains(word, "://") {
		return false
	}
	return filepath.IsAbs(word) || word == ".." || strings.HasPrefix(word, "../") || strings.Contains(word, "/../") ||
		strings.HasPrefix(word, "~")
}

// slashTargets are programs whose targets begin with two slashes.
var slashTargets = wordSet("bazel bazelisk buck2")

// namesOutput reports whether a word is an option that names an output.
func namesOutput(option string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
	writes := name == "o" || goOutputFlags()[name] || strings.HasPrefix(option, "-o/") ||
		strings.Contains(name, "out") || strings.Contains(name, "dir") || strings.Contains(name, "prefix")
	return writes && strings.HasPrefix(option, "-")
}

// toolchainProgram judges a program of a tool chain that only works on the project.
func toolchainProgram(v analyzer, c command) []risk {
	name := base(c.argv[0])
	if word := fetchWord(name, c.args()); word != "" {
		return []risk{{sends, "", name + " " + word + " may download or publish packages"}}
	}
	if !taskRunners()[name] {
		return runsProject(v, c, name)
	}
	if task := outwardTask(taskWords(c.args())); task != "" {
		return []risk{{sends, "", name + " " + task + " probably contacts other machines"}}
	}
	for _, task := range taskWords(c.args()) {
		if word := destructiveWord(append(strings.Split(task, ":"), task)); word != "" {
			return []risk{{loses, "", name + " " + task + " may delete data that no snapshot contains"}}
		}
	}
	return runsProject(v, c, name)
}

// projectWork judges a package manager, or a program that does more than build, by its words. ok is false if they are
// not known to work only on the project; the caller then judges the command by its name.
func projectWork(v analyzer, c command) (out []risk, ok bool) {
	name := base(c.argv[0])
	at, sub := subcommand(c.args())
	if !v.policy.Confined || sub == "" && !slices.Contains([]string{"poe", "invoke", "inv", "doit"}, name) {
		return nil, false
	}
	rest := c.args()[min(at+1, len(c.args())):]
	if execWords()[name][sub] {
		if inner := commandBehind(rest); len(inner) > 0 {
			own := command{argv: append([]string{name}, c.args()[:at]...)}
			if _, script, ok := strings.Cut(inner[0], ":"); ok && name == "hatch" { // ENVIRONMENT:SCRIPT
				inner = append([]string{script}, inner[1:]...)
			}
			there := installedCommand(v, command{inner, c.piped, c.unknownArg, c.depth + 1}, fetchMissing()[name])
			return append(there, runsProject(v, own, name+" "+sub)...), true
		}
	}
	task := ""
	if scriptWords()[name][sub] {
		task = cmp.Or(append(taskWords(rest), "")...)
	} else if (name == "yarn" || name == "pnpm" || name == "composer") && (projectWords()[name][sub] || definesScript(v, sub)) ||
		managerWords()[name] != nil && !managerWords()[name][sub] { // a script, a program of an installed package, or a plug-in
		task = sub
	}
	away := destructiveWord(append(slices.Clone(rest), strings.Split(task, ":")...))
	switch {
	case name == "yarn" && (sub == "workspace" || sub == "workspaces") && len(rest) > 1:
		return v.packageManager(command{append([]string{name}, rest[1:]...), c.piped, c.unknownArg, c.depth + 1}), true
	case task != "" && outwardTask([]string{task}) != "":
		return []risk{{sends, "", name + " " + task + " probably contacts other machines"}}, true
	case (task != "" || name == "rails" || name == "dotnet") && away != "":
		return []risk{{loses, "", name + " " + away + " may delete data that no snapshot contains"}}, true
	case name == "rails" && (strings.HasPrefix(sub, "test:") || strings.HasPrefix(sub, "spec:")), projectWords()[name][sub], task != "",
		projectWords()[name] == nil:
		return runsProject(v, c, strings.TrimSpace(name+" "+sub)), true
	}
	return nil, false
}

// definesScript reports whether package.json or composer.json, here or above in the project, has a script of that name.
func definesScript(v analyzer, name string) bool {
	return upwards(v, func(dir string) bool {
		for _, file := range []string{"package.json", "composer.json"} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err == nil && len(text) < 1<<20 && strings.Contains(string(text), `"`+name+`"`) {
				return true
			}
		}
		return false
	})
}

// upwards tries the folder where a command runs and those above it in the project. It stops at the top of the project,
// so that nobody else's file decides what a name means.
func upwards(v analyzer, try func(dir string) bool) bool {
	for dir := v.dir; dir != ""; dir = filepath.Dir(dir) {
		if !v.policy.Inside(shell.Real(dir)) {
			return false
		}
		if try(dir) {
			return true
		}
	}
	return false
}

// Options of package managers that name the folder to work in, that fetch nothing, and that take a value and fetch nothing.
var (
	dirOptions      = wordSet("--prefix -C --dir --cwd -w --workspace --filter -F --project --directory -p --package -d --working-dir")
	harmlessOptions = wordSet("-q --quiet --no-install --offline --frozen --no-sync --locked --isolated -T --no-capture-output " +
		"--parallel -r --bun")
	valueOptions = wordSet("-n --name --group --extra --project --directory --filter")
)

// subcommand is the first word that is neither an option nor the value of one known to take a value.
func subcommand(args []string) (at int, sub string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case dirOptions()[a]:
			i++
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+"):
			return i, a
		}
	}
	return len(args), ""
}

// commandBehind is the command after uv run, npx and the like; empty: there is none, or an option may fetch something.
// Any option that is not listed counts as one that may.
func commandBehind(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return args[i+1:]
		case harmlessOptions()[a]:
		case valueOptions()[a]:
			i++
		case strings.HasPrefix(a, "-"):
			return nil
		default:
			return args[i:]
		}
	}
	return nil
}

// installedCommand judges a command that a package manager finds: one of the tool chain, a program of a package installed in the project,
// or one that it would fetch, if fetches is set.
func installedCommand(v analyzer, c command, fetches bool) []risk {
	name := c.argv[0]
	if strings.ContainsAny(name, `/\`) || isKnownCommand(name) || toolchainPrograms()[name] || taskRunners()[name] ||
		projectWords()[name] != nil {
		return v.argv(c.argv, c.piped, c.unknownArg, "", c.depth)
	}
	if word := destructiveWord(c.args()); word != "" {
		return []risk{{loses, "", name + " " + word + " may delete data that no snapshot contains"}}
	}
	there := upwards(v, func(dir string) bool {
		for _, place := range []string{"node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", "bin"} {
			if info, err := os.Stat(filepath.Join(dir, place, name)); err == nil && !info.IsDir() {
				return true
			}
		}
		return false
	})
	if task := outwardTask([]string{name}); task != "" {
		return []risk{{sends, "", task + " probably contacts other machines"}}
	}
	if scripts()[strings.ToLower(filepath.Ext(name))] || there || !fetches {
		return runsProject(v, c, name)
	}
	return []risk{{sends, "", name + " is not installed in the project, so it may be downloaded"}}
}

// npx judges npx, which runs a program of an installed package, or downloads it.
func npx(v analyzer, c command) []risk {
	fetches := []risk{{sends, "", "downloads and runs a package"}}
	inner := commandBehind(c.args())
	if !v.policy.Confined || len(inner) == 0 || strings.Contains(inner[0], "@") {
		return fetches
	}
	return installedCommand(v, command{inner, c.piped, c.unknownArg, c.depth + 1}, true)
}

// projectProgram judges a program of the project, named by its path.
func projectProgram(v analyzer, argv []string) []risk {
	name := base(filepath.ToSlash(argv[0]))
	named := []string{name}
	if taskRunners()[name] {
		named = taskWords(argv[1:])
	}
	switch task, word := outwardTask(named), destructiveWord(argv[1:]); {
	case task != "":
		return []risk{{sends, "", task + " probably contacts other machines"}}
	case word != "":
		return []risk{{loses, "", argv[0] + " " + word + " may delete data that no snapshot contains"}}
	}
	return runsProject(v, command{argv: argv}, argv[0])
}
