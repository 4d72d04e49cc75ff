package permission_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// What a rule asks about is asked once a call, though a command is decided on with its script and again as it starts, and in every
// call: no longer grant is offered, since none would count.
func TestARuleAsksOnceACall(t *testing.T) {
	for _, c := range []struct{ rule, tool string }{{"ask bash ls *", "bash"}, {"ask job_start", "job_start"}, {"ask *", "bash"}} {
		p, dir := policy(t, permission.Balanced)
		rule, err := permission.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		p.Rules = append(p.Rules, rule)
		asked := 0
		g := &permission.Gate{
			Policy: func() permission.Policy { return p },
			Ask: func(_ context.Context, r permission.Request) (permission.Answer, error) {
				asked++
				if covers := r.Decision.Parts[0].Covers(); covers != "" {
					t.Errorf("%s: a grant for %q is offered", c.rule, covers)
				}
				return permission.Answer{Choice: "session"}, nil
			},
			Record: func(_ context.Context, _ permission.Request, _ permission.Answer, given []permission.Grant) error {
				p.Grants = append(p.Grants, given...)
				return nil
			},
		}
		s, err := shell.Parse("ls -la", where(dir))
		if err != nil {
			t.Fatal(err)
		}
		for call := 1; call <= 2; call++ {
			pass := g.Call(c.tool)
			for _, act := range []tool.Act{{Effect: tool.Runs, Script: s}, {Effect: tool.Runs, Command: &s.Commands[0]}} {
				if err := pass.Allow(context.Background(), act); err != nil {
					t.Fatal(err)
				}
			}
			if asked != call {
				t.Errorf("%s: asked %d times in %d calls", c.rule, asked, call)
			}
		}
	}
}

// A note is decided about as a write: in the project, or outside of it if it is for all projects. After strangers' text was read
// it is asked about each time, since it would carry that text into later conversations as the person's own word.
func TestNotesAreDecidedAsWrites(t *testing.T) {
	for _, c := range []struct {
		mode                             permission.Mode
		rule                             string
		project, everywhere, sees, later permission.Verdict
	}{
		{permission.Plan, "", "deny", "deny", "deny", "deny"}, {permission.Paranoid, "", "ask", "ask", "ask", "ask"},
		{permission.Balanced, "", "allow", "ask", "ask", "ask"}, {permission.Yolo, "", "allow", "ask", "ask", "ask"},
		{permission.Balanced, "allow remember", "allow", "allow", "ask", "ask"},
		{permission.Yolo, "deny remember", "deny", "deny", "deny", "deny"},
		{permission.Yolo, "ask remember", "ask", "ask", "ask", "ask"},
	} {
		p, dir := policy(t, c.mode)
		if c.rule != "" {
			rule, err := permission.ParseRule(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			p.Rules = append(p.Rules, rule)
		}
		note := func(dir string) permission.Verdict {
			d := p.Judge("remember", tool.Act{Effect: tool.Keeps, Dir: dir, Text: "x"})
			if covers := d.Parts[0].Covers(); covers != "" {
				t.Errorf("%s %q: a grant for %q is offered", c.mode, c.rule, covers)
			}
			return d.Verdict
		}
		got := []permission.Verdict{note(dir), note("")}
		p.Tainted = true
		if got = append(got, note(dir), note("")); !slices.Equal(got, []permission.Verdict{c.project, c.everywhere, c.sees, c.later}) {
			t.Errorf("%s %q: %v", c.mode, c.rule, got)
		}
	}
}

// A mode is a ceiling: what a rule asks about in balanced is not allowed unasked in plan.
func TestPlanAsksWhatARuleAsks(t *testing.T) {
	for _, c := range []struct{ rule, script, balanced, plan string }{
		{"ask bash ls *", "ls -la", "ask", "ask"}, {"ask read docs/**", "cat docs/c.md", "ask", "ask"}, {"ask read docs/**", "cat a.txt", "allow", "allow"},
		{"ask write docs/**", "touch docs/d.md", "ask", "deny"}, {"ask bash curl *", "curl http://example.com/", "ask", "deny"},
	} {
		rule, err := permission.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[permission.Mode]string{permission.Balanced: c.balanced, permission.Plan: c.plan} {
			p, dir := policy(t, mode)
			p.Rules = append(p.Rules, rule)
			if d := p.Script(c.script, where(filepath.Clean(dir))); string(d.Verdict) != want {
				t.Errorf("%s, %s in %s: %s (%s), want %s", c.rule, c.script, mode, d.Verdict, d.Reason, want)
			}
		}
	}
}

// A rule about a tool itself stops calls of those that ask nobody, and no other rule does; a tool that changes something asks itself.
func TestGuarded(t *testing.T) {
	stopped := errors.New("stopped")
	for effect, want := range map[tool.Effect]error{tool.Reads: stopped, tool.Talks: stopped, tool.Writes: nil} {
		for text, want := range map[string]error{"deny lookup": want, "ask lookup": want, "deny other": nil, "deny lookup secret*": nil} {
			p, _ := policy(t, permission.Balanced)
			rule, err := permission.ParseRule(text)
			if err != nil {
				t.Fatal(err)
			}
			p.Rules = []permission.Rule{rule}
			ran := false
			one := tool.Tool{Spec: llm.Spec{Name: "lookup"}, Effect: effect}
			one.Run = func(context.Context, json.RawMessage, tool.Env) (tool.Output, error) {
				ran = true
				return tool.Output{}, nil
			}
			may := func(context.Context, ...tool.Act) error { return stopped }
			_, err = permission.Guarded(one, func() permission.Policy { return p }).Run(t.Context(), nil, tool.Env{Allow: may})
			if !errors.Is(err, want) || ran != (want == nil) {
				t.Errorf("%s: a tool of effect %v: %v, ran: %t", text, effect, err, ran)
			}
		}
	}
}
