package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/out"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/seat"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/tree"
)

// runFlags are what `socrates run` and `chat` can be told about a turn.
type runFlags struct {
	model, tier, phase, mode  string
	session, fork, schemaFile string
	resume, stdin, bare       bool
	plain                     bool
	tools                     []string
	noTools                   bool
	turns, tokens             int
	budget                    float64
	timeout                   time.Duration
	effort, outFile           string
}

func (f *runFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.model, "model", "", "model, such as claude, anthropic:big, ollama:qwen3")
	s.StringVar(&f.tier, "tier", "", "tier of the vendor's model: small, mid, big")
	s.StringVar(&f.phase, "phase", "", "phase: chat, socrates, planner, executor, reviewer, yours")
	s.StringVar(&f.mode, "mode", "", "permission mode: plan, paranoid, balanced, yolo")
	s.IntVar(&f.turns, "max-turns", 0, "model-call limit per turn (0: none)")
	s.Float64Var(&f.budget, "budget", 0, "spending limit per turn in USD (0: none)")
	s.IntVar(&f.tokens, "max-tokens", 0, "token limit per turn (0: none)")
	s.DurationVar(&f.timeout, "timeout", 0, "time limit per turn (0: none)")
	s.StringSliceVar(&f.tools, "tools", nil, "only these tools (comma-separated names or globs)")
	s.BoolVar(&f.noTools, "no-tools", false, "disable all tools")
	s.StringVar(&f.effort, "effort", "", "reasoning effort: low, medium, high")
	s.BoolVar(&f.bare, "bare", false, "ignore memory, hooks, MCP servers and project skills")
}

func newRun(a *app) *cobra.Command {
	f := &runFlags{}
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
	f.add(c)
	s := c.Flags()
	s.BoolVar(&f.resume, "continue", false, "continue the most recent conversation here")
	s.StringVar(&f.session, "session", "", "continue or create this `conversation`")
	s.StringVar(&f.fork, "fork", "", "start a branch at this `node` (label, branch, id, HEAD~2)")
	s.StringVar(&f.schemaFile, "output-schema", "", "require JSON that matches the schema in this `file`")
	s.BoolVar(&f.stdin, "stdin", false, "read stdin even if data arrives late")
	s.StringVar(&f.outFile, "output-file", "", "also write the answer to this `file`")
	a.ForceFlag(c)
	return c
}

// sound refuses what the flags name and is not there, before anything is begun.
func (f *runFlags) sound(ctx context.Context, a *app) error {
	if err := f.values(a); err != nil || f.model == "" {
		return err
	}
	_, err := a.Home.Seats.Solo(ctx, seat.AtTier(f.model, f.tier))
	return err
}

// values refuses values of flags that there are none of.
func (f *runFlags) values(a *app) error {
	if err := errors.Join(call.OneOf("effort", f.effort, "debate.effort"), call.OneOf("tier", f.tier, "debate.tier")); err != nil {
		return err
	}
	if f.mode != "" {
		if _, err := permission.ParseMode(f.mode); err != nil {
			return failure.Usage(err.Error(), "")
		}
	}
	if f.turns < 0 || f.tokens < 0 || f.budget < 0 || f.timeout < 0 {
		return failure.Usage("a limit cannot be negative", "0 means no limit: --max-turns, --max-tokens, --budget, --timeout")
	}
	for _, pattern := range f.tools {
		if !slices.ContainsFunc(builtin.Names(), func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) && !strings.HasPrefix(pattern, "mcp__") {
			return failure.Usage("no tool matches "+clean.Line(pattern), failure.Nearest(pattern, builtin.Names()))
		}
	}
	if f.phase != "" {
		if _, err := a.Home.Pages.Phase("", f.phase); err != nil {
			return err
		}
	}
	return nil
}

// run has one thing said and tells what came of it.
func (a *app) run(ctx context.Context, f *runFlags, args []string) error {
	prompt, data, err := a.Prompt(args, f.stdin)
	if err != nil {
		return err
	}
	if prompt == "" && data == "" {
		if term.IsTerminal(int(a.In.Fd())) && out.IsTerminal(os.Stdout) && a.Out.Format == "text" && f.schemaFile == "" && f.outFile == "" {
			return a.chat(ctx, f, "")
		}
		return failure.Usage("no prompt given", `give one: socrates run "…"; or start a conversation: socrates chat`)
	}
	if f.outFile != "" {
		if err := a.Writable(f.outFile); err != nil {
			return err
		}
	}
	schema, err := readSchema(f.schemaFile)
	if err != nil {
		return err
	}
	if err := f.sound(ctx, a); err != nil {
		return err
	}
	a.Alone = true
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	name, err := a.tree(ctx, e, f, cmp.Or(prompt, data))
	if err != nil {
		return err
	}
	say, err := a.turnFor(ctx, e, f, name)
	say.Last = true
	if err != nil {
		return err
	}
	say.Text, say.Data, say.Schema = prompt, data, schema
	if a.hears, err = a.newTurnTeller(); err != nil {
		return err
	}
	var res runResult
	defer func() { a.hears.close(call.IsEnd(res.Code)) }()
	res, err = a.runTurn(ctx, e, say, f)
	if err != nil {
		return err
	}
	if schema != nil && res.Code == failure.ExitOK {
		if res, err = a.meet(ctx, e, say, f, res); err != nil {
			return err
		}
	}
	if f.outFile != "" && res.Answer != "" {
		if err := out.WriteFile(f.outFile, a.Out.Clean(res.Answer)); err != nil {
			return failure.New(failure.ExitFailed, "file", err.Error(), "the answer is saved: socrates tree show "+name)
		}
	}
	return a.tellRun(res)
}

// tree finds or begins the conversation that the flags name.
func (a *app) tree(ctx context.Context, e *engine.Engine, f *runFlags, title string) (string, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return "", err
	}
	name := f.session
	if f.resume && name == "" {
		if name, err = e.LastTree(ctx, dir); err != nil {
			return "", err
		}
	}
	if name != "" {
		t, err := e.OpenTree(ctx, name)
		if r := (*engine.Refusal)(nil); err != nil && !(errors.As(err, &r) && f.session != "" && f.fork == "" && !f.resume) {
			return "", err
		}
		if err == nil {
			if t.Dir != dir {
				a.Out.Warn(fmt.Sprintf("the conversation %s belongs to %s; the agent works there", t.Name, t.Dir))
			}
			if f.fork != "" {
				_, err = e.Do(ctx, engine.Branch{Tree: t.Name, At: f.fork})
			}
			return t.Name, err
		}
	} else if f.fork != "" {
		return "", failure.Usage("--fork needs a conversation", "name it with --session, or use the last one with --continue")
	}
	root, err := e.Do(ctx, engine.NewTree{Name: f.session, Title: title, Dir: dir})
	if err != nil {
		return "", err
	}
	nodes, err := e.Path(ctx, root)
	if err != nil {
		return "", err
	}
	r, _ := talk.RootKind.Of(nodes[0])
	return r.Name, nil
}

// over lays what the flags say about every turn over one.
func (f *runFlags) over(s engine.Say) engine.Say {
	s.Effort, s.Bare = f.effort, f.bare
	s.Limits = engine.TurnLimits{Turns: f.turns, USD: f.budget, Tokens: f.tokens, Timeout: f.timeout}
	if len(s.Only) == 0 {
		s.Only = f.tools
	}
	if f.noTools {
		s.Only = []string{"-"}
	}
	return s
}

// turnFor is what the flags make of a turn in a conversation.
func (a *app) turnFor(ctx context.Context, e *engine.Engine, f *runFlags, name string) (engine.Say, error) {
	s := f.over(engine.Say{Tree: name, Phase: f.phase})
	s.Mode = permission.Mode(f.mode)
	t, err := e.OpenTree(ctx, name)
	if err != nil {
		return s, err
	}
	path, err := e.Path(ctx, t.Head)
	if err != nil {
		return s, err
	}
	set := talk.Settings(path)
	if cfg, err := a.Home.Settings.Of(t.Dir); err != nil {
		return s, err
	} else if f.mode == "" && set["mode"] == "" {
		s.Mode = permission.Mode(cfg.String("permission.mode"))
	}
	if f.model != "" || f.tier != "" || set["model"] == "" {
		if s.Model, err = a.Home.Seats.Chosen(ctx, cmp.Or(f.model, set["model"]), f.tier); err != nil {
			return s, err
		}
	}
	return s, nil
}

// runResult is the one last object of a run.
type runResult struct {
	Type    string               `json:"type"`
	Status  string               `json:"status"` // ok, error, limit, denied or cancelled
	Reason  string               `json:"reason"`
	Code    int                  `json:"exit_code"`
	Answer  string               `json:"answer"`
	Error   string               `json:"error,omitempty"`
	Usage   map[string]llm.Usage `json:"usage"` // by model
	USD     float64              `json:"cost_usd"`
	Known   bool                 `json:"cost_known"`
	Turns   int                  `json:"turns"`
	Denied  []string             `json:"denied"`
	Changed []string             `json:"files_changed"`
	MS      int64                `json:"duration_ms"`
	Resume  string               `json:"resume"`         // the tree to go on with
	Next    string               `json:"next,omitempty"` // the phase that follows
	Node    tree.ID              `json:"node"`           // where it ended

	unkept string // why no snapshot of the files could be taken
}

func newRunResult(name string) runResult {
	return runResult{Type: "result", Resume: name, Usage: map[string]llm.Usage{}, Denied: []string{}, Changed: []string{}, Known: true}
}

// runTurn has something said, shows how it goes, and sums up what came of it.
func (a *app) runTurn(ctx context.Context, e *engine.Engine, say engine.Say, f *runFlags) (runResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	root, err := e.Do(ctx, say)
	if err != nil {
		return runResult{}, err
	}
	a.Out.Room = say.Tree
	var stopped atomic.Int32
	defer a.Signals(ctx, e, root, &stopped, "Stopping the turn; everything so far is saved. Press ctrl-C again to stop immediately.\n")()
	res := newRunResult(say.Tree)
	a.hears.begin(e.Turn(root))
	view := newTurnView(a, e.Turn(root))
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			return res, err
		}
		if n.Snapshot != nil {
			view.snapshot(*n.Snapshot)
			continue
		}
		view.node(*n.Node)
		res.take(*n.Node)
		a.hears.hear(*n.Node)
	}
	view.done()
	if err := e.Wait(root); err != nil {
		return res, err
	}
	res.Next = a.next(e.Turn(root), res)
	if code := int(stopped.Load()); code != 0 {
		res.Code, res.Status = code, "cancelled"
	}
	return res, nil
}

// take adds what a node says about the turn.
func (r *runResult) take(n tree.Node) {
	if x, ok := talk.ExchangeKind.Of(n); ok {
		r.spend(x.Model, x.Usage)
		for _, s := range x.Shows {
			for _, w := range s.Wrote {
				if !slices.Contains(r.Changed, w) {
					r.Changed = append(r.Changed, w)
				}
			}
		}
	}
	if j, ok := talk.JudgeKind.Of(n); ok && (j.Verdict == "deny" || j.Verdict == "ask" && (j.Answer == "" && !j.Began || j.Answer == "deny")) {
		r.Denied = append(r.Denied, j.Tool+": "+actsText(j)+" ("+j.Reason+")")
	}
	if s, ok := talk.SummaryKind.Of(n); ok {
		r.spend(n.By, s.Usage)
	}
	if notice, ok := talk.NoticeKind.Of(n); ok && notice.Unkept {
		r.unkept = notice.Text
	}
	reply, ok := talk.ReplyKind.Of(n)
	if !ok {
		return
	}
	r.spend(cmp.Or(reply.Answers, reply.Model), reply.Usage)
	r.Answer, r.Turns, r.MS, r.Node = reply.Message.Text(), reply.Turns, reply.MS, n.ID
	r.Status, r.Reason, r.Code = "ok", string(reply.State), failure.ExitOK
	switch reply.State {
	case talk.Done:
		if len(r.Denied) > 0 {
			r.Status, r.Reason, r.Code = "denied", "denied", failure.ExitDenied
		}
		if r.unkept != "" {
			r.Status, r.Reason, r.Code, r.Error = "error", string(engine.NoSnapshot), failure.ExitUnkept, r.unkept
		}
	case talk.Limited:
		r.Status, r.Code, r.Error = "limit", failure.ExitLimit, reply.Reason
	case talk.Interrupted:
		r.Status, r.Code, r.Error = "cancelled", failure.ExitInterrupted, reply.Reason
	default:
		r.Status, r.Code, r.Error = "error", failure.ExitProvider, reply.Reason
		if reply.Kind != "" {
			r.Reason = string(reply.Kind)
		}
		switch reply.Kind {
		case llm.Auth:
			r.Code = failure.ExitAuth
		case llm.Refused, debate.NoCopyKind, llm.Context, llm.BadRequest, llm.Empty:
			r.Code = failure.ExitFailed
		case engine.NoSnapshot:
			r.Code = failure.ExitUnkept
		case engine.Steered:
			r.Code = failure.ExitSteered
		}
	}
}

func (r *runResult) spend(model string, u llm.Usage) {
	if u == (llm.Usage{}) {
		return
	}
	r.Usage[model] = r.Usage[model].Add(u)
	r.USD += u.USD
	r.Known = r.Known && u.Source != llm.CostUnknown && !u.Least
}

func actsText(j talk.Judged) string {
	var list []string
	for _, act := range j.Acts {
		list = append(list, cmp.Or(act.Text, act.Path, act.URL, strings.Join(act.Argv, " ")))
	}
	text, _, more := strings.Cut(strings.Join(list, "; "), "\n")
	if more {
		text += " …"
	}
	return text
}

// tellRun writes the result in the chosen format.
func (a *app) tellRun(r runResult) error {
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
			a.Out.Tell("next: socrates run --session " + r.Resume + " --phase " + r.Next + " \"…\"\n")
		}
		return nil
	}
	goOn := "socrates run --session " + r.Resume + " \"go on\""
	f := failure.New(r.Code, r.Reason, cmp.Or(r.Error, r.Reason), "everything so far is saved; continue with: "+goOn)
	switch {
	case r.Code == failure.ExitDenied:
		f.Reason, f.Message = "denied", "denied, because no one was there to approve it:\n  "+strings.Join(r.Denied, "\n  ")
		f.Hint = "approve it in: socrates chat " + r.Resume + "; or add a rule to permission.rules, then run: " + goOn
	case r.Code == failure.ExitSteered:
		f.Hint = failure.SteeredHint
	case r.Code == failure.ExitUnkept:
		f.Hint = failure.NoSnapshotHint
	case r.Reason == string(debate.NoCopyKind):
		f.Hint = failure.NoCopyHint
	case r.Code == failure.ExitAuth:
		f.Hint = "sign in (socrates doctor shows the key or login of each model), then run: " + goOn
	}
	return f
}

// next is the phase that a turn leads to; empty: it goes on in this one.
func (a *app) next(t engine.Turn, res runResult) string {
	p, err := a.Home.Pages.Phase("", t.Phase)
	if err != nil || res.Status != "ok" && res.Status != "denied" {
		return ""
	}
	next, ok := p.Leads(res.Changed)
	if !ok {
		return ""
	}
	return next
}
