// Program picture makes the pictures of the pages from the real program: it runs the scripts beside it, each with an empty
// home, on a terminal, and draws what stands on the screen. From the root of the repository:
//
//	go run ./docs/picture            all of them
//	go run ./docs/picture debate     one
//
// A script says what internal/terminal knows, and: picture FILE LABEL [ROWS]; frame SECONDS [moving], and film FILE LABEL of all frames
package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/socrates-cli/socrates/internal/terminal"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	bin, err := os.MkdirTemp("", "picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("building the program (is this the root of the repository?): %w\n%s", err, out)
	}
	for _, name := range []string{"git", "sh", "env", "ls", "cat", "sleep"} { // and no model's program that happens to be here
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, name))
		}
		if err != nil {
			return err
		}
	}
	docs, err := filepath.Abs("docs")
	if err != nil {
		return err
	}
	root := filepath.Join(os.TempDir(), "demo") // a path that can be looked at
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(root)
	p := testscript.Params{WorkdirRoot: root, Setup: func(e *testscript.Env) error { return setup(e, bin) },
		Cmds: terminal.Commands("", false)}
	p.Cmds["picture"] = func(ts *testscript.TestScript, _ bool, args []string) {
		t := terminal.Current(ts)
		t.Settle()
		rows := math.MaxInt
		if len(args) > 2 {
			n, err := strconv.Atoi(args[2])
			ts.Check(err)
			rows = n
		}
		ts.Check(os.WriteFile(filepath.Join(docs, args[0]), []byte(svg(args[1], shoot(t, rows, false))), 0o644))
	}
	var film []shot
	p.Cmds["frame"] = func(ts *testscript.TestScript, _ bool, args []string) {
		t := terminal.Current(ts)
		if len(args) == 1 { // what moves is taken as it is
			t.Settle()
		}
		s := shoot(t, math.MaxInt, true)
		seconds, err := strconv.ParseFloat(args[0], 64)
		ts.Check(err)
		s.seconds = seconds
		film = append(film, s)
	}
	p.Cmds["film"] = func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Check(os.WriteFile(filepath.Join(docs, args[0]), []byte(svg(args[1], film...)), 0o644))
	}
	for _, name := range names {
		p.Files = append(p.Files, filepath.Join("docs", "picture", name+".txtar"))
	}
	if len(names) == 0 {
		p.Dir = filepath.Join("docs", "picture")
	}
	r := &runner{}
	if err := r.try(func() { testscript.RunT(r, p) }); err != nil {
		return err
	}
	return r.failed
}

// setup gives a script the program and a home, and nothing of whoever makes the pictures.
func setup(e *testscript.Env, bin string) error {
	home := filepath.Join(e.WorkDir, "home")
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_DATA_HOME": filepath.Join(home, ".local", "share"), "SOCRATES_KEYRING": "file",
		"OLLAMA_BASE_URL": "http://127.0.0.1:1/v1", "LMSTUDIO_BASE_URL": "http://127.0.0.1:1/v1", "GIT_CONFIG_NOSYSTEM": "1",
		"PATH": bin, "PS1": "$ "} {
		e.Setenv(k, v)
	}
	terminal.Setup(e)
	return os.MkdirAll(home, 0o700)
}

// runner is what testscript wants of a test.
type runner struct{ failed error }

type stopped struct{ why string }

// Skip ends the script; that is no failure.
func (r *runner) Skip(args ...any) { panic(stopped{}) }

// Fatal ends the script with a reason.
func (r *runner) Fatal(args ...any) { panic(stopped{fmt.Sprint(args...)}) }

// FailNow ends the script, which has printed the reason.
func (r *runner) FailNow() { panic(stopped{"a script failed"}) }

// Parallel does nothing: scripts run one after the other, each with the machine to itself.
func (r *runner) Parallel() {}

// Log prints to stderr; stdout has the names of the scripts.
func (r *runner) Log(args ...any) {
	fmt.Fprintln(os.Stderr, strings.TrimRight(fmt.Sprint(args...), "\n"))
}

// Verbose is false: only what failed is of interest.
func (r *runner) Verbose() bool { return false }

// Run runs a script and keeps why it failed; the next one runs all the same.
func (r *runner) Run(name string, f func(testscript.T)) {
	fmt.Println(name)
	if err := r.try(func() { f(r) }); err != nil {
		r.failed = fmt.Errorf("%s: %w", name, err)
	}
}

// try runs f until it ends or is stopped.
func (r *runner) try(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			if p.why != "" {
				err = fmt.Errorf("%s", p.why)
			}
		default:
			panic(p)
		}
	}()
	f()
	return nil
}
