package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	longest  = 2 * time.Minute // for every call, whatever its context allows, except those with another machine
	listSize = 256 << 20       // maximum bytes of a list of files
	noFile   = os.DevNull

	largestPiece = "256m" // memory that git may allocate at once for data from another machine: a delta of a few bytes can claim any size
)

// overrides take precedence over the repository's own settings. They close every way in which a reading command starts
// a program (hooks, fsmonitor, pager, external diff, signatures, transports of a partial clone) or depends on the
// person. If you add a command to this package, add overrides for everything it could be made to start, and a test that
// tries it.
var overrides = [][2]string{
	{"core.hooksPath", noFile}, {"core.fsmonitor", "false"}, {"core.untrackedCache", "false"},
	{"core.pager", "cat"}, {"core.editor", ":"}, {"core.askPass", ""}, {"core.sshCommand", "false"}, {"core.gitProxy", ""},
	{"core.alternateRefsCommand", ""}, {"core.attributesFile", noFile}, {"core.excludesFile", noFile},
	{"core.bare", "false"}, {"core.checkStat", "default"}, {"core.trustctime", "true"}, {"core.quotePath", "false"},
	{"credential.helper", ""}, {"protocol.allow", "never"}, {"gpg.program", "false"}, {"log.showSignature", "false"},
	{"diff.external", ""}, {"diff.submodule", "short"}, {"diff.ignoreSubmodules", "all"}, {"diff.orderFile", noFile},
	{"diff.noprefix", "false"}, {"diff.mnemonicPrefix", "false"}, {"submodule.recurse", "false"}, {"color.ui", "false"},
	{"safe.bareRepository", "explicit"}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"mailmap.file", noFile},
}

// environment is the whole environment of our git processes: nothing of the person's GIT_ variables or settings, no home.
func (r Repo) environment(extra [][2]string) []string {
	own := r.own
	if own == "" {
		own = filepath.Join(r.top, ".git")
	}
	env := []string{
		"GIT_DIR=" + own, "GIT_WORK_TREE=" + r.top,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + noFile, "GIT_CONFIG_GLOBAL=" + noFile, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ALLOW_PROTOCOL=none", // unlike protocol.allow, it takes precedence over protocol.<name>.allow
		"GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_SSH_COMMAND=false",
		"LC_ALL=C", "TERM=dumb", "TZ=UTC",
	}
	for _, name := range []string{"PATH", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if r.index != "" {
		env = append(env, "GIT_INDEX_FILE="+r.index)
	}
	if r.others {
		env = append(env, "GIT_ALLOC_LIMIT="+largestPiece)
	}
	all := append(append([][2]string{}, overrides...), extra...)
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(all)))
	for i, kv := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return env
}

// filtersOff disables each filter driver the repository defines. Commands that compare file contents need it; the names
// of drivers can be anything, so they have to be looked up.
func filtersOff(ctx context.Context, r Repo) ([][2]string, error) {
	names, _, err := r.run(ctx, listSize, nil, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && !quiet(err) {
		return nil, err
	}
	var off [][2]string
	for _, name := range fields(names) {
		driver := name[:strings.LastIndexByte(name, '.')]
		off = append(off, [2]string{driver + ".clean", ""}, [2]string{driver + ".smudge", ""},
			[2]string{driver + ".process", ""}, [2]string{driver + ".required", "false"})
	}
	return off, nil
}

// Error is an error message of git.
type Error struct {
	Command string // of git, such as "diff"
	Code    int    // exit status
	Message string // first line of the message; may be empty
}

// Error returns git's message, in one line.
func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("git %s ended with status %d", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Message)
}

// quiet reports whether git ended with status 1 and without a message: its way to say no.
func quiet(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == 1 && e.Message == ""
}

// call is one run of git.
type call struct {
	env []string
	in  io.Reader             // what git reads; nil: nothing
	out func(io.Reader) error // reads git's output; errEnough ends git, and is no error
}

var errEnough = errors.New("enough was read")

// start runs git. Cancelling ctx ends git and everything it started. Stderr is bounded, and c.out reads stdout. A
// reader that has enough ends git, which is no error.
func (r Repo) start(ctx context.Context, c call, args ...string) error {
	if !r.others {
		limited, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("git %s took longer than %v", args[0], longest))
		defer cancel()
		ctx = limited
	}
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, c.env, c.in
	cmd.WaitDelay = 2 * time.Second
	endTogether(cmd)
	var complaint bytes.Buffer
	cmd.Stderr = &limited{&complaint, 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("starting git %s: %w", args[0], err)
	}
	outErr := c.out(pipe)
	if outErr != nil {
		cmd.Cancel()
	}
	err = cmd.Wait()
	switch exit, ok := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case errors.Is(outErr, errEnough):
		return nil
	case ok && (outErr == nil || complaint.Len() > 0):
		return &Error{args[0], exit.ExitCode(), complained(complaint.String())}
	case outErr == nil && err != nil:
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return outErr
}

// complained is the first line of git's message. If that introduces a list, it includes the first item.
func complained(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasSuffix(first, ":") {
		one, _, _ := strings.Cut(rest, "\n")
		first += " " + strings.TrimSpace(one)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(first, "fatal: "), "error: "), ".")
}

// run runs git and returns at most size bytes of its output; cut: there was more.
func (r Repo) run(ctx context.Context, size int, settings [][2]string, args ...string) (out []byte, cut bool, err error) {
	return r.feed(ctx, nil, size, r.environment(settings), args...)
}

// feed is run with an input and an environment.
func (r Repo) feed(ctx context.Context, in io.Reader, size int, env []string, args ...string) (out []byte, cut bool, err error) {
	read := func(pipe io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(pipe, int64(size)+1))
		if cut = len(out) > size; cut {
			out, err = out[:size], errEnough
		}
		return err
	}
	err = r.start(ctx, call{env, in, read}, args...)
	return out, cut && err == nil, err
}

// line runs git and returns its output without the newline.
func (r Repo) line(ctx context.Context, args ...string) (string, error) {
	out, cut, err := r.run(ctx, 64<<10, nil, args...)
	if cut {
		err = fmt.Errorf("git %s printed more than one line can hold", args[0])
	}
	return strings.TrimRight(string(out), "\r\n"), err
}

// list runs git and splits its output at NUL. A list that is too long is an error, never a shortened list.
func (r Repo) list(ctx context.Context, args ...string) ([]string, error) {
	return listWith(ctx, r, nil, args...)
}

// listWith is list with settings.
func listWith(ctx context.Context, r Repo, settings [][2]string, args ...string) ([]string, error) {
	out, cut, err := r.run(ctx, listSize, settings, args...)
	if cut {
		err = fmt.Errorf("git %s: more than %d MB of names", args[0], listSize>>20)
	}
	return fields(out), err
}

// fields splits git's output with -z; empty output has no fields.
func fields(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// limited forwards the first left bytes and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

// Write forwards what there is room for and drops the rest without an error: a program would fail if its output were refused.
func (l *limited) Write(p []byte) (int, error) {
	n, err := l.w.Write(p[:min(l.left, len(p))])
	l.left -= n
	return len(p), err
}

// installed looks for git once; the result applies to the whole process.
var installed = sync.OnceValues(func() (string, error) {
	program, err := exec.LookPath("git")
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return "", ErrNoGit
	}
	return program, nil
})

// find returns the git program, but never one inside the repository it would be used on. A PATH with a relative folder,
// or with the project first, must not decide which git judges the project.
func find(top string) (string, error) {
	program, err := installed()
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(top, program); err == nil && filepath.IsLocal(rel) {
		return "", ownGit{program, top}
	}
	return program, nil
}

// ownGit means that the only git program is inside the folder it would be used on, which may have brought it.
type ownGit struct{ program, top string }

// Error says why the git that was found is not used.
func (e ownGit) Error() string {
	return e.program + " is inside " + e.top + ", so it is not trusted there; work in a project's folder"
}

// Is makes callers that continue without git do so.
func (ownGit) Is(target error) bool { return target == ErrNoGit }

// Names reports whether the repository at dir itself sets key. Anybody who provided the repository may have written its
// settings; the person's settings do not count. A folder that is in no repository has none. Callers outside this
// package need no other setting of a repository: it tells them whether it names its own helper.
func Names(ctx context.Context, dir, key string) (bool, error) {
	r, err := Open(dir)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = r.line(ctx, "config", "--local", "--includes", "--get", key)
	if err == nil || !quiet(err) {
		return err == nil, err
	}
	_, err = r.line(ctx, "config", "--worktree", "--includes", "--get", key) // this fails if no work tree has its own settings
	return err == nil, nil
}
