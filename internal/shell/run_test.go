package shell_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/shell"
)

// lets are hooks that let everything run.
func lets() shell.Hooks {
	return shell.Hooks{Call: func(context.Context, shell.Command, string) error { return nil }, Open: func(context.Context, string, bool) error { return nil }}
}

// begun is a session in a folder of its own, with the variable A that programs see.
func begun(t *testing.T) (s *shell.Session, dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir = shell.Real(t.TempDir())
	s, err := shell.NewSession(dir, []string{"PATH=" + os.Getenv("PATH"), "A=a"})
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// run runs a script and returns its status, what it said, and its error.
func run(t *testing.T, s *shell.Session, ctx context.Context, text string, h shell.Hooks) (int, string, error) {
	t.Helper()
	script, err := shell.Parse(text, s.Context())
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var said strings.Builder
	status, err := s.Run(ctx, script, h, &said)
	return status, said.String(), err
}

// Each script goes on where the one before ended: in its folder, with its variables and functions.
func TestSession(t *testing.T) {
	s, dir := begun(t)
	for _, c := range []struct {
		text, said string
		status     int
	}{
		{"echo $A; sh -c 'echo $A'", "a\na\n", 0}, {"B=b; export C=c; f() { echo f $B; }", "", 0}, {"f; sh -c 'echo $B$C'", "f b\nc\n", 0},
		{"mkdir d; cd d; pwd", dir + "/d\n", 0}, {"sh -c pwd", dir + "/d\n", 0},
		{"sh -c 'exit 3'", "", 3}, {"false", "", 1}, {"exit 7", "", 7}, {"echo on", "on\n", 0},
		{"sh -c 'echo out; echo err >&2'", "out\nerr\n", 0}, {"kill -0 $$; sh -c 'kill -9 $$'", "", 137},
		{"nothing-there; echo $?", "nothing-there: command not found\n127\n", 0},
		{"echo x > f; cat f; cat < f", "x\nx\n", 0}, {"echo y >> f; cat f", "x\ny\n", 0},
		{"echo x > /dev/null; cat /dev/null; cat < /dev/null", "", 0},
		{"echo x > /dev/stdout; echo y > /dev/stderr; cat < /dev/stdout", "x\ny\n", 0},
		{"mkfifo p; echo x > p; cat < p", "", 1}, {"cat < .", "", 1},
		{"cat; echo end", "end\n", 0},
	} {
		status, said, err := run(t, s, t.Context(), c.text, lets())
		if c.text == "cat < ." || strings.HasPrefix(c.text, "mkfifo") || strings.HasPrefix(c.text, "kill") { // whose words are those of the system
			said = c.said
		}
		if err != nil || status != c.status || said != c.said {
			t.Errorf("%s: %d %q %v", c.text, status, said, err)
		}
	}
	at := s.Context()
	for name, want := range map[string]string{"A": "a", "B": "b", "C": "c", "NONE": ""} {
		if got, ok := at.Var(name); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if at.Dir != filepath.Join(dir, "d") {
		t.Errorf("it is in %s", at.Dir)
	}
	if _, _, err := run(t, s, t.Context(), "unset A; B=(1 2)", lets()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		if got, ok := s.Context().Var(name); ok {
			t.Errorf("%s is still %q", name, got)
		}
	}
	if _, err := shell.NewSession(filepath.Join(dir, "nothing"), nil); err == nil || !strings.HasPrefix(err.Error(), "start a shell in ") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// What one command says to another by the name of a pipe arrives; no hook is asked about the shell's own pipes.
func TestOwnPipes(t *testing.T) {
	s, _ := begun(t)
	h := lets()
	h.Open = func(_ context.Context, path string, _ bool) error {
		t.Errorf("asked about %s", path)
		return nil
	}
	for text, want := range map[string]string{"cat <(echo a) <(echo b)": "a\nb\n", "cat < <(echo a)": "a\n", "echo a | cat": "a\n", "cat <<< a": "a\n", "cat <<E\na\nE": "a\n"} {
		if status, said, err := run(t, s, t.Context(), text, h); err != nil || status != 0 || said != want {
			t.Errorf("%s: %d %q %v", text, status, said, err)
		}
	}
}

// A program is asked about with the file it is and the folder it runs in; a built-in or a function has none.
func TestCall(t *testing.T) {
	s, dir := begun(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	var asked []string
	h := lets()
	h.Call = func(_ context.Context, c shell.Command, program string) error {
		own := ""
		if c.Own {
			own = " own"
		}
		asked = append(asked, strings.TrimPrefix(c.Dir, dir)+" "+c.Text+" "+program+own)
		return nil
	}
	if _, _, err := run(t, s, t.Context(), "f() { :; }; mkdir d; cd d; f; sh -c ''; echo 'a b'; nothing-there", h); err != nil {
		t.Fatal(err)
	}
	mkdir, _ := exec.LookPath("mkdir")
	want := []string{" mkdir d " + mkdir, " cd d ", "/d f  own", "/d : ", "/d sh -c '' " + sh, "/d echo 'a b' ", "/d nothing-there "}
	if got := strings.Join(asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
}

// What a subshell no longer has as a function is a program, and asked about as one before it starts.
func TestCallOfAFormerFunction(t *testing.T) {
	s, dir := begun(t)
	program := filepath.Join(dir, "tool")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused, h := errors.New("refused"), lets()
	h.Call = func(_ context.Context, c shell.Command, asked string) error {
		if asked == program {
			return refused
		}
		return nil
	}
	_, said, err := run(t, s, t.Context(), "PATH=$PWD:$PATH; tool() { :; }; tool; (unset -f tool; tool)", h)
	if !errors.Is(err, refused) || said != "" {
		t.Errorf("%q %v", said, err)
	}
}

// What a hook refuses ends the script with the hook's own error, before anything of it happens.
func TestHooksRefuse(t *testing.T) {
	refused := errors.New("refused")
	for name, set := range map[string]func(*shell.Hooks){
		"call":  func(h *shell.Hooks) { h.Call = func(context.Context, shell.Command, string) error { return refused } },
		"start": func(h *shell.Hooks) { h.Start = func(*exec.Cmd) (func() error, error) { return nil, refused } },
		"end": func(h *shell.Hooks) {
			h.Start = func(*exec.Cmd) (func() error, error) { return func() error { return refused }, nil }
		},
	} {
		s, dir := begun(t)
		h := lets()
		set(&h)
		_, said, err := run(t, s, t.Context(), "sh -c 'echo ran >> ran'; sh -c 'echo again >> ran'; echo said", h)
		ran, _ := os.ReadFile(filepath.Join(dir, "ran"))
		if want := map[string]string{"end": "ran\n"}[name]; !errors.Is(err, refused) || said != "" || string(ran) != want {
			t.Errorf("%s: %v, said %q, ran %q", name, err, said, ran)
		}
	}
}

// Start is given the program as it would run, and may change it.
func TestStart(t *testing.T) {
	s, dir := begun(t)
	h, ended := lets(), 0
	h.Start = func(cmd *exec.Cmd) (func() error, error) {
		if cmd.Dir != dir || cmd.Args[0] != "sh" || !filepath.IsAbs(cmd.Path) {
			t.Errorf("%v in %s", cmd, cmd.Dir)
		}
		cmd.Env = append(cmd.Env, "B=b")
		return func() error { ended++; return nil }, nil
	}
	if status, said, err := run(t, s, t.Context(), "sh -c 'echo $A$B'; sh -c 'exit 1'", h); err != nil || status != 1 || said != "ab\n" || ended != 2 {
		t.Errorf("%d %q %v, %d ended", status, said, err, ended)
	}
}

// Open is asked whether a file is written, with the name that links lead to; a script goes on after a refusal that is an error of a path.
func TestOpen(t *testing.T) {
	s, dir := begun(t)
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	var asked []string
	h := lets()
	h.Open = func(_ context.Context, path string, write bool) error {
		mode := " r"
		if write {
			mode = " w"
		}
		asked = append(asked, strings.TrimPrefix(path, dir)+mode)
		if strings.HasSuffix(path, "no") {
			return &os.PathError{Op: "open", Path: path, Err: errors.New("refused")}
		}
		return nil
	}
	status, said, err := run(t, s, t.Context(), "echo x > link; read y < link; echo $y; echo z >> "+dir+"/real; echo no > no; mkdir d; cd d; echo q &> r; echo x > /dev/null", h)
	if want := "/real w, /real r, /real w, /no w, /d/r w"; err != nil || status != 0 || strings.Join(asked, ", ") != want || !strings.HasPrefix(said, "x\n") {
		t.Errorf("%d %q %v: %s", status, said, err, strings.Join(asked, ", "))
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
		t.Error("what was refused was made")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "real")); err != nil || string(text) != "x\nz\n" {
		t.Errorf("%q %v", text, err)
	}
	if _, said, err := run(t, s, t.Context(), "echo x > ''; echo x > $NONE", lets()); err != nil || strings.Count(said, "open : file does not exist") != 2 {
		t.Errorf("an empty name: %q %v", said, err)
	}
}

// When the context ends so does the script, what it runs included, with the reason that the context was given.
func TestEnds(t *testing.T) {
	why := errors.New("the person pressed a key")
	for _, text := range []string{"echo begun; sleep 600", "echo begun; while :; do :; done", "{ echo begun; sleep 600; } | cat", "sleep 600 & echo begun; sleep 600"} {
		s, _ := begun(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		script, err := shell.Parse(text, s.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, w := io.Pipe()
		go func() {
			io.ReadFull(r, make([]byte, len("begun\n")))
			cancel(why)
			io.Copy(io.Discard, r)
		}()
		if status, err := s.Run(ctx, script, lets(), w); status != 0 || !errors.Is(err, why) {
			t.Errorf("%s: %d %v", text, status, err)
		}
		w.Close()
	}
}
