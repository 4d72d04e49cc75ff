// Package tool holds the command that calls an agent's tool by hand, and lists the tools.
//
// It uses the same gate, guard and sandbox as an agent's call, so it is the way to try rules. Without a conversation
// there is no record and no undo, so a decision does not promise one, and grants for a session are not offered.
//
// Exit codes: 0; 1 the tool failed; 2 an unknown tool or arguments that are not JSON; 6 denied; 13 a steering file
// was written; 130 stopped.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/pattern"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/permission/foreign"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/websearch"
)

// Command returns the command tool with its subcommands.
func Command(a *call.Call) *cobra.Command {
	var args, mode string
	c := &cobra.Command{
		Use:   "tool NAME [--json '{…}']",
		Short: "Run an agent's tool, under the agent's permissions",
		Long: `Call one tool as an agent would: with the same arguments, permissions and sandbox. If the call
needs approval, you are asked in a terminal; elsewhere it is denied with exit code 6.

The call belongs to no conversation: socrates tree undo does not revert what it changes.`,
		Example: `  socrates tool list
  socrates tool grep --json '{"pattern": "retry"}'
  socrates tool bash --json '{"command": "go test ./..."}'`,
		Args: func(_ *cobra.Command, given []string) error { return oneTool(a, given) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return builtin.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, names []string) error { return callTool(c.Context(), a, names[0], args, mode) },
	}
	c.Flags().StringVar(&args, "json", "{}", "arguments of the call as a JSON object")
	c.Flags().StringVar(&mode, "mode", "", "permission mode: plan, paranoid, balanced, yolo")
	c.AddCommand(listed(a).List("List the tools and the effect each can have"))
	return c
}

// oneTool requires the name of one tool. If words follow as in a shell, the error shows how to pass arguments.
func oneTool(a *call.Call, args []string) error {
	if len(args) == 0 {
		return failure.Usage("no tool given", "list them: socrates tool list")
	}
	if len(args) == 1 {
		return nil
	}
	t, err := findTool(a, args[0])
	if err != nil {
		return err
	}
	var schema struct{ Required []string }
	hint := "see what it takes: socrates tool list --output json"
	if words := strings.Join(args[1:], " "); strings.HasPrefix(words, "{") && json.Valid([]byte(words)) {
		hint = "for example: socrates tool " + t.Name + " --json " + shell.Quote([]string{words})
	} else if json.Unmarshal(t.Described().Schema, &schema) == nil && len(schema.Required) == 1 {
		if raw, err := json.Marshal(map[string]string{schema.Required[0]: strings.Join(args[1:], " ")}); err == nil {
			hint = "for example: socrates tool " + t.Name + " --json " + shell.Quote([]string{string(raw)})
		}
	}
	return failure.Usage("a tool takes its arguments as JSON, with --json", hint)
}

// toolRow is a tool as `socrates tool list` shows it.
type toolRow struct {
	Name   string          `json:"name"`
	Effect tool.Effect     `json:"effect"`
	Doc    string          `json:"doc"`
	Schema json.RawMessage `json:"schema"`
}

// listed describes for noun the tools that an agent would have here.
func listed(a *call.Call) noun.Noun[toolRow] {
	return noun.Noun[toolRow]{Call: a, Is: "tool", Are: "tools", Path: "socrates tool",
		Rows: noun.Found(func(context.Context, noun.Query) (rows []toolRow, _ error) {
			for _, t := range a.Home.Gate.Tools() {
				rows = append(rows, toolRow{t.Name, t.Effect, t.Doc, t.Described().Schema})
			}
			return rows, nil
		}),
		Line: func(r toolRow) string {
			first, _, _ := strings.Cut(r.Doc, ". ")
			return fmt.Sprintf("%-11s %-7s %s\n", r.Name, r.Effect, clean.Line(strings.TrimSuffix(first, ".")))
		}}
}

// called is the result of a call, for programs.
type called struct {
	Tool   string   `json:"tool"`
	Text   string   `json:"text"`
	Failed bool     `json:"failed"`
	Diff   string   `json:"diff,omitempty"`
	Wrote  []string `json:"files_changed,omitempty"`
}

// callTool makes one call. Files are saved before it changes any, so that they can be restored. A failure of the tool
// is reported on stderr and by the code; with JSON also in the object, which is written in any case.
func callTool(ctx context.Context, a *call.Call, name, args, mode string) error {
	t, err := findTool(a, name)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(args)) {
		return failure.Usage("--json is not valid JSON: "+clean.Line(args), `write an object, for example --json '{"path": "main.go"}'`)
	}
	m := permission.Mode("")
	if mode != "" {
		if m, err = permission.ParseMode(mode); err != nil {
			return failure.Usage(err.Error(), "")
		}
	}
	ctx, end := a.Ended(ctx)
	defer end()
	env, err := toolEnv(a, m)
	if err != nil {
		return err
	}
	defer env.Session.Close()
	var brought foreign.Moment
	gate := toolGate(a, env.Dir, m)
	keep := gate.Record
	gate.Record = func(ctx context.Context, r permission.Request, answer permission.Answer, given []permission.Grant) error {
		if brought.IsZero() && r.Decision.Brings() {
			brought = gate.Policy().Moment()
		}
		return keep(ctx, r, answer, given)
	}
	pass := gate.Call(name)
	env.Allow = pass.Allow
	var steers turns.SteerWatch
	env.Start = func(cmd *exec.Cmd) (func() error, error) {
		p, by := gate.Policy(), pass.Consent(cmd.Args, cmd.Dir)
		p.Decided = pass.Decided(cmd.Args, cmd.Dir)
		steers.Start(turns.Guard{Watch: a.Home.Gate.Watch}, p, by)
		end, err := a.Home.Gate.Confine(p, env.Session, env.Script, by, cmd)
		return func() error { defer steers.End(by); return end() }, err
	}
	res, err := permission.Guarded(t, gate.Policy).Run(ctx, json.RawMessage(args), env)
	env.Session.Close()    // ends what it left in the background
	if !brought.IsZero() { // what a person fetched is untrusted for the next conversation
		if lost := a.Home.Gate.Fetched(env.Dir, brought.Changed(env.Dir), nil, true); lost != nil {
			a.Out.Warn(failure.Explain(lost).Message)
		}
	}
	steered := steers.Look()
	if ctx.Err() != nil {
		return context.Canceled
	}
	text := cmp.Or(res.Whole, res.Text)
	if err != nil {
		text = err.Error()
	}
	if a.Out.Format != "text" {
		if failed := a.Out.JSON(called{name, text, cmp.Or(err, steered) != nil, res.Diff, res.Wrote}); failed != nil {
			return failed
		}
	} else if err == nil {
		fmt.Fprint(a.Out, strings.TrimRight(text, "\n")+"\n")
	} else if steered != nil {
		a.Out.Warn(text)
	}
	return toolFailure(cmp.Or(steered, err))
}

// findTool finds a tool by its name. If a tool needs a setting first, the error names it.
func findTool(a *call.Call, name string) (tool.Tool, error) {
	for _, t := range a.Home.Gate.Tools() {
		if t.Name == name {
			return t, nil
		}
	}
	if name == builtin.SearchName {
		return tool.Tool{}, failure.Usage("no search engine is chosen",
			"choose one: socrates config set search.engine "+strings.Join(websearch.Names(), "|"))
	}
	return tool.Tool{}, failure.Usage("unknown tool "+clean.Line(name), failure.Nearest(name, builtin.Names()))
}

// A tool that wrote a steering file has failed, whatever else it says.
func toolFailure(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*permission.Refused](err); ok {
		return failure.New(failure.ExitDenied, "denied", err.Error(), "see why with: socrates permission why")
	}
	if _, ok := errors.AsType[*turns.Steering](err); ok {
		return failure.Explain(err)
	}
	return failure.New(failure.ExitFailed, "failed", err.Error(), "")
}

// The caller closes its session, which ends what the tool left running.
func toolEnv(a *call.Call, m permission.Mode) (tool.Env, error) {
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return tool.Env{}, err
	}
	session := &tool.Session{}
	env := tool.Env{Dir: dir, Inner: a.Home.Gate.Inner(dir), Session: session, Script: &tool.Session{}, ByHand: true}
	env.SkillFolder = func(ctx context.Context, file string) (string, bool) { return a.Home.Pages.SkillOf(ctx, dir, file) }
	p, err := a.Home.Gate.Policy(dir, m)
	if err != nil {
		return env, err
	}
	env.Hides, env.Held = p.Hides(), p.Confined
	if a.Attended() {
		env.Ask = func(_ context.Context, q tool.Question) (string, error) {
			return a.ReadLine(q.Text + " ")
		}
	}
	return env, nil
}

// byHand removes from a decision the promise that /undo restores what is lost: there is no conversation to undo.
func byHand(d permission.Decision) permission.Decision {
	d.Parts = slices.Clone(d.Parts)
	for i := range d.Parts {
		d.Parts[i].Reason = undoable().ReplaceAllString(d.Parts[i].Reason, "")
	}
	return d
}

var undoable = pattern.Of(` \(/undo restores (it|them)\)`)

// toolGate returns a gate that asks a person at the terminal, if there is one. Rules are read for each decision: a
// grant given a moment ago counts.
func toolGate(a *call.Call, dir string, m permission.Mode) *permission.Gate {
	keepers := a.Home.Files().Keeper
	g := &permission.Gate{
		Policy: func() permission.Policy {
			p, err := a.Home.Gate.Policy(dir, m)
			if err != nil { // rules that cannot be read allow nothing
				a.Out.Warn(failure.Explain(err).Message)
				return permission.Policy{Mode: permission.Plan}
			}
			return p
		},
		Before: func(ctx context.Context) error {
			k, err := keepers(ctx, dir)
			if err == nil {
				_, err = k.Take(ctx)
			}
			return err
		},
		Record: func(_ context.Context, _ permission.Request, _ permission.Answer, given []permission.Grant) error {
			for _, one := range given {
				if one.Scope == "project" {
					return a.Home.Gate.Grant(dir, one)
				}
			}
			return nil
		},
	}
	if a.Attended() {
		g.Ask = func(_ context.Context, r permission.Request) (permission.Answer, error) {
			call.ShowDecision(a, byHand(r.Decision), g.Policy().Mode)
			line, err := a.ReadLine("allow? [y] once  [p] project  [n] no ")
			choice := map[string]string{"y": "once", "yes": "once", "p": "project"}[strings.ToLower(line)]
			return permission.Answer{Choice: cmp.Or(choice, "deny")}, err
		}
	}
	return g
}
