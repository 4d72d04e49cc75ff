package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// gitRestoring are the git commands that set the work tree to the state of commits, the index or the stash.
var gitRestoring = []string{"checkout", "switch", "restore", "reset", "merge", "pull", "rebase", "cherry-pick", "revert", "stash"}

// gitHarmlessVars are variables that cannot make git start other programs. Settings are limited to the number that the tool itself passes.
var gitHarmlessVars = []string{"GIT_PAGER", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_AUTHOR_", "GIT_COMMITTER_"}

// GitRestores reports whether a git command line changes the work tree only to what git stores, and neither its words
// nor its environment name another program to run. confine lets such a command change files that steer tools, and
// compares them afterwards.
func GitRestores(argv, env []string) bool {
	if slices.ContainsFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		own := slices.ContainsFunc(gitHarmlessVars, func(plain string) bool { return strings.HasPrefix(name, plain) })
		return strings.HasPrefix(name, "GIT_") && !own || name == "EDITOR" || name == "VISUAL"
	}) {
		return false
	}
	sub, rest, ok := gitCommand(argv)
	if !ok || !slices.Contains(gitRestoring, sub) {
		return false
	}
	return runsProgram(sub, rest) == "" && !(sub == "rebase" && len(gitOptions(sub, rest, "-x", "--interactive", "-i")) > 0)
}

// GitReads reports whether a command line is one of git that only reads.
func GitReads(argv []string) bool {
	sub, rest, ok := gitCommand(argv)
	_, reads := gitReads[sub]
	return ok && reads && analyzer{}.readsOnly(sub, rest)
}

// gitCommand splits a git command line; ok is false if it is none, or if an option before the subcommand may make git run anything.
func gitCommand(argv []string) (sub string, rest []string, ok bool) {
	if len(argv) == 0 || strings.TrimSuffix(filepath.Base(argv[0]), ".exe") != "git" {
		return "", nil, false
	}
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-C" && len(args) > 1:
			args = args[2:]
		case slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}, args[0]):
			args = args[1:]
		default:
			return "", nil, false
		}
	}
	if len(args) == 0 {
		return "", nil, false
	}
	return args[0], args[1:], true
}

// pushesTo is the folder on this machine that a push goes to, as far as its words say; empty: none.
func (s site) pushesTo(sub string, rest []string) string {
	if sub != "push" {
		return ""
	}
	for _, a := range rest {
		if strings.HasPrefix(a, "-") {
			_, a, _ = strings.Cut(a, "=")
		}
		path, file := strings.CutPrefix(a, "file:")
		if file || strings.HasPrefix(a, "/") || strings.HasPrefix(a, ".") || strings.HasPrefix(a, "~") || strings.Contains(a, `\`) {
			return path
		}
		if a != "" && !strings.Contains(a, ":") && (exists(s.dir, a, "HEAD") || exists(s.dir, a, ".git")) {
			return a
		}
	}
	return ""
}

// exists reports whether something exists at a path made of parts, even a broken link.
func exists(names ...string) bool {
	_, err := os.Lstat(filepath.Join(names...))
	return err == nil
}
