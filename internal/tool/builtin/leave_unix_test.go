//go:build unix

package builtin

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What a script started ends with it, and a job with its conversation, also what neither waits for (S14, S54). What runs
// holds the writing end of a pipe: reading from it ends only once that is gone.
func TestWhatAScriptStartedEnds(t *testing.T) {
	for name, script := range map[string]string{
		"in the background":    `sh -c 'exec 3>PIPE; sleep 300 >/dev/null 2>&1 &'`,
		"of a subshell":        `(sh -c 'exec 3>PIPE; sleep 300' >/dev/null 2>&1 &); true`,
		"deaf to being ended":  `sh -c 'trap "" TERM; exec 3>PIPE; sleep 300 >/dev/null 2>&1 &'`,
		"a job, which goes on": `sh -c 'exec 3>PIPE; sleep 300'`,
	} {
		t.Run(name, func(t *testing.T) {
			env, _ := conversation(t, t.TempDir())
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			end, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer end.Close()
			script = strings.ReplaceAll(script, "PIPE", pipe)
			if strings.HasPrefix(name, "a job") {
				_, err = sh(t, env, jobStart, jobStartArgs{Command: script})
				env.Session.Close()
			} else {
				_, err = sh(t, env, bash, bashArgs{Command: script})
			}
			if err != nil {
				t.Error(err)
			}
			if body, err := io.ReadAll(end); err != nil || len(body) > 0 {
				t.Errorf("read %q, %v", body, err)
			}
		})
	}
}

// A program for which there is no sandbox is not run without one (S58).
func TestNoSandboxNoProgram(t *testing.T) {
	dir := t.TempDir()
	env, _ := conversation(t, dir)
	env.Start = func(*exec.Cmd) (func() error, error) { return nil, errors.New("the sandbox is not to be had") }
	for _, script := range []string{"touch made", "env touch made; true", "sh -c 'touch made' & wait", "x=$(touch made); echo $x"} {
		out, err := sh(t, env, bash, bashArgs{Command: script})
		if err == nil && !strings.ContainsAny(script, "&$") { // what runs apart fails by itself
			t.Errorf("%s: %q", script, out.Text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a program ran without its sandbox")
	}
}
