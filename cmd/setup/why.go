package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// why serves one call of `socrates permission why`. The policy is read once; elsewhere and mu serve lines that name
// other folders, which several goroutines decide about.
type why struct {
	a          *call.Call
	mode, file string
	tool, args string
	dir        string
	policy     permission.Policy
	mu         sync.Mutex
	elsewhere  map[string]permission.Policy // by folder
	vars       map[string]string
}

// newWhy returns the command permission why. It shows people and tests what the gate would decide, so it uses the
// same parser, rules and tools.
func newWhy(a *call.Call) *cobra.Command {
	w := &why{a: a}
	c := &cobra.Command{Use: "why [flags] [--] COMMAND...", Short: "Explain whether a command would be allowed (does not run it)",
		Long: `Explain whether a command would be allowed, and which rule decides about each part of it. Nothing
is run.

One argument is parsed as a shell script; several are one command with its arguments.

With --file, each line of the file is a command: a JSON string, or an object with "command" and
optionally "mode" and "cwd" (the folder to run in). The answer for an unreadable line is "ask".`,
		Example: `  socrates permission why -- git push --force
  socrates permission why 'cat notes.txt | sh'
  socrates permission why --tool edit --json '{"path": "AGENTS.md", "old": "a", "new": "b"}'`,
		RunE: func(c *cobra.Command, args []string) error { return w.run(c.Context(), args) }}
	f := c.Flags()
	f.StringVar(&w.mode, "mode", "", "permission mode (default: your setting)")
	f.StringVar(&w.file, "file", "", "read JSON commands from this `file`, one per line (-: stdin)")
	f.StringVar(&w.tool, "tool", "", "explain a call of this tool instead")
	f.StringVar(&w.args, "json", "", "arguments of the call as JSON")
	return c
}

// run decides which of three questions is asked: a command, a file of them, or a call of a tool.
func (w *why) run(ctx context.Context, args []string) error {
	given := 0
	for _, is := range []bool{len(args) > 0, w.file != "", w.tool != ""} {
		if is {
			given++
		}
	}
	// Several at once would leave one without an answer.
	if given != 1 || w.args != "" && w.tool == "" {
		return failure.Usage("no command given", "for example: socrates permission why -- git push")
	}
	var mode permission.Mode
	var err error
	if w.mode != "" {
		if mode, err = permission.ParseMode(w.mode); err != nil {
			return failure.Usage(err.Error(), "")
		}
	}
	if w.dir, err = w.a.Home.Settings.Dir(); err != nil {
		return err
	}
	if w.policy, err = w.a.Home.Gate.Policy(w.dir, mode); err != nil {
		return err
	}
	w.dir, w.vars = w.policy.Workspace[0], builtin.Variables()
	switch {
	case w.file != "":
		return w.many()
	case w.tool != "":
		return w.call(ctx)
	}
	text := args[0]
	// The shell has split the words: quoting keeps them apart.
	if len(args) > 1 {
		text = shell.Quote(args)
	}
	return w.show(w.policy.Script(text, w.at(w.dir)))
}

// Invisible characters are written as JSON escapes, which the redactor and the terminal leave alone.
func (w *why) show(d permission.Decision) error {
	if w.a.Out.Format == "text" {
		call.ShowDecision(w.a, d, w.policy.Mode)
		return nil
	}
	raw, err := json.MarshalIndent(d, "", "  ")
	if w.a.Out.Format == "stream-json" {
		raw, err = json.Marshal(d)
	}
	if err != nil {
		return err
	}
	w.a.Out.Told = true
	_, err = w.a.Out.Write(append(visible(raw), '\n'))
	return err
}

// at returns the context in which a script would run.
func (w *why) at(dir string) shell.Context {
	return shell.Context{Dir: dir, Var: func(name string) (string, bool) { v, ok := w.vars[name]; return v, ok }}
}

// call asks a tool what it would do, refuses it, and decides about that.
func (w *why) call(ctx context.Context) error {
	var names []string
	for _, t := range w.a.Home.Gate.Tools() {
		if names = append(names, t.Name); t.Name == w.tool {
			return w.one(ctx, t)
		}
	}
	return failure.Usage("unknown tool "+w.tool, failure.Nearest(w.tool, names))
}

// Running the tool with a gate that always refuses gives exactly the acts that a real call would ask about. If a tool
// needs a file to be read first, it is read.
func (w *why) one(ctx context.Context, t tool.Tool) error {
	if w.args != "" && !json.Valid([]byte(w.args)) {
		return failure.Usage("--json is not valid JSON: "+w.args, "")
	}
	if t.Effect == tool.Talks {
		return w.show(w.policy.Judge(t.Name, tool.Act{Effect: tool.Talks}))
	}
	var acts []tool.Act
	noted := errors.New("it was only noted")
	session := &tool.Session{}
	defer session.Close()
	var args struct{ Path string }
	if json.Unmarshal([]byte(w.args), &args) == nil && args.Path != "" && t.Effect == tool.Writes { // it must be read first
		for _, r := range builtin.ReadOnly() {
			if raw, err := json.Marshal(map[string]string{"path": args.Path}); err == nil && r.Name == "read" {
				r.Run(ctx, raw, tool.Env{Dir: w.dir, Session: session})
			}
		}
	}
	t = permission.Guarded(t, func() permission.Policy { return w.policy })
	_, err := t.Run(ctx, json.RawMessage(w.args), tool.Env{Dir: w.dir, Session: session, Hides: w.policy.Hides(), Held: w.policy.Confined,
		Keep: func(context.Context, string, bool) (int, error) { return 0, noted },
		Allow: func(_ context.Context, a ...tool.Act) error {
			acts = append(acts, a...)
			return noted
		}})
	switch {
	case len(acts) > 0:
		return w.show(w.policy.Judge(t.Name, acts...))
	case err != nil: // it fails before any decision
		return w.show(permission.Decision{Verdict: permission.Deny, Reason: "the tool itself refuses: " + err.Error(),
			Parts: []permission.Part{}})
	}
	return w.show(permission.Decision{Verdict: permission.Allow,
		Reason: t.Name + " only reads in the project, and no file that may contain secrets", Parts: []permission.Part{}})
}

// verdictLine is the answer to one line of a file.
type verdictLine struct {
	Command string `json:"command"`
	permission.Decision
}

// mostCommands bounds a file of commands, in bytes.
const mostCommands = 256 << 20

// Order is kept within and between batches; a batch limits how many decisions are in memory.
func (w *why) many() error {
	// Order and number of answers are those of the lines; empty lines have none.
	in := io.ReadCloser(w.a.In)
	if w.file != "-" {
		f, err := os.Open(w.file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, mostCommands+1))
	if err != nil {
		return fmt.Errorf("read the commands: %w", err)
	}
	if len(raw) > mostCommands {
		return failure.Usage(fmt.Sprintf("%s is larger than %d MB", w.file, mostCommands>>20), "split it")
	}
	w.a.Out.Told = true
	lines := bytes.Split(bytes.TrimRight(raw, "\n"), []byte("\n"))
	const batch = 512
	for start := 0; start < len(lines); start += batch {
		if err := w.batch(lines, start, min(start+batch, len(lines))); err != nil {
			return err
		}
	}
	return nil
}

// batch decides about some lines in parallel, and writes the results in their order.
func (w *why) batch(lines [][]byte, from, to int) error {
	list := make([][]byte, to-from)
	next := make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				list[i-from] = w.print(w.line(lines[i], i+1))
			}
		})
	}
	for i := from; i < to; i++ {
		if len(bytes.TrimSpace(lines[i])) > 0 {
			next <- i
		}
	}
	close(next)
	all.Wait()
	_, err := w.a.Out.Write(bytes.Join(list, nil))
	return err
}

// print formats the answer to a line; for a person, in two lines.
func (w *why) print(v verdictLine) []byte {
	if w.a.Out.Format == "text" {
		command := clean.Line(clean.Reveal(v.Command))
		return []byte(fmt.Sprintf("%-5s  %s\n       %s\n", v.Verdict, out.Wrap(command, 72, "       "),
			out.Wrap(clean.Reveal(v.Reason), 72, "       ")))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal(verdictLine{v.Command, unreadable(err)})
	}
	return append(visible(raw), '\n')
}

// unreadable returns a decision to ask, with the reason.
func unreadable(err error) permission.Decision {
	return permission.Decision{Verdict: permission.Ask, Reason: err.Error(), Parts: []permission.Part{}}
}

// line decides about one line. An invalid line asks: a tool that reads these answers must fail closed.
func (w *why) line(raw []byte, n int) verdictLine {
	var q struct{ Command, Mode, Cwd string }
	err := json.Unmarshal(raw, &q.Command)
	if err != nil {
		err = json.Unmarshal(raw, &q)
	}
	if err != nil {
		return verdictLine{string(raw), unreadable(fmt.Errorf("line %d is neither a JSON string nor an object with a command", n))}
	}
	p, dir := w.policy, w.dir
	if q.Cwd != "" {
		if p, dir, err = w.in(q.Cwd); err != nil {
			return verdictLine{q.Command, unreadable(fmt.Errorf("line %d: %w", n, err))}
		}
	}
	if q.Mode != "" {
		if p.Mode, err = permission.ParseMode(q.Mode); err != nil {
			return verdictLine{q.Command, unreadable(fmt.Errorf("line %d: %w", n, err))}
		}
	}
	return verdictLine{q.Command, p.Script(q.Command, w.at(dir))}
}

// in returns the policy for a folder: the current one if the folder is below the project or does not exist, else its
// own as a separate project.
func (w *why) in(cwd string) (permission.Policy, string, error) {
	dir := cwd
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(w.dir, dir)
	}
	dir = shell.Real(dir)
	if info, err := os.Stat(dir); w.policy.Inside(dir) || err != nil || !info.IsDir() {
		return w.policy, dir, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, ok := w.elsewhere[dir]; ok {
		return p, dir, nil
	}
	p, err := w.a.Home.Gate.Policy(dir, permission.Mode(w.mode))
	if err != nil {
		return p, dir, err
	}
	if w.elsewhere == nil {
		w.elsewhere = map[string]permission.Policy{}
	}
	w.elsewhere[dir] = p
	return p, dir, nil
}

// visible writes invisible characters in JSON as escapes, so that none is lost in the output.
func visible(raw []byte) []byte {
	if clean.Text(string(raw)) == string(raw) {
		return raw
	}
	var res strings.Builder
	for _, r := range string(raw) {
		switch {
		case r < 0x80:
			res.WriteRune(r)
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&res, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&res, `\u%04x`, r)
		}
	}
	return []byte(res.String())
}
