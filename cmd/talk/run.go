package talk

import (
	"cmp"
	"context"
	"os"
	"path"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/teller"
	"github.com/socrates-cli/socrates/cmd/call/turn"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/slash/env"
)

// runCommand is the command run.
func (a *Talk) runCommand() *cobra.Command {
	f := &turn.Flags{}
	c := &cobra.Command{
		Use:   "run [PROMPT | -]",
		Short: "Run one agent turn non-interactively",
		Long: `An agent works on the prompt with its tools in this folder until it is done, and prints its
answer to stdout. It never waits for approval: a call that would need it is denied, the agent
is told, and the exit code is 6. The conversation is saved; you can continue it, fork it and
undo its changes.

The prompt comes from the arguments, from stdin, or from both; stdin is then treated as data.

With --output stream-json, stdout carries one JSON line per recorded step, "delta" lines with
the text as the model writes it, and one "result" line at the end.`,
		Example: `  socrates run "Where is the retry limit set, and who reads it?"
  git diff | socrates run --stdin "Review this"
  socrates run --continue "Now write the test for it"
  socrates run --mode yolo --max-turns 30 --budget 2 "Fix the failing test"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.run(c.Context(), f, args) },
	}
	f.Add(c)
	s := c.Flags()
	s.BoolVar(&f.Resume, "continue", false, "continue the most recent conversation here")
	s.StringVar(&f.Session, "session", "", "continue or create this `conversation`")
	s.StringVar(&f.Fork, "fork", "", "start a branch at this `node` (label, branch, id, HEAD~2)")
	s.StringVar(&f.SchemaFile, "output-schema", "", "require JSON that matches the schema in this `file`")
	s.BoolVar(&f.Stdin, "stdin", false, "read stdin even if data arrives late")
	s.StringVar(&f.OutFile, "output-file", "", "also write the answer to this `file`")
	a.ForceFlag(c)
	call.Unattended(c)
	return c
}

// run runs one turn and reports its result.
// Files, schema and flags are checked before a conversation is made: a typo leaves nothing behind.
func (a *Talk) run(ctx context.Context, f *turn.Flags, args []string) error {
	prompt, data, err := a.Prompt(args, f.Stdin)
	if err != nil {
		return err
	}
	if prompt == "" && data == "" {
		// A person who typed nothing but run wants to talk.
		if term.IsTerminal(int(a.In.Fd())) && out.IsTerminal(os.Stdout) && a.Out.Format == "text" && f.SchemaFile == "" && f.OutFile == "" {
			return a.Chat(ctx, f, "")
		}
		return failure.Usage("no prompt given", `give one: socrates run "…"; or start a conversation: socrates chat`)
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return err
	}
	files, err := f.Attached(dir)
	if err != nil {
		return err
	}
	if f.OutFile != "" {
		if err := a.Writable(f.OutFile); err != nil {
			return err
		}
	}
	schema, err := readSchema(f.SchemaFile)
	if err != nil {
		return err
	}
	if err := f.Sound(ctx, a.Call); err != nil {
		return err
	}
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	var name string
	var say turns.Say
	// A person without a model may connect one here; then everything from the name on is repeated.
	err = a.Modelled(ctx, func() error {
		if name, err = f.Open(ctx, a.Call, e, cmp.Or(prompt, data), true); err == nil {
			say, err = a.turnFor(ctx, f, name)
		}
		return err
	})
	if say.Last = true; err != nil {
		return err
	}
	say.Text, say.Data, say.Schema = prompt, data, schema
	if say.Attach, err = a.mentioned(ctx, e, name, prompt); err != nil {
		return err
	}
	say.Attach = append(files, say.Attach...)
	hears, err := teller.NewTurn(a.Call)
	if err != nil {
		return err
	}
	var res turn.Result
	defer func() { hears.Close(call.IsEnd(res.Code)) }()
	res, err = a.runTurn(ctx, e, say, hears)
	if err != nil {
		return err
	}
	// An incomplete or denied answer is reported as such and not as one of the wrong form.
	if schema != nil && res.Code == failure.ExitOK {
		if res, err = a.meet(ctx, e, say, hears, res); err != nil {
			return err
		}
	}
	// An empty answer leaves the file unchanged.
	if f.OutFile != "" && res.Answer != "" {
		if err := out.WriteFile(f.OutFile, a.Out.Clean(res.Answer)); err != nil {
			return failure.New(failure.ExitFailed, "file", err.Error(), "the answer is saved: socrates tree show "+name)
		}
	}
	return a.tellRun(res)
}

// mentioned returns the pictures, PDFs and notebooks of the project that a prompt names with an @; other files go
// into the context.
func (a *Talk) mentioned(ctx context.Context, e *engine.Engine, name, prompt string) ([]string, error) {
	if !strings.Contains(prompt, "@") {
		return nil, nil
	}
	t, err := conversation.In(e).Open(ctx, name)
	if err != nil {
		return nil, err
	}
	env := env.Of(a.Home, e, t.Dir)
	env.Tree = name
	files, missing, err := env.Mention(ctx, prompt)
	if len(missing) > 0 {
		a.Out.Warn("no such file: " + strings.Join(missing, ", ") + " (sent as text)")
	}
	return files, err
}

// turnFor makes a turn of a conversation from the flags.
func (a *Talk) turnFor(ctx context.Context, f *turn.Flags, name string) (turns.Say, error) {
	s := f.Manner().Over(turns.Say{Tree: name, Phase: f.Phase})
	s.Mode = permission.Mode(f.Mode)
	s.Model = f.Model
	return turn.Fill(ctx, a.Call, s, f.Tier)
}

// runTurn runs a turn, shows its progress, and returns its result. The result is made from the nodes alone; a signal
// only changes its code and status.
func (a *Talk) runTurn(ctx context.Context, e *engine.Engine, say turns.Say, hears *teller.Turns) (turn.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	root, err := e.Do(ctx, say)
	if err != nil {
		return turn.Result{}, err
	}
	a.Out.Room = say.Tree
	var stopped atomic.Int32
	defer a.Signals(ctx, e, root, &stopped, "Stopping the turn; everything so far is saved. Press ctrl-C again to stop immediately.\n")()
	run := &scene.Run{}
	hears.Begin(turns.In(e).Turn(root), run)
	view := newTurnView(a, turns.In(e).Turn(root))
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			return turn.Result{}, err
		}
		if n.Snapshot != nil {
			view.snapshot(*n.Snapshot)
			continue
		}
		body := run.Node(*n.Node)
		view.node(*n.Node, body)
		hears.Hear(*n.Node, body)
	}
	view.done()
	if err := e.Wait(root); err != nil {
		return turn.Result{}, err
	}
	res := turn.NewResult(say.Tree, run)
	res.Next = res.Leads(a.Call, turns.In(e).Turn(root))
	if code := int(stopped.Load()); code != 0 {
		res.Code, res.Status = code, "cancelled"
	}
	return res, nil
}

// after returns the command to run after a turn that leads to another phase.
func after(r turn.Result) string {
	if !strings.HasPrefix(r.Next, "/") {
		return "socrates run --session " + r.Resume + " --phase " + r.Next + " \"…\""
	}
	for _, file := range r.Changed {
		if path.Base(file) == "plan.md" {
			return "socrates execute " + file
		}
	}
	return "socrates chat " + r.Resume + ", then " + r.Next
}

// tellRun writes the result in the chosen format.
// The hint is a command that continues the conversation, whatever ended it.
func (a *Talk) tellRun(r turn.Result) error {
	if a.Out.Format == "text" {
		if r.Answer != "" {
			if err := a.Out.Raw(a.Out.Page(a.Out.Clean(strings.TrimRight(r.Answer, "\n") + "\n"))); failure.Unread(err) != nil {
				return err
			}
		}
	} else if err := a.Out.Last(r); failure.Unread(err) != nil {
		return err
	}
	if r.Code == failure.ExitOK {
		if r.Next != "" && a.Out.Format == "text" {
			a.Out.Tell("next: " + after(r) + "\n")
		}
		return nil
	}
	goOn := "socrates run --session " + r.Resume + " \"go on\""
	f := failure.New(r.Code, r.Reason, cmp.Or(r.Error, r.Reason), "everything so far is saved; continue with: "+goOn)
	switch {
	// Each denied call is named: the person decides whether a rule is missing.
	case r.Code == failure.ExitDenied:
		f.Reason = "denied"
		f.Message, f.Hint = r.Refusal(goOn)
		f.Message += ":\n  " + strings.Join(r.Denied, "\n  ")
	case r.Code == failure.ExitSteered:
		f.Hint = failure.SteeredHint
	case r.Code == failure.ExitUnkept:
		f.Hint = failure.NoSnapshotHint
	case r.Reason == string(exchange.NoCopyKind):
		f.Hint = failure.NoCopyHint
	case r.Code == failure.ExitAuth:
		f.Hint = "sign in (socrates doctor shows the key or login of each model), then run: " + goOn
	}
	return f
}
