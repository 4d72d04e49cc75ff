package builtin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/git"
)

// plainDiff replaces a program that a repository names for its diffs. Git cannot be told to use none: git 2.39 tries
// to start a program without a name.
const plainDiff = `f() { diff -u -L "a/$1" -L "b/$1" "$2" "$5"; :; }; f`

// quietGit makes git, even inside a wrapper, start nothing that a repository's settings name: monitors, hooks,
// programs for diffs, transports. It uses GIT_CONFIG_COUNT, which overrides every settings file and needs no change
// of the command. It is not a security boundary, as the sandbox is. It keeps a repository from running its own
// programs where a person allowed git.
func quietGit(ctx context.Context, cmd *exec.Cmd) {
	if !slices.ContainsFunc(cmd.Args, func(a string) bool { return filepath.Base(a) == "git" || strings.Contains(a, "git ") }) {
		return
	}
	settings := [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"protocol.ext.allow", "never"}}
	if !ownDiff(ctx, cmd) {
		settings = append(settings, [2]string{"diff.external", plainDiff})
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)))
	for i, s := range settings {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
}

// ownDiff reports whether git's own diff is safe for a plain call of git that shows one: the repository names no
// program for it.
func ownDiff(ctx context.Context, cmd *exec.Cmd) bool {
	shows := func(a string) bool { return a == "diff" || a == "stash" }
	if filepath.Base(cmd.Args[0]) != "git" || !slices.ContainsFunc(cmd.Args, shows) ||
		slices.ContainsFunc(cmd.Args[1:], func(a string) bool {
			return a == "-C" || strings.HasPrefix(a, "--git-dir") || strings.HasPrefix(a, "--work-tree")
		}) {
		return false
	}
	named, err := git.Names(ctx, cmd.Dir, "diff.external")
	return err == nil && !named
}
