package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/process"
	"github.com/socrates-cli/socrates/internal/sandbox"
	"github.com/socrates-cli/socrates/internal/scratch"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// bashArgs is a script and its time limit. A limit above the maximum is reduced to it, without an error.
type bashArgs struct {
	Command string `json:"command" jsonschema:"a bash script; the working folder, variables and functions persist between calls"`
	Seconds int    `json:"timeout_seconds,omitempty" jsonschema:"time limit in seconds; default: 120, at most 600"`
}

// How long a script may run, without the time a person takes to decide.
const (
	bashUsual = 2 * time.Minute
	bashMost  = 10 * time.Minute
)

// bash is of effect Runs. Calls of one conversation share a shell and run one after another.
var bash = register(tool.New("bash",
	"Runs a shell script in the project folder. Programs it leaves in the background end with the call; use "+
		"job_start for what should keep running. "+
		"Prefer read, grep, glob and edit for files.", tool.Runs, runBash))

// workshop is the shell of a conversation, with its temporary folder. The first call makes it and the session closes
// it.
//
// Programs see only the temporary folder of their own conversation, which is removed with it.
type workshop struct {
	session *shell.Session
	temp    *scratch.Dir
	err     error
}

// Close removes the temporary folder.
func (w *workshop) Close() error {
	if w.temp == nil {
		return nil
	}
	return w.temp.Remove()
}

// shop returns the conversation's workshop. If it could not be made, every call fails with the same error.
func shop(env tool.Env) (*workshop, error) {
	w := tool.Of(env.Session, func() *workshop {
		w := &workshop{}
		if w.temp, w.err = scratch.New("shell"); w.err == nil {
			w.session, w.err = shell.NewSession(env.Dir, variables(env, w.temp.Path))
		}
		return w
	})
	return w, w.err
}

// Environ returns all variables that the programs of a shell see: nothing of ours that could hold a secret. It
// switches off pagers, colors and prompts, since nobody can answer them. HOME stays: tools find their settings by it,
// and the sandbox hides what is in it.
func Environ(temp string) []string {
	env := []string{"TMPDIR=" + temp, "TEMP=" + temp, "TMP=" + temp, "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "CI=true"}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, process.Environ()...)
}

// variables returns those of the programs of one conversation.
func variables(env tool.Env, temp string) []string { return append(Environ(temp), env.Vars...) }

// Variables returns the values by which a script's words are expanded before it runs: what Environ sets in every
// conversation.
func Variables() map[string]string {
	vars := map[string]string{}
	for _, entry := range Environ("") {
		if name, value, _ := strings.Cut(entry, "="); value != "" {
			vars[name] = value
		}
	}
	return vars
}

// runBash runs a script to its end, and reports its output and status. A status other than 0 is a result, not an
// error: the model needs the output of a failing test.
//
// The script is judged as a whole before any part runs, and again as it runs: names that were unknown before, such as
// the value of a variable, are then known. The whole output is kept beside the answer, including what did not fit.
func runBash(ctx context.Context, a bashArgs, env tool.Env) (tool.Output, error) {
	w, err := shop(env)
	if err != nil {
		return tool.Output{}, fmt.Errorf("start a shell: %w", err)
	}
	script, err := allowed(ctx, env, w.session, a.Command)
	if err != nil {
		return tool.Output{}, err
	}
	limit := bashUsual
	if a.Seconds > 0 {
		limit = min(time.Duration(a.Seconds)*time.Second, bashMost)
	}
	tooLong := fmt.Errorf("it was stopped after %s", limit)
	watch := env.Stopwatch()
	j, sent, err := w.attend(ctx, a.Command, script, env, limit, tooLong)
	if sent || err != nil {
		return sentAway(j, a.Command), err
	}
	took := watch().Round(10 * time.Millisecond)
	out, status, over, err := &j.out, j.status, j.over, j.err
	text := out.face()
	switch {
	case errors.Is(err, tooLong):
		return tool.Output{}, fmt.Errorf("%w. Output until then:\n%s%s", tooLong, text, over)
	case err != nil:
		return tool.Output{}, fmt.Errorf("%w\n%s", err, text)
	case status != 0:
		text = strings.TrimRight(text, "\n") + fmt.Sprintf("\n[exit status %d]\n", status) + cmp.Or(over, hint(status, text))
	case over != "": // also if it ended in the background or because of a pipe
		text = strings.TrimRight(text, "\n") + "\n" + over
	case text == "":
		text = "[no output]\n"
	}
	o := output(text, "%s  %s", firstLine(a.Command), result(status, took))
	o.Whole = out.whole()
	return o, nil
}

// attend runs a script as a job until it ends, or until the person sends it to the background: then the conversation
// gets a new shell, and the script continues in the old one.
//
// The clock of the limit stops while a person is asked. ctx ends the script until it is sent away; after that only
// job_kill and the end of the conversation do.
func (w *workshop) attend(ctx context.Context, text string, script *shell.Script, env tool.Env, limit time.Duration,
	tooLong error) (j *job, sent bool, err error) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	clock := countDown(limit, func() { cancel(tooLong) })
	defer clock.stop()
	env = clock.during(env)
	var away <-chan struct{}
	if env.Session != nil {
		offer, over := tool.BackgroundOf(env.Session).Offer()
		defer over()
		away = offer
	}
	dir := w.session.Context().Dir
	j = newJob(text, func() { cancel(nil) })
	j.out.tell = env.Out
	go j.run(running, w.session, script, env)
	select {
	case <-j.done:
		return j, false, nil
	case <-away:
	}
	fresh, err := shell.NewSession(dir, variables(env, w.temp.Path))
	if err != nil {
		cancel(nil)
		<-j.done
		return j, false, err
	}
	w.session = fresh
	j.mu.Lock()
	j.out.tell, j.seen = nil, j.out.total
	j.mu.Unlock()
	tool.Of(env.Session, func() *jobs { return &jobs{} }).add(j)
	tool.BackgroundOf(env.Session).Add(j.shown())
	return j, true, nil
}

// sentAway returns what a model sees of a call that the person sent to the background.
func sentAway(j *job, command string) tool.Output {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := strings.TrimRight(j.out.face(), "\n")
	o := output(strings.TrimLeft(fmt.Sprintf("%s\n[The person sent it to the background: it continues as job %d. "+
		"Look at it with job_output, end it with job_kill. The next call has a new shell.]\n", text, j.id), "\n"),
		"%s  in the background as job %d", firstLine(command), j.id)
	o.Whole = j.out.whole()
	return o
}

// together closes what the programs of a script shared, and says whether the system ended them for using too much.
func together(env tool.Env) (over string) {
	if env.Script == nil {
		return ""
	}
	defer env.Script.Close()
	if bytes := tool.Of(env.Script, func() *sandbox.Group { return &sandbox.Group{} }).Exceeded(); bytes > 0 {
		return fmt.Sprintf("[The system killed it because its programs together used more memory than sandbox.memory allows, "+
			"%d MiB.]\n", bytes>>20)
	}
	return ""
}

// unresolved are the messages of programs that cannot resolve a host, from the libraries of several languages.
var unresolved = []string{"Could not resolve host", "Temporary failure in name resolution", "EAI_AGAIN",
	"ENOTFOUND", "UnknownHostException",
	"No address associated with hostname", "Name or service not known", "dial tcp: lookup"}

// hint names a cause of a failure that the program could not know: the sandbox.
func hint(status int, text string) string {
	held := func(words string) bool { return strings.Contains(text, words) }
	switch {
	case held("Read-only file system"), held("Device or resource busy"), held("EROFS"), held("EBUSY"):
		return "[In the sandbox programs write to the project and their temporary folder only, and not to .git or to steering files " +
			"such as AGENTS.md, .vscode and .envrc, or a folder that holds it: " +
			"only the person changes those. A command that was allowed because it only reads writes nothing to the project.]\n"
	case slices.ContainsFunc(unresolved, held):
		return "[Commands have no network here. Packages are fetched by a command that does only that, which the person is asked about: " +
			"npm ci, pip install, uv sync, mvn dependency:go-offline, dotnet restore, " +
			"cargo fetch, bundle install, composer install, go mod download.]\n"
	case status == 137 || status == 152 || status == 153: // SIGKILL, SIGXCPU, SIGXFSZ
		return "[It was killed, maybe at a limit: sandbox.cpu, sandbox.memory or sandbox.file in the settings.]\n"
	}
	return ""
}

// result describes the outcome in a few words for a person.
func result(status int, took time.Duration) string {
	if status != 0 {
		return fmt.Sprintf("exit %d after %s", status, took)
	}
	return "ok in " + took.String()
}

// firstLine returns a command as a person sees it in one line.
func firstLine(s string) string {
	line, rest, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more && strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return clean.Line(cut(line, 120))
}

// allowed reads a script and asks whether it may run.
func allowed(ctx context.Context, env tool.Env, s *shell.Session, text string) (*shell.Script, error) {
	at := s.Context()
	at.Held = env.Held
	script, err := shell.Read(text, at)
	if err != nil {
		return nil, fmt.Errorf("%w; it was not run", err)
	}
	return script, env.May(ctx, tool.Act{Effect: tool.Runs, Script: script, Dir: at.Dir, Text: text})
}

// hooks ask about every command and file again, with the values they have when they are used.
func hooks(ctx context.Context, env tool.Env) shell.Hooks {
	return shell.Hooks{
		Call: func(ctx context.Context, c shell.Command, program string) error {
			return env.May(ctx, tool.Act{Effect: tool.Runs, Command: &c, Program: program, Argv: c.Argv, Dir: c.Dir, Text: c.Text})
		},
		Open: func(ctx context.Context, path string, write bool) error {
			effect := tool.Reads
			if write {
				effect = tool.Writes
			}
			return env.May(ctx, tool.Act{Effect: effect, Path: path, Text: path})
		},
		Start: func(cmd *exec.Cmd) (func() error, error) {
			quietGit(ctx, cmd)
			if env.Start != nil {
				return env.Start(cmd)
			}
			return func() error { return nil }, nil
		},
	}
}

// ends keeps the beginning and the end of an output, and up to mostWhole bytes in full. It is not safe for concurrent
// use: job guards it. tell, if set, gets the end of the output on each write.
type ends struct {
	tell  func(string)
	all   strings.Builder
	tail  []byte
	total int
}

// How much of an output is kept and shown.
const (
	headBytes = 12 << 10
	tailBytes = 12 << 10
	mostWhole = 10 << 20
	toldBytes = 2 << 10 // of the end, for those who watch
)

var _ io.Writer = (*ends)(nil)

// Write implements io.Writer.
func (e *ends) Write(p []byte) (int, error) {
	e.total += len(p)
	if room := mostWhole - e.all.Len(); room > 0 {
		e.all.Write(p[:min(room, len(p))])
	}
	if e.tail = append(e.tail, p...); len(e.tail) > 4*tailBytes {
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-tailBytes:]...)
	}
	if e.tell != nil {
		e.tell(clean.Text(string(e.tail[max(0, len(e.tail)-toldBytes):])))
	}
	return len(p), nil
}

// face returns what a model sees: all of a short output, else its beginning and its end.
func (e *ends) face() string {
	if e.total <= headBytes+tailBytes {
		return clean.Text(e.all.String())
	}
	tail := e.tail[max(0, len(e.tail)-tailBytes):]
	if i := strings.IndexByte(string(tail), '\n'); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	return clean.Text(cut(e.all.String(), headBytes)) + fmt.Sprintf("\n[%d bytes left out here]\n", e.total-headBytes-len(tail)) +
		clean.Text(string(tail))
}

// whole returns the output up to mostWhole if face leaves something out; else nothing.
func (e *ends) whole() string {
	if e.total <= headBytes+tailBytes {
		return ""
	}
	return clean.Text(e.all.String())
}
