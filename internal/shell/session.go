package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/socrates-cli/socrates/internal/process"
)

// Hooks decide about what a script does while it runs, with the actual values. Call and Open must be set. Several
// goroutines call them at once if a script has pipes or background commands, with the context of the script.
type Hooks struct {
	// Call is called before every command, including built-ins and functions; program is the file that would be
	// executed, empty for those. An error ends the script.
	Call func(ctx context.Context, c Command, program string) error
	// Open is called before a redirection opens a file; path is absolute and its links are followed.
	Open func(ctx context.Context, path string, write bool) error
	// Start may change a program that is about to start, to put it into a sandbox; nil leaves it unchanged. end is
	// called once it has ended; its error ends the script.
	Start func(cmd *exec.Cmd) (end func() error, err error)
}

// Session is a shell whose folder, variables and functions last from script to script. One script runs at a time; a
// second Run waits for the first. There is nothing to close.
type Session struct {
	mu     sync.Mutex
	runner *interp.Runner
	hooks  Hooks
	script *Script // the running script
	// functions are the names that may be functions while the script runs: those of earlier scripts, and all that it defines itself. The
	// interpreter's own table must not be read, since another part of the script may be defining one at that moment.
	functions   map[string]bool
	owned       sync.Map // commands, by key, for which Hooks.Call was called as functions
	procs       sync.WaitGroup
	descendants process.Descendants // of the running script
}

// NewSession starts in dir with the variables env, NAME=value each.
func NewSession(dir string, env []string) (*Session, error) {
	s := &Session{}
	var err error
	s.runner, err = interp.New(interp.Dir(dir), interp.Env(expand.ListEnviron(env...)), interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }), interp.OpenHandler(s.open))
	if err != nil {
		return nil, fmt.Errorf("start a shell in %s: %w", dir, err)
	}
	s.runner.Reset()
	return s, nil
}

// Context describes where the next script would run. Var reads the session without its lock: use it before the next Run.
func (s *Session) Context() Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Context{Dir: s.runner.Dir, Var: func(name string) (string, bool) {
		v := s.runner.Env.Get(name)
		if own, ok := s.runner.Vars[name]; ok {
			v = own
		}
		return v.Str, v.IsSet() && v.Kind == expand.String
	}}
}

// Run runs a script and returns its status. What it leaves in the background is ended with it. An error comes from a
// hook, or says that ctx ended. A status other than 0 is no error. After an error of a hook the session can run another
// script.
func (s *Session) Run(ctx context.Context, script *Script, h Hooks, out io.Writer) (status int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	s.hooks, s.script, s.descendants = h, script, process.NewDescendants()
	s.functions = s.named(script)
	s.owned.Clear()
	w := &lastWriter{w: out}
	if err := interp.StdIO(nil, w, w)(s.runner); err != nil {
		cancel()
		return 0, fmt.Errorf("connect the shell: %w", err)
	}
	err = s.runner.Run(ctx, script.file)
	ended := ctx.Err()
	cancel()
	s.procs.Wait()
	s.descendants.End()
	w.close()
	if code, ok := errors.AsType[interp.ExitStatus](err); ok && ended == nil {
		return int(code), nil
	}
	if ended != nil {
		return 0, context.Cause(ctx)
	}
	return 0, err
}

// lastWriter forwards nothing once it is closed: what still runs then is about to end. It also keeps the writes of
// concurrent programs apart.
type lastWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
}

// Write fails once the writer was closed: what a script left behind cannot print into the next call.
func (l *lastWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, io.ErrClosedPipe
	}
	return l.w.Write(p)
}

func (l *lastWriter) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// call calls the hook for a command just before it runs, as the interpreter expanded it.
func (s *Session) call(ctx context.Context, args []string) ([]string, error) {
	hc := interp.HandlerCtx(ctx)
	c := Command{Argv: args, Dir: hc.Dir, Text: Quote(args), Feed: s.script.feed(args, hc.Dir), Input: s.script.input(args, hc.Dir)}
	program := ""
	if c.Own = s.functions[args[0]]; c.Own {
		s.owned.Store(key(args, hc.Dir), true)
	} else if !interp.IsBuiltin(args[0]) {
		program, _ = interp.LookPathDir(hc.Dir, hc.Env, args[0]) // a missing program fails when it is started
	}
	return args, s.hooks.Call(ctx, c, program)
}

// named are the names of functions that exist before a script runs, or that it defines.
func (s *Session) named(script *Script) map[string]bool {
	out := map[string]bool{}
	for name := range s.runner.Funcs {
		out[name] = true
	}
	syntax.Walk(script.file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			out[f.Name.Value] = true
		}
		return true
	})
	return out
}

// asProgram calls the hook again for a command that was judged as a function and is about to start as a program: it was not defined yet,
// or a subshell has unset it. A function is judged by its commands, and a program has none.
func (s *Session) asProgram(ctx context.Context, args []string, dir, program string) error {
	if _, own := s.owned.Load(key(args, dir)); !own {
		return nil
	}
	return s.hooks.Call(ctx, Command{Argv: args, Dir: dir, Text: Quote(args)}, program)
}

// key identifies a command by its final words and folder.
func key(args []string, dir string) string { return strings.Join(args, "\x00") + "\x00\x00" + dir }

// exec starts a program. Statuses are those that shells use: 127 for one that does not exist, 126 for one that does not start.
func (s *Session) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	path, err := interp.LookPathDir(hc.Dir, hc.Env, args[0])
	if err != nil {
		fmt.Fprintf(hc.Stderr, "%s: command not found\n", args[0])
		return interp.ExitStatus(127)
	}
	if err := s.asProgram(ctx, args, hc.Dir, path); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Args, cmd.Dir, cmd.Env = args, hc.Dir, exported(hc.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = hc.Stdin, hc.Stdout, hc.Stderr
	s.descendants.Join(cmd)
	end := func() error { return nil }
	if s.hooks.Start != nil {
		if end, err = s.hooks.Start(cmd); err != nil {
			return err
		}
	}
	s.procs.Add(1)
	defer s.procs.Done()
	failed := process.Run(cmd)
	if err := end(); err != nil {
		return err
	}
	if failed != nil {
		fmt.Fprintf(hc.Stderr, "%s: %v\n", args[0], failed)
		return interp.ExitStatus(126)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if code := process.Code(cmd.ProcessState); code != 0 {
		return interp.ExitStatus(uint8(code))
	}
	return nil
}

// exported are the variables a program gets. Arrays cannot be passed on.
func exported(env expand.Environ) []string {
	var out []string
	env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.Kind == expand.String {
			out = append(out, name+"="+v.Str)
		}
		return true
	})
	return out
}

// open opens the file of a redirection: an ordinary file, or the null device. Pipes and devices could hang, or never
// end. A path is decided on with its links followed, and then opened without following any: see openReal.
func (s *Session) open(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	if path = strings.TrimSuffix(path, named); path == "" {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(hc.Dir, path)
	}
	switch {
	case path == "/dev/null" || path == os.DevNull:
		return os.OpenFile(os.DevNull, flag, 0)
	case path == "/dev/stdout":
		return pass{hc.Stdout}, nil
	case path == "/dev/stderr":
		return pass{hc.Stderr}, nil
	}
	real := Real(path)
	if err := s.hooks.Open(ctx, real, flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0); err != nil {
		return nil, err
	}
	f, err := openReal(real, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// pass is an output that is open already.
type pass struct{ io.Writer }

// Read returns io.EOF: the file is open for writing only.
func (pass) Read([]byte) (int, error) { return 0, io.EOF }

// Close does nothing: whoever opened the output closes it.
func (pass) Close() error { return nil }

// Real is path with its links followed as far as it exists: what would be opened, even if it is about to be created.
func Real(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for dir, tries := path, 0; tries < 255; tries++ {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(dir); err == nil { // its target does not exist yet
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(dir), target)
			}
			dir = target
			continue
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
	return path
}

// Quote joins argv into one line that a shell would parse into these arguments again.
func Quote(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		if a != "" && strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=@%,^") == "" {
			out[i] = a
		} else {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
