package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/socrates-cli/socrates/cmd/call"
	"github.com/socrates-cli/socrates/cmd/call/noun"
	"github.com/socrates-cli/socrates/internal/failure"
	"github.com/socrates-cli/socrates/internal/hook"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
	"github.com/socrates-cli/socrates/internal/trust"
)

// newHooks returns the command hooks. Listing starts nothing; try runs exactly those hooks that a call would trigger,
// and does not make the call.
func newHooks(a *call.Call) *cobra.Command {
	c := &cobra.Command{Use: "hooks", Short: "List and test tool-call hooks",
		Long: `A hook is a program of yours that runs when a session starts, before or after a tool call, or
when a turn ends. It reads the event as JSON from stdin. It can deny a call, require approval,
change the arguments or send the model a message. It can only restrict: no hook allows what the
rules do not. Define hooks in your config.yaml:

  hooks:
    no-push:
      on: [before_tool]
      tools: [bash]
      command: [~/bin/no-push]
      guard: true

A project can define hooks in .socrates/hooks.yaml; they run only after you approve them with
socrates trust.`}
	hooks := noun.Noun[hookRow]{Call: a, Is: "hook", Are: "hooks", Path: "socrates hooks", First: "To add one, see: socrates hooks --help",
		Rows: noun.Found(func(context.Context, noun.Query) ([]hookRow, error) { return hookRows(a) }),
		Line: hookRow.line}
	list := hooks.List("List hooks without starting any")
	c.RunE = list.RunE
	var args string
	try := &cobra.Command{Use: "try TOOL", Short: "Run the hooks for a tool call without making it",
		Example: `  socrates hooks try bash --json '{"command": "git push"}'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return failure.Usage("no tool given",
					"for example: socrates hooks try bash --json '{\"command\": \"ls\"}'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, tools []string) error { return tryHooks(c.Context(), a, tools[0], args) }}
	try.Flags().StringVar(&args, "json", "{}", "arguments of the call as a JSON `object`")
	c.AddCommand(list, try)
	return c
}

// hookRow is a hook as `socrates hooks` lists it.
type hookRow struct {
	Name    string       `json:"name"`
	Origin  string       `json:"origin"`
	State   string       `json:"state"` // "yours", or its state of trust
	On      []hook.Event `json:"on"`
	Tools   []string     `json:"tools"`
	Command []string     `json:"command"`
	Guard   bool         `json:"guard"`
}

// newHookRow makes the row of a hook; state is "yours" or its state of trust.
func newHookRow(h hook.Hook, state string) hookRow {
	return hookRow{h.Name, h.Origin, state, h.On, append([]string{}, h.Tools...), h.Command, h.Guard}
}

// Hooks of the project are listed with their problems, approved or not, and none is started.
func hookRows(a *call.Call) (rows []hookRow, _ error) {
	yours, err := a.Home.Servers.OwnHooks()
	if err != nil {
		return nil, err
	}
	for _, h := range yours {
		rows = append(rows, newHookRow(h, "yours"))
	}
	w, err := a.Home.Approvals.Here()
	if err != nil {
		return nil, err
	}
	for _, i := range w.Items {
		if i.Kind != trust.Hook {
			continue
		}
		h := hook.Hook{Name: i.Name}
		if i.Problem == "" {
			if h, err = hook.Parse(i.Name, i.Definition); err != nil {
				return nil, err
			}
		}
		h.Origin = i.Path
		rows = append(rows, newHookRow(h, string(i.State)))
	}
	return rows, nil
}

// line formats a hook for a person.
func (r hookRow) line() string {
	line := fmt.Sprintf("%-9s %s: %s", r.State, r.Name, joined(r.On))
	if len(r.Tools) > 0 {
		line += " of " + strings.Join(r.Tools, ", ")
	}
	if r.Guard {
		line += ", guard"
	}
	return line + "\n"
}

// hookTrial is what hooks decide about a call that is not made.
type hookTrial struct {
	Decision string          `json:"decision"` // ask, deny, or none: the rules decide
	By       string          `json:"by,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args"`
	Context  string          `json:"context,omitempty"`
	Warnings []string        `json:"warnings"`
}

// Only approved hooks of a project run here: trying one is running it.
func tryHooks(ctx context.Context, a *call.Call, name, args string) error {
	var object map[string]any
	if err := json.Unmarshal([]byte(args), &object); err != nil {
		return failure.Usage("--json is not a JSON object", `for example: --json '{"command": "ls"}'`)
	}
	dir, err := a.Home.Settings.Dir()
	if err != nil {
		return err
	}
	items, err := a.Home.Approvals.Trusted(dir, trust.Hook)
	if err != nil {
		return err
	}
	set, err := a.Home.Servers.Hooks(dir, "trial", items)
	if err != nil {
		return err
	}
	ctx, end := a.Ended(ctx)
	defer end()
	call := hook.Call{Tool: name, Args: json.RawMessage(args)}
	known := builtin.All()
	// hooks see what the tool takes
	// A tool of an MCP server is not known here: its arguments go to the hooks as they are.
	if i := slices.IndexFunc(known, func(t tool.Tool) bool { return t.Name == name }); i >= 0 && len(object) > 0 {
		if call.Args, err = known[i].Fitted(call.Args); err != nil {
			return failure.Usage(err.Error(), "")
		}
		call.Changes = known[i].Changes
	}
	answer, err := set.Before(ctx, call)
	if err != nil {
		return err
	}
	t := hookTrial{"none", answer.By, answer.Reason, json.RawMessage(args), answer.Context, append([]string{}, answer.Warnings...)}
	if answer.Decision != "" {
		t.Decision = string(answer.Decision)
	}
	if answer.Args != nil {
		t.Args = answer.Args
	}
	if a.Out.Format != "text" {
		return a.Out.JSON(t)
	}
	for _, w := range t.Warnings {
		a.Out.Warn(w)
	}
	switch answer.Decision {
	case hook.Ask:
		fmt.Fprintf(a.Out, "ask (%s): %s\n", t.By, t.Reason)
	case hook.Deny:
		fmt.Fprintf(a.Out, "deny (%s): %s\n", t.By, t.Reason)
	default:
		fmt.Fprintln(a.Out, "no hook objects; the permission rules decide")
	}
	if answer.Args != nil {
		fmt.Fprintf(a.Out, "arguments: %s\n", t.Args)
	}
	if t.Context != "" {
		fmt.Fprintf(a.Out, "for the model: %s\n", t.Context)
	}
	return nil
}
