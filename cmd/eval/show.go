package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/budget"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/debate/exchange"
	"github.com/socrates-cli/socrates/internal/engine"
	"github.com/socrates-cli/socrates/internal/engine/evals"
	"github.com/socrates-cli/socrates/internal/eval/advice"
	"github.com/socrates-cli/socrates/internal/eval/contest"
	"github.com/socrates-cli/socrates/internal/eval/report"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
	"github.com/socrates-cli/socrates/internal/out"
)

// compete executes an op that runs an evaluation, shows its progress, and prints its result. An inconclusive report
// goes to stdout like any other; only its exit code differs.
func (a *commands) compete(ctx context.Context, e *engine.Engine, op engine.Op) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	root, err := e.Do(ctx, op)
	if err != nil {
		return err
	}
	var stopped atomic.Int32
	defer a.Signals(ctx, e, root, &stopped, "Finishing the questions in progress; press ctrl-C again to stop now.\n")()
	view := newTally(a, e.Recorded(root))
	defer view.done()
	// From the beginning: earlier answers are counted, too.
	for n, err := range e.Watch(ctx, root, 0) {
		if err != nil {
			return err
		}
		if n.Node != nil {
			view.node(*n.Node)
		}
	}
	view.done()
	if err := e.Wait(root); err != nil {
		return a.unfinished(err, int(stopped.Load()))
	}
	r, err := a.report(ctx, e, a.Out.Room)
	if err != nil {
		return err
	}
	if a.Out.Format != "text" {
		err = a.Out.JSON(r)
	} else {
		_, err = fmt.Fprint(a.Out, r.Text())
	}
	if err == nil && r.Advice.Choice == advice.Inconclusive {
		return failure.New(failure.ExitNone, "inconclusive", "", "") // the report explains it
	}
	return err
}

// unfinished explains why an evaluation stopped before its end, and how to continue it. Errors that are not about
// stopping pass unchanged.
func (a *commands) unfinished(err error, code int) error {
	f := &failure.Error{Hint: "resume with: socrates eval resume " + a.Out.Room}
	halted, isHalted := errors.AsType[*debate.Halted](err)
	vain, isVain := errors.AsType[*contest.Vain](err)
	switch {
	// The first ctrl-C: questions in progress were finished.
	case errors.Is(err, contest.ErrInterrupted):
		f.Code, f.Reason, f.Message = failure.ExitInterrupted, "cancelled", "stopped; everything so far is saved"
	// The second one, or another signal: they were interrupted and are asked again.
	case code != 0 && errors.Is(err, context.Canceled):
		f.Code, f.Reason, f.Message = code, "cancelled", "stopped; everything so far is saved"
	case errors.Is(err, contest.ErrTime):
		f.Code, f.Reason, f.Message = failure.ExitLimit, "time", "time limit reached; everything so far is saved"
		f.Hint += " --timeout 1h"
	// The reserve of a question did not fit any more; nothing beyond the limit was spent.
	case isHalted && halted.Reply.Kind == exchange.BudgetKind:
		f.Code, f.Reason, f.Message = failure.ExitLimit, "budget", "budget used up: "+halted.Reply.Reason
		f.Hint += " --budget DOLLARS (or --max-tokens)"
	case isHalted:
		f.Code, f.Reason = failure.ExitProvider, string(halted.Reply.Kind)
		if halted.Reply.Kind == trouble.Auth {
			f.Code = failure.ExitAuth
		}
		f.Message = "seat " + halted.Reply.Seat + " cannot be used: " + clean.Line(halted.Reply.Reason)
		f.Hint = "fix it, then " + f.Hint
	// Every answer to a question was unusable: continuing would cost the same again for nothing.
	case isVain:
		f.Code, f.Reason, f.Message = failure.ExitProvider, "unusable", vain.Error()+": "+whatFailed(vain.Replies)
		f.Hint = "fix it, then " + f.Hint + "; failed questions are asked again"
	default:
		return err
	}
	return f
}

// whatFailed explains why the seats' replies cannot be used, each reason once.
func whatFailed(replies []exchange.Reply) string {
	var reasons []string
	seats := map[string][]string{}
	for _, r := range replies {
		why := cmp.Or(clean.Line(r.Reason), string(r.Kind), string(r.State))
		if seats[why] == nil {
			reasons = append(reasons, why)
		}
		seats[why] = append(seats[why], r.Seat)
	}
	for i, why := range reasons {
		who := "seat "
		if len(seats[why]) > 1 {
			who = "seats "
		}
		reasons[i] = who + strings.Join(seats[why], ", ") + ": " + why
	}
	return strings.Join(reasons, "; ")
}

// report computes the result of an evaluation from the record alone, so a report of a running evaluation covers what
// is recorded so far.
func (a *commands) report(ctx context.Context, e *engine.Engine, name string) (report.Report, error) {
	v, err := evals.In(e).Evaluation(ctx, name)
	if err != nil {
		return report.Report{}, err
	}
	return report.Make(report.Record{Plan: v.Plan, Chosen: v.Chosen, Items: v.Items, Outcomes: v.Outcomes, Started: v.Started,
		Ended: v.Ended,
		Paid:  v.Paid, Lost: v.Lost}), nil
}

// newResume returns the command resume. Limits given here replace the old ones for the whole evaluation, including
// what was spent.
func newResume(a *commands) *cobra.Command {
	v := &evalFlags{}
	c := &cobra.Command{Use: "resume NAME", Short: "Resume a stopped evaluation without paying twice",
		Args: oneEval, ValidArgsFunction: a.listed().Offers(1)}
	f := c.Flags()
	f.Var((*budget.USD)(&v.budget), "budget", "new spending limit for the whole evaluation (0: none)")
	f.IntVar(&v.tokens, "max-tokens", 0, "new token limit for the whole evaluation (0: none)")
	f.DurationVar(&v.timeout, "timeout", 0, "start no new question after this time (0: none)")
	f.BoolVar(&v.programs, "allow-programs", false, "run the suite's checking programs")
	f.StringArrayVar(&v.commands, "allow-check", nil, "allow the council's checks to run this `command`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.noStream(); err != nil {
			return err
		}
		ctx := c.Context()
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name, err := a.evalName(ctx, e, args[0])
		if err != nil {
			return err
		}
		if err := a.frames.Allow(v.commands, nil); err != nil {
			return err
		}
		was, err := evals.In(e).Evaluation(ctx, name)
		if err != nil {
			return err
		}
		// An evaluation that has ended asks nothing more, so it needs no permission.
		if err := answerable(&evals.Eval{Plan: was.Plan, Items: was.Items, Programs: v.programs || was.Ended}); err != nil {
			return err
		}
		op := evals.Resume{Name: name, Programs: v.programs}
		limits := was.Limits
		for _, flag := range []struct {
			name string
			set  func()
		}{{"budget", func() { limits.USD = v.budget }}, {"max-tokens", func() { limits.Tokens = v.tokens }},
			{"timeout", func() { limits.Timeout = v.timeout }}} {
			// A limit that was not given keeps its old value; 0 removes it.
			if f.Changed(flag.name) {
				flag.set()
				op.Limits = &limits
			}
		}
		return a.compete(ctx, e, op)
	}
	return c
}

// listed describes evaluations for noun.
func (a *commands) listed() noun.Noun[evals.Info] {
	return noun.Noun[evals.Info]{Call: a.Call, Is: "evaluation", Are: "evaluations", Path: "socrates eval",
		First: "Start one: socrates eval run --make knights --seat …",
		Rows: noun.Stored(a.Call, func(ctx context.Context, e *engine.Engine, _ noun.Query) ([]evals.Info, error) {
			return evals.In(e).List(ctx)
		}),
		Line: func(v evals.Info) string {
			state := map[bool]string{true: "running", false: "stopped, resumable"}[v.Running]
			if v.Ended {
				state = "done"
			}
			if v.Simulated {
				state += ", simulated"
			}
			return fmt.Sprintf("%-26s %-11s %5d items %2d seats  %s\n", v.Name, out.Ago(v.Started), v.Items, v.Seats, state)
		},
		Text: func(v evals.Info) string { return v.Name + " " + v.Suite },
		Name: func(v evals.Info) (string, string) { return v.Name, v.Suite }}
}

// newShow returns the command show. --format wins over --output. A report is made from the record, so that of a
// stopped evaluation says how many items it rests on.
func newShow(a *commands) *cobra.Command {
	var format, shown, item string
	c := &cobra.Command{Use: "show NAME", Short: "Show an evaluation's report or the answers to one item",
		Example: `  socrates eval show last
  socrates eval show last --out report.html
  socrates eval show last --item knights-7-00012`}
	c.Flags().StringVar(&format, "format", "", "text, json or html (default: by the ending of --out, else --output)")
	c.Flags().StringVar(&shown, "out", "", "write to this `file` instead of stdout")
	a.ForceFlag(c)
	c.Flags().StringVar(&item, "item", "", "show every arm's answer to this item `id`")
	return a.listed().Shows(c, func(ctx context.Context, name string) error {
		if err := a.Writable(shown); err != nil {
			return err
		}
		e, err := a.Open(ctx)
		if err != nil {
			return err
		}
		name, err = a.evalName(ctx, e, name)
		if err != nil {
			return err
		}
		usual := map[bool]string{true: "text", false: "json"}[a.Out.Format == "text"]
		format = call.Format(format, shown, usual, nil)
		var text string
		if item != "" {
			text, err = a.showItem(ctx, e, name, item, format)
		} else {
			text, err = a.showReport(ctx, e, name, format)
		}
		if err != nil {
			return err
		}
		// The text is the one object of this command, whatever --output says.
		a.Out.Told = true
		if shown == "" {
			_, err = fmt.Fprint(a.Out, text)
			return err
		}
		return out.WriteFile(shown, a.Out.Clean(text))
	})
}

// showReport formats the report.
func (a *commands) showReport(ctx context.Context, e *engine.Engine, name, format string) (string, error) {
	r, err := a.report(ctx, e, name)
	if err != nil {
		return "", err
	}
	switch format {
	case "text":
		return r.Text(), nil
	case "json":
		return out.Indented(r)
	case "html":
		return r.HTML(), nil
	}
	return "", failure.Usage("--format "+format+" is not a valid format", "use text, json or html")
}

// showItem shows what every arm answered to one item.
func (a *commands) showItem(ctx context.Context, e *engine.Engine, name, id, format string) (string, error) {
	v, err := evals.In(e).Evaluation(ctx, name)
	if err != nil {
		return "", err
	}
	found := false
	var b strings.Builder
	for _, it := range v.Items {
		if found = it.ID == id; found {
			fmt.Fprintf(&b, "%s\n", clean.Line(it.Question))
			for i, o := range it.Options {
				fmt.Fprintf(&b, "  %c: %s\n", 'A'+i, clean.Line(o))
			}
			fmt.Fprintf(&b, "Truth: %s\n\n", clean.Line(cmp.Or(it.TruthText(), it.Truth().Pattern, strings.Join(it.Truth().Argv, " "))))
			break
		}
	}
	if !found {
		return "", failure.Usage("unknown item "+id+" in "+name, "--item takes an id from the suite")
	}
	of := []contest.Outcome{}
	for _, o := range v.Outcomes {
		if o.Item == id {
			of = append(of, o)
		}
	}
	switch format {
	case "json":
		return out.Indented(of)
	case "text":
	default:
		return "", failure.Usage("a single item cannot be shown as "+format, "use --format text or json")
	}
	for _, o := range of {
		mark := map[bool]string{true: "right", false: "wrong"}[o.Right]
		turned := map[bool]string{true: "  (options swapped)"}[o.Swapped]
		fmt.Fprintf(&b, "%-20s %s  %.2f  %s%s\n", out.Clip(strings.TrimSpace(string(o.Arm)+" "+o.Seat),
			20), mark, o.P, out.Clip(clean.Line(cmp.Or(o.Answer, "(no answer)")), 44),
			turned)
	}
	return b.String(), nil
}

// oneEval requires one evaluation's name; "last" is the newest.
var oneEval = call.Takes(1, "the name of one evaluation", "list them with: socrates eval list; \"last\" is the newest")

// evalName resolves "last".
// Names are unique in a store; "last" is the newest of all projects.
func (a *commands) evalName(ctx context.Context, e *engine.Engine, name string) (string, error) {
	all, err := evals.In(e).List(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for i, v := range all {
		if name == "last" && i == 0 || v.Name == name {
			return v.Name, nil
		}
		names = append(names, v.Name)
	}
	if len(names) == 0 {
		return "", failure.Usage("no evaluations yet", "start one: socrates eval run --make knights --seat …")
	}
	return "", failure.Usage("unknown evaluation "+name, failure.Nearest(name, names[:min(5, len(names))]))
}

// newSchema is the command eval schema.
func newSchema(a *commands) *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of an evaluation's --output json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := schema()
			if err != nil {
				return err
			}
			return a.Out.JSON(s)
		}}
}

// Schema returns the JSON Schema of the object that --output json prints for an evaluation.
func (v *Evals) Schema() (*jsonschema.Schema, error) { return schema() }

func schema() (*jsonschema.Schema, error) {
	whole, err := jsonschema.For[report.Report](nil)
	if err != nil {
		return nil, err
	}
	none, err := jsonschema.For[out.Failed](nil)
	if err != nil {
		return nil, err
	}
	return &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", OneOf: []*jsonschema.Schema{whole, none}}, nil
}
