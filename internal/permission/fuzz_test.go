package permission_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// FuzzScript: no script is too odd to be decided on; none is allowed whose commands are named by something that is not
// known; and what the shell comes to when an allowed script runs was allowed when it was read, or left to be seen.
func FuzzScript(f *testing.F) {
	for i, c := range verdicts(f) {
		if i%7 == 0 {
			f.Add(c.script)
		}
	}
	p, dir := policy(f, permission.Balanced)
	f.Fuzz(func(t *testing.T, text string) {
		p.Mode = permission.Yolo
		p.Script(text, where(dir))
		p.Mode = permission.Balanced
		script, err := shell.Parse(text, where(dir))
		if err != nil {
			if d := p.Script(text, where(dir)); d.Verdict == permission.Allow {
				t.Fatalf("what cannot be read is allowed: %q", text)
			}
			return
		}
		d := p.Parsed(script)
		if d.Verdict == permission.Allow && dynamicName(text) {
			t.Fatalf("allowed, with a name that is not known: %q", text)
		}
		if d.Verdict == permission.Allow || d.Waits() {
			run(t, p, dir, text, script)
		}
	})
}

// dynamicName says whether a command is named by anything but plain letters.
func dynamicName(text string) (found bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			syntax.Walk(c.Args[0], func(n syntax.Node) bool {
				switch n.(type) {
				case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
					found = found || c.Args[0].Lit() == ""
				}
				return true
			})
		}
		return true
	})
	return found
}

var errHeld = errors.New("held")

// run runs a script without starting a program: each is taken for one that says nothing and fails or not.
func run(t *testing.T, p permission.Policy, dir, text string, script *shell.Script) {
	vars := []string{"HOME=/home/person", "USER=person", "PATH=/usr/bin:/bin"}
	s, err := shell.NewSession(dir, vars)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	whole := p.Parsed(script)
	open := slices.ContainsFunc(whole.Parts, func(part permission.Part) bool { return part.Later })
	hooks := shell.Hooks{
		Call: func(_ context.Context, c shell.Command, program string) error {
			if c.Argv[0] == "sleep" || c.Argv[0] == "wait" {
				return errHeld
			}
			d := p.Judge("bash", tool.Act{Effect: tool.Runs, Command: &c, Program: program})
			if d.Verdict != permission.Allow && !open && !functions(script, c.Argv[0]) {
				t.Errorf("%q is allowed and comes to %q: %s (%s)", text, c.Argv, d.Verdict, d.Reason)
			}
			if d.Verdict != permission.Allow {
				return errHeld
			}
			return nil
		},
		Open: func(_ context.Context, path string, write bool) error {
			if part := p.Open(path, write); part.Verdict != permission.Allow && !open {
				t.Errorf("%q is allowed and opens %s: %s (%s)", text, path, part.Verdict, part.Reason)
			}
			return errHeld
		},
		Start: func(*exec.Cmd) (func() error, error) { return nil, errHeld },
	}
	s.Run(ctx, script, hooks, io.Discard)
}

func functions(script *shell.Script, name string) bool {
	return slices.ContainsFunc(script.Commands, func(c shell.Command) bool { return c.Function == name })
}
