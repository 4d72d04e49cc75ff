package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/tool"
)

// conversation is a place where every act is allowed and noted.
func conversation(t *testing.T, dir string) (env tool.Env, acts *[]tool.Act) {
	t.Helper()
	acts = &[]tool.Act{}
	s := &tool.Session{}
	t.Cleanup(func() { s.Close() })
	return tool.Env{Dir: dir, Session: s, Allow: func(_ context.Context, a ...tool.Act) error {
		*acts = append(*acts, a...)
		return nil
	}}, acts
}

func sh(t *testing.T, env tool.Env, one tool.Tool, args any) (tool.Output, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return one.Run(t.Context(), raw, env)
}

// Folder, variables and functions last; what is not exported is not seen by programs; secrets of ours are not either.
func TestShellLasts(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "sub"), 0o755)
	t.Setenv("A_SECRET_TOKEN", "hunter2")
	env, _ := conversation(t, dir)
	for _, c := range []struct{ script, want string }{
		{"cd sub; X=1; export Y=2; f() { echo f$1; }", "[no output]\n"},
		{"basename $PWD; echo $X; sh -c 'echo [$X][$Y]'; f 3", "sub\n1\n[][2]\nf3\n"},
		{"echo [$A_SECRET_TOKEN]; env | grep -c hunter2", "[]\n0\n\n[exit status 1]\n"},
		{"exit 3", "\n[exit status 3]\n"},
		{"echo still here >&2; cat nowhere 2>/dev/null || echo lost", "still here\nlost\n"},
	} {
		out, err := sh(t, env, bash, bashArgs{Command: c.script})
		if err != nil || strings.ReplaceAll(out.Text, "0\n\n[", "0\n[") != strings.ReplaceAll(c.want, "0\n\n[", "0\n[") {
			t.Errorf("%s: %q %v, want %q", c.script, out.Text, err, c.want)
		}
	}
}

// Every command is asked about as it really is, and what is refused does not happen.
func TestShellAsksAboutWhatRuns(t *testing.T) {
	dir := t.TempDir()
	env, _ := conversation(t, dir)
	var seen []string
	env.Allow = func(_ context.Context, acts ...tool.Act) error {
		for _, a := range acts {
			if a.Script == nil {
				seen = append(seen, a.Text)
			}
			if a.Command != nil && a.Argv[0] == "rm" || a.Effect == tool.Writes && filepath.Base(a.Path) == "no" {
				return errors.New("refused")
			}
		}
		return nil
	}
	os.WriteFile(filepath.Join(dir, "keep"), nil, 0o644)
	_, err := sh(t, env, bash, bashArgs{Command: "x=keep; cat $x; $(echo rm) $x; echo never > yes"})
	if err == nil || !strings.Contains(err.Error(), "refused") || strings.Join(seen, "|") != "cat keep|echo rm|rm keep" {
		t.Errorf("%v, seen %q", err, seen)
	}
	if _, err := os.Stat(filepath.Join(dir, "keep")); err != nil {
		t.Error("the file is gone")
	}
	if _, err := sh(t, env, bash, bashArgs{Command: "echo x > no"}); err == nil {
		t.Error("a file was written that was refused")
	}
	if _, err := os.Stat(filepath.Join(dir, "yes")); err == nil {
		t.Error("the script went on after a refusal")
	}
}

// A child that holds the pipe, or ignores that it shall end, does not keep the call.
func TestShellLeavesNothing(t *testing.T) {
	env, _ := conversation(t, t.TempDir())
	out, err := sh(t, env, bash, bashArgs{Command: "sh -c 'sleep 300 & echo begun'; (trap '' TERM; sleep 300) & echo done"})
	if err != nil || !strings.Contains(out.Text, "begun") || !strings.Contains(out.Text, "done") {
		t.Errorf("%q %v", out.Text, err)
	}
	_, err = sh(t, env, bash, bashArgs{Command: "sleep 300", Seconds: 1})
	if err == nil || !strings.Contains(err.Error(), "stopped after 1s") {
		t.Errorf("%v", err)
	}
}

func TestLongOutputKeepsItsEnds(t *testing.T) {
	env, _ := conversation(t, t.TempDir())
	out, err := sh(t, env, bash, bashArgs{Command: "seq 1 200000"})
	if err != nil || len(out.Text) > 25<<10 || !strings.HasPrefix(out.Text, "1\n2\n") || !strings.HasSuffix(out.Text, "\n200000\n") || !strings.Contains(out.Text, "bytes left out here") {
		t.Errorf("%d bytes, %v", len(out.Text), err)
	}
	if !strings.Contains(out.Whole, "\n100000\n") {
		t.Error("the middle is lost")
	}
}

// What a person sends to the background goes on after its call and its turn, as a job, and the next call has a shell of its own.
func TestSentToTheBackground(t *testing.T) {
	env, _ := conversation(t, t.TempDir())
	said := make(chan string, 10)
	env.Out = func(end string) { said <- end }
	turn, over := context.WithCancel(t.Context())
	ended := make(chan tool.Output)
	go func() {
		out, err := bash.Run(turn, json.RawMessage(`{"command": "echo up; sleep 300"}`), env)
		if err != nil {
			t.Error(err)
		}
		ended <- out
	}()
	for !strings.Contains(<-said, "up") {
	}
	away := tool.BackgroundOf(env.Session)
	if !away.Send() {
		t.Fatal("nothing was on offer")
	}
	out := <-ended
	if !strings.HasPrefix(out.Text, "up\n[The person sent it") ||
		!strings.HasSuffix(out.Show, "in the background as job 1") {
		t.Errorf("%q, shown as %q", out.Text, out.Show)
	}
	over()
	if away.Send() {
		t.Error("it is on offer once more")
	}
	env.Out = nil
	for _, c := range []struct {
		one  tool.Tool
		args any
		want string
	}{
		{bash, bashArgs{Command: "echo next"}, "next\n"},
		{jobOutput, jobOutputArgs{ID: 1}, "[job 1: running]\n"},
		{jobKill, jobKillArgs{ID: 1}, "Job 1 has ended.\n"},
	} {
		if out, err := sh(t, env, c.one, c.args); err != nil || out.Text != c.want {
			t.Errorf("%s: %q %v, want %q", c.one.Name, out.Text, err, c.want)
		}
	}
}

func TestJobs(t *testing.T) {
	env, _ := conversation(t, t.TempDir())
	if _, err := sh(t, env, jobStart, jobStartArgs{Command: "echo up; sleep 300"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		one  tool.Tool
		args any
		want string
	}{
		{jobStart, jobStartArgs{Command: "exit 4"}, "Job 2 runs"},
		{jobOutput, jobOutputArgs{ID: 2, Seconds: 20}, "ended with status 4"},
		{jobOutput, jobOutputArgs{ID: 1}, "running"},
		{jobStart, jobStartArgs{Command: "printf '%40000d\\033[31mthe end' 0"}, "Job 3 runs"},
		{jobOutput, jobOutputArgs{ID: 3, Seconds: 20}, "0the end"}, // the newest of what is too much, cleaned
		{jobKill, jobKillArgs{ID: 1}, "Job 1 has ended"},
		{jobOutput, jobOutputArgs{ID: 9}, "there is no job 9"},
	} {
		out, err := sh(t, env, c.one, c.args)
		if err != nil {
			out.Text = err.Error()
		}
		if !strings.Contains(out.Text, c.want) {
			t.Errorf("%s: %q, want %q", c.one.Name, out.Text, c.want)
		}
	}
}
