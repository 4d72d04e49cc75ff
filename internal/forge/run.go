package forge

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/process"
)

// elsewhere are the variables that say which repository is meant, or change it: git drops its own as well when it goes to another one.
var elsewhere = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_NAMESPACE", "GIT_PREFIX",
	"GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
	"GIT_REPLACE_REF_BASE", "GH_REPO", "GITLAB_REPO", "GITLAB_HEAD_REPO"}

// environment is the person's, as their logins need it. A transport that runs a program, or the hooks of a folder, is none.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(elsewhere, name)
	})
	return append(env, "GIT_ALLOW_PROTOCOL=git:http:https:ssh", "GIT_TERMINAL_PROMPT=0", "GH_PROMPT_DISABLED=1", "NO_PROMPT=1")
}

// patience is how long a forge's program may take to do one thing, and a push may take all its time.
var patience = 3 * time.Minute

// mostOutput is how much of what a program prints is read: the end of it.
const mostOutput = 4 << 20

// run runs a program in the neutral repository, without a terminal. One that does not end is ended.
func (r Request) run(ctx context.Context, in, name string, args ...string) (string, error) {
	if name != "git" {
		late := fmt.Errorf("%s did not answer within %s", name, patience)
		limited, cancel := context.WithTimeoutCause(ctx, patience, late)
		defer cancel()
		out, err := r.start(limited, in, name, args...)
		if err != nil && context.Cause(limited) == late {
			err = late
		}
		return out, err
	}
	return r.start(ctx, in, name, args...)
}

// await runs a program that waits for others to end.
func (r Request) await(ctx context.Context, name string, args ...string) (string, error) {
	return r.start(ctx, "", name, args...)
}

func (r Request) start(ctx context.Context, in, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin, cmd.Env = r.Dir, strings.NewReader(in), environment()
	out, said := &process.Tail{Most: mostOutput}, &process.Tail{Most: mostOutput}
	cmd.Stdout, cmd.Stderr = out, said
	err := process.Run(cmd)
	if code := process.Code(cmd.ProcessState); err == nil && code != 0 {
		err = fmt.Errorf("%s failed with status %d", name, code)
		if why := complaint(said.String()); why != "" {
			err = fmt.Errorf("%s: %s", name, why)
		}
	}
	return strings.TrimSpace(out.String()), err
}

// complaint is what a program said last, or git's own reason instead of its advice.
func complaint(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if why, ok := strings.CutPrefix(line, "fatal: "); ok {
			return why
		}
		lines = append(lines, line)
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
