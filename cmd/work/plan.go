package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/runs"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/evidence"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/git"
	"github.com/socrates-cli/socrates/internal/home"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/tree"
	"github.com/socrates-cli/socrates/internal/work/plan"
	"github.com/socrates-cli/socrates/internal/work/record"
)

// planFlags are what a plan is made with.
type planFlags struct {
	name, seat, effort string
	allow              []string
	stdin              bool
	limits             turns.Limits
}

func (f *planFlags) add(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.name, "name", "", "`name` of the run")
	s.StringArrayVar(&f.allow, "allow-check", nil, "let checks run this `command` (repeatable)")
}

func newPlan(a *commands) *cobra.Command {
	f := &planFlags{}
	c := &cobra.Command{Use: "plan PROMPT", Short: "Have a plan written, checked and kept as a run",
		Long: `A model reads the project and writes a plan: numbered steps, each with the files it may
change, the steps it depends on and the commands that prove it. Code checks the plan; what is
wrong goes back to the model once. Nothing in the project is changed. The plan is printed to
stdout and kept as a run; socrates execute carries it out.

A check may run only if it is listed in checks.commands or allowed with --allow-check.`,
		Example: `  socrates plan --allow-check "go test ./..." "Return an error from Save when the disk is full"
  socrates plan "…" > plan.md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.plan(c.Context(), f, args) }}
	f.add(c)
	s := c.Flags()
	s.StringVar(&f.seat, "seat", "", "model that plans, such as claude, anthropic:big")
	s.StringVar(&f.effort, "effort", "", "reasoning effort: low, medium, high")
	s.BoolVar(&f.stdin, "stdin", false, "read stdin even if data arrives late")
	s.Float64Var(&f.limits.USD, "budget", 0, "spending limit in USD (0: none)")
	s.IntVar(&f.limits.Tokens, "max-tokens", 0, "token limit (0: none)")
	s.DurationVar(&f.limits.Timeout, "timeout", 0, "time limit (0: none)")
	return c
}

// asPlan asks for the plan as an answer: whoever plans here writes no file.
const asPlan = `

Nobody can be asked, and nothing can be written here. Answer with the text of plan.md, from its first line to its last, and
nothing else. A step that repairs a fault has the line "- fixes: yes". A check is one command in backquotes, without a shell: no
pipes, quotes or variables.
`

func (a *commands) plan(ctx context.Context, f *planFlags, args []string) error {
	prompt, data, err := a.Prompt(args, f.stdin)
	if err != nil {
		return err
	}
	if prompt == "" && data == "" {
		return failure.Usage("nothing to plan",
			`give a prompt: socrates plan "…"; or carry out a plan of your own: socrates execute plan.md`)
	}
	w, dir, err := a.world(ctx, nil, f.allow)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	a.Alone = true
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	model, err := a.Home.Seats.Chosen(ctx, f.seat, "")
	if err != nil {
		return err
	}
	root, err := e.Do(ctx, conversation.NewTree{Title: "plan " + cmp.Or(prompt, data), Dir: dir})
	if err != nil {
		return err
	}
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return err
	}
	talked, _ := talk.RootKind.Of(nodes[0])
	say := turns.Say{Tree: talked.Name, Text: prompt + asPlan + allowedChecks(f), Data: data, Model: model, Phase: "planner",
		Effort: f.effort, Limits: f.limits, Last: true}
	for _, t := range builtin.ReadOnly() {
		say.Only = append(say.Only, t.Name)
	}
	text, p, faults := "", plan.Plan{}, []plan.Fault(nil)
	for range 2 { // one round of repair
		if text, err = a.answer(ctx, e, say); err != nil {
			return err
		}
		text = planText(text)
		if p, faults = plan.Read(text); len(faults) == 0 {
			faults = p.Check(w)
		}
		if len(faults) == 0 {
			break
		}
		say.Text = "Code found this wrong with the plan:\n\n- " + strings.Join(lines(faults),
			"\n- ") + "\n\nAnswer with the whole plan.md, repaired." + asPlan
		say.Data = ""
	}
	if len(faults) > 0 {
		return failure.New(failure.ExitTasks, "plan",
			"the plan was not kept; it is still wrong after a repair:\n  "+strings.Join(lines(faults), "\n  "),
			"read what was said: socrates tree show "+talked.Name)
	}
	return a.keep(ctx, e, runs.Plan{Dir: dir, Name: f.name, Plan: p, Text: text, By: talked.Name, Asked: prompt, Allow: f.allow}, text)
}

func allowedChecks(f *planFlags) string {
	if len(f.allow) > 0 {
		return "Commands that may be checks, word by word: " + strings.Join(f.allow, "; ") + "\n"
	}
	return ""
}

// answer has something said and returns the answer.
func (a *commands) answer(ctx context.Context, e *engine.Engine, say turns.Say) (string, error) {
	root, err := e.Do(ctx, say)
	if err != nil {
		return "", err
	}
	var last talk.Reply
	for n, err := range e.Watch(ctx, root, e.Recorded(root)) {
		if err != nil {
			return "", err
		}
		if n.Node != nil {
			if r, ok := talk.ReplyKind.Of(*n.Node); ok {
				last = r
			}
			a.stream(*n.Node)
		}
	}
	if err := e.Wait(root); err != nil {
		return "", err
	}
	if last.State != talk.Done {
		code := map[talk.State]int{talk.Limited: failure.ExitLimit, talk.Interrupted: failure.ExitInterrupted}[last.State]
		return "", failure.New(cmp.Or(code, failure.ExitProvider), "plan", "no plan: "+cmp.Or(last.Reason, string(last.State)), "")
	}
	return last.Message.Text(), nil
}

// planText is the plan in an answer that may have said more.
func planText(text string) string {
	if i := strings.Index(text, "# Plan"); i >= 0 {
		text = text[i:]
	}
	if i := strings.LastIndex(text, "\n```"); i >= 0 && strings.Count(text, "\n```")%2 == 1 { // the fence around all of it
		text = text[:i]
	}
	return strings.TrimSpace(text) + "\n"
}

func lines(faults []plan.Fault) (list []string) {
	for _, f := range faults[:min(len(faults), 20)] {
		list = append(list, f.String())
	}
	if more := len(faults) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return list
}

// keep records a plan as a run and tells what to do next.
func (a *commands) keep(ctx context.Context, e *engine.Engine, op runs.Plan, text string) error {
	root, err := e.Do(ctx, op)
	if err != nil {
		return err
	}
	name, err := nameOf(ctx, e, root)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		return a.Out.Last(map[string]any{"type": "plan", "run": name, "plan": op.Plan})
	}
	if _, err := a.Out.Write([]byte(a.Out.Clean(text))); failure.Unread(err) != nil {
		return err
	}
	a.Out.Tell("Kept as " + name + ". Carry it out: socrates execute " + name + "\n")
	return nil
}

func nameOf(ctx context.Context, e *engine.Engine, root tree.ID) (string, error) {
	nodes, err := e.Tree(ctx, root)
	if err != nil {
		return "", err
	}
	f, _ := record.FrameKind.Of(nodes[0])
	return f.Run, nil
}

// project is the top of the repository we are in, or the folder itself.
func (a *commands) project() (string, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return "", err
	}
	return home.ProjectOf(dir)
}

// world is what a plan of this project is held against.
func (a *commands) world(ctx context.Context, checks, allow []string) (w plan.World, dir string, err error) {
	if dir, err = a.project(); err != nil {
		return w, dir, err
	}
	repo, err := git.Open(dir)
	if errors.Is(err, git.ErrNone) {
		return w, dir, failure.Usage("a plan needs a git repository with a work tree, and "+dir+" is in none",
			"make one: git init, then commit")
	}
	if err != nil {
		return w, dir, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return w, dir, err
	}
	if head.Hash == "" {
		return w, dir, failure.Usage("the repository has no commit yet", "commit something first: git commit")
	}
	commands, err := a.Home.CheckCommands(dir, append(append([]string{}, checks...), allow...))
	if err != nil {
		return w, dir, err
	}
	w.Project = len(checks) > 0
	w.Allowed = func(command []string) error { return evidence.Allowed(commands, command) }
	tracked, err := repo.Tracked(ctx, head.Hash)
	known := map[string]bool{}
	for _, name := range tracked {
		known[name] = true
	}
	w.Exists = func(name string) bool { return known[name] }
	return w, dir, err
}
