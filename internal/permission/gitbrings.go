package permission

import (
	"path/filepath"
	"slices"
	"strings"
)

// gitBrings are the commands of git that make the work tree as commits, the index or the stash have it.
var gitBrings = []string{"checkout", "switch", "restore", "reset", "merge", "pull", "rebase", "cherry-pick", "revert", "stash"}

// gitPlain are the variables by which nobody has git start other programs. Of settings only as many count as the tool itself gives.
var gitPlain = []string{"GIT_PAGER", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_AUTHOR_", "GIT_COMMITTER_"}

// Brings says whether a command line of git's own changes the work tree only to what git holds, and neither its words nor its
// environment name another program to run.
func Brings(argv, env []string) bool {
	if slices.ContainsFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		own := slices.ContainsFunc(gitPlain, func(plain string) bool { return strings.HasPrefix(name, plain) })
		return strings.HasPrefix(name, "GIT_") && !own || name == "EDITOR" || name == "VISUAL"
	}) {
		return false
	}
	if len(argv) == 0 || strings.TrimSuffix(filepath.Base(argv[0]), ".exe") != "git" {
		return false
	}
	args := argv[1:]
	for len(args) > 0 && slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}, args[0]) {
		args = args[1:]
	}
	if len(args) == 0 || !slices.Contains(gitBrings, args[0]) {
		return false
	}
	sub, rest := args[0], args[1:]
	return runsProgram(sub, rest) == "" && !(sub == "rebase" && len(gitOptions(sub, rest, "-x", "--interactive", "-i")) > 0)
}
